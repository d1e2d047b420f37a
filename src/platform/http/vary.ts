import type { FastifyReply } from 'fastify';

/** Names what the answer depends on, beside what others have named before: an allowed origin, for one. */
export function addVary(reply: FastifyReply, ...names: string[]): FastifyReply {
  const before = String(reply.getHeader('vary') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const known = new Set(before.map((name) => name.toLowerCase()));
  const added = names.filter((name) => !known.has(name.toLowerCase()));
  return reply.header('vary', [...before, ...added].join(', '));
}
