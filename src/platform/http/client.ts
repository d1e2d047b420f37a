import type { IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Agent, request } from 'undici';
import type { Traces } from '../traces.ts';

const CONNECT_MILLISECONDS = 5_000;
/** A source is asked by one job at a time; two leaves room for the command line's own. */
const CONNECTIONS_MAX = 2;
const HEADER_BYTES_MAX = 32 * 1024;

export interface HttpRequest {
  /** Requests of one pool share connections; another pool's trouble does not reach them. */
  readonly pool: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Counted after inflating, while reading. */
  readonly bodyBytesMax: number;
  /** Ends the request and its connection, whatever it waits for. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** GET requests to addresses that the operator configured. No redirects, no cookies, no proxy of the environment. */
export interface HttpClient {
  get(question: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export class BodyTooLarge extends Error {
  readonly status: number;
  constructor(bytesMax: number, status: number) {
    super(`The body is larger than ${bytesMax} bytes`);
    this.status = status;
  }
}

export function openHttpClient(traces: Traces | null = null): HttpClient {
  const agents = new Map<string, Agent>();

  function agentOf(pool: string): Agent {
    let agent = agents.get(pool);
    if (agent === undefined) {
      agent = new Agent({
        connections: CONNECTIONS_MAX,
        connect: { timeout: CONNECT_MILLISECONDS },
        maxHeaderSize: HEADER_BYTES_MAX,
        pipelining: 1,
      });
      agents.set(pool, agent);
    }
    return agent;
  }

  async function get(question: HttpRequest): Promise<HttpAnswer> {
    const { statusCode, headers, body } = await request(question.url, {
      dispatcher: agentOf(question.pool),
      method: 'GET',
      headers: { 'accept-encoding': 'gzip', ...question.headers },
      signal: question.signal,
    });
    const parts: Buffer[] = [];
    let bytes = 0;
    const collect = async (source: AsyncIterable<Buffer>) => {
      for await (const part of source) {
        bytes += part.length;
        if (bytes > question.bodyBytesMax) throw new BodyTooLarge(question.bodyBytesMax, statusCode);
        parts.push(part);
      }
    };
    /* A pipeline that fails destroys the body, and with it the connection: nothing more is read. */
    const coding = String(headers['content-encoding'] ?? 'identity')
      .trim()
      .toLowerCase();
    if (coding === 'gzip' || coding === 'x-gzip') {
      await pipeline(body, createGunzip(), collect, { signal: question.signal });
    } else {
      await pipeline(body, collect, { signal: question.signal });
      if (coding !== 'identity') throw new Error(`The body has the coding ${coding}, asked for was gzip`);
    }
    return { status: statusCode, headers, body: Buffer.concat(parts, bytes) };
  }

  return {
    get:
      traces === null
        ? get
        : (question) =>
            traces.outgoing(
              'GET',
              question.url,
              () => get(question),
              ({ status }) => ({ status }),
            ),
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}
