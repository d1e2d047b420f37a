import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../errors.ts';
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

/** What draws charts, in front of a script and a style of ours. */
export const UPLOT = {
  script: fileURLToPath(import.meta.resolve('uplot/dist/uPlot.iife.min.js')),
  style: fileURLToPath(import.meta.resolve('uplot/dist/uPlot.min.css')),
};

/** Draws the table `chart-table` of a page into its place `chart`. */
export const TABLE_CHART = [UPLOT.script, join(import.meta.dirname, 'views', 'chart.js')];

/** Serves files below an address. The function returned adds one, made of several, and tells where it is. */
export function installLastingFiles(app: FastifyInstance, below: string) {
  const files = new Map<string, LastingFile>();
  app.get<{ Params: { file: string } }>(`${below}/:file`, async (request, reply) => {
    const file = files.get(request.params.file);
    if (file === undefined) throw new Failure('NOT_FOUND');
    return sendLastingFile(request, reply, file);
  });
  return (suffix: string, type: string, parts: readonly string[]): string => {
    const bytes = Buffer.concat(parts.flatMap((part) => [readFileSync(part), Buffer.from('\n')]));
    const file = lastingFile(bytes, suffix, type);
    files.set(file.name, file);
    return `${below}/${file.name}`;
  };
}
