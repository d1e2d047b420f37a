import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip } from '../accept.ts';
import { addVary } from '../vary.ts';

/** A file of a page whose name changes with its content, so that browsers may keep it for ever. */
export interface LastingFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

/** Compressed once, and not again for every visitor. */
export function lastingFile(bytes: Buffer, suffix: string, type: string): LastingFile {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { name: `${hash}.${suffix}`, type, bytes, gzipped: gzipSync(bytes, { level: 9 }) };
}

export function sendLastingFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, gzipped }: LastingFile,
): FastifyReply {
  const takesGzip = acceptsGzip(request.headers['accept-encoding']);
  if (takesGzip) reply.header('content-encoding', 'gzip');
  return addVary(reply, 'accept-encoding')
    .header('cache-control', 'public, max-age=31536000, immutable')
    .type(type)
    .send(takesGzip ? gzipped : bytes);
}
