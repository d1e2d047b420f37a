import type { FastifyReply } from 'fastify';

/**
 * Names what the answer depends on, separated by commas, beside what others have named before: an allowed origin, for one.
 */
export function addVary(reply: FastifyReply, names: string): FastifyReply {
  const named = reply.getHeader('vary');
  if (named === undefined) return reply.header('vary', names);
  const before = namesOf(String(named));
  const known = new Set(before.map((name) => name.toLowerCase()));
  const added = namesOf(names).filter((name) => !known.has(name.toLowerCase()));
  return reply.header('vary', [...before, ...added].join(', '));
}

function namesOf(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
