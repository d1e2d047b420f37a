import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BoundedCache } from '../bounded-cache.ts';
import { unavailable } from '../errors.ts';
import { acceptsGzip, csvOrJson } from '../http/accept.ts';
import { addVary } from '../http/vary.ts';
import { entityTagsOf, namesContent } from './entity-tag.ts';
import type { PreparedAnswer } from './route.ts';

/** Encoded answers that are kept: some hundred of two days, or ten of a year. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;
/** Shorter texts fit into one packet as they are. */
const COMPRESSED_FROM_BYTES = 1024;
/** How often an answer is named anew because it changed between its name and its text. */
const ATTEMPTS_MAX = 5;

const compress = promisify(gzip);

/** Finds the answer, and gives what sends it. */
export type FindPrepared = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: PreparedAnswer,
) => Promise<() => FastifyReply>;

/** The bytes of one content, plain and, once somebody wanted them, compressed. */
interface KeptAnswer {
  readonly plain: Buffer;
  gzipped: Buffer | null;
}

/**
 * Sends answers that their handlers have encoded: 304 to those who have it, else the text, compressed where the caller
 * takes it. The name identifies the content across all requests, because bytes are kept under it. From a text, Node
 * would make the bytes again for each answer.
 */
export function preparedAnswers(): FindPrepared {
  const known = new BoundedCache<KeptAnswer>(KEPT_BYTES_MAX);

  function keep(name: string, kept: KeptAnswer): KeptAnswer {
    known.set(name, kept, kept.plain.length + (kept.gzipped?.length ?? 0));
    return kept;
  }

  async function gzippedOf(name: string, { plain, gzipped }: KeptAnswer): Promise<Buffer> {
    return gzipped ?? keep(name, { plain, gzipped: await compress(plain) }).gzipped ?? plain;
  }

  return async (request, reply, answer) => {
    const takesGzip = acceptsGzip(request.headers['accept-encoding']);
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const found = await answer.find();
      const csv = csvOrJson(request.headers.accept) === 'csv' ? found.csv : undefined;
      const name = csv === undefined ? found.name : `${found.name}.csv`;
      const headers = found.csv === undefined ? found.headers : withAccept(found.headers);
      const { text } = csv ?? found;
      const tags = entityTagsOf(name);
      if (namesContent(request.headers['if-none-match'], tags)) {
        return () => {
          setHeaders(reply, headers, takesGzip ? tags.gzip : tags.plain);
          return reply.code(304).send();
        };
      }
      const made = known.get(name) ?? (await text());
      /* It changed after it was named: the tag would name something else. */
      if (made === null) continue;
      const kept = typeof made === 'string' ? keep(name, { plain: Buffer.from(made), gzipped: null }) : made;
      const isCompressed = takesGzip && kept.plain.length >= COMPRESSED_FROM_BYTES;
      const bytes = isCompressed ? await gzippedOf(name, kept) : kept.plain;
      return () => {
        setHeaders(reply, headers, isCompressed ? tags.gzip : tags.plain);
        if (isCompressed) reply.header('content-encoding', 'gzip');
        if (csv === undefined) return reply.type('application/json; charset=utf-8').send(bytes);
        reply.header('content-disposition', `attachment; filename="${csv.fileName}"`);
        return reply.type('text/csv; charset=utf-8; header=present').send(bytes);
      };
    }
    throw unavailable();
  };
}

function withAccept(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { ...headers, vary: headers.vary === undefined ? 'Accept' : `${headers.vary}, Accept` };
}

function setHeaders(reply: FastifyReply, headers: Readonly<Record<string, string>>, etag: string): void {
  addVary(reply, headers.vary === undefined ? 'Accept-Encoding' : `${headers.vary}, Accept-Encoding`);
  for (const name of Object.keys(headers)) {
    if (name !== 'vary') reply.header(name, headers[name]);
  }
  reply.header('etag', etag);
}
