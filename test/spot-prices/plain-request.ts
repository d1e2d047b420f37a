import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export interface PlainAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** As it came over the wire. */
  body: Buffer;
  unzipped(): string;
}

/** Sends exactly these headers: `fetch` adds an `Accept-Encoding` of its own and undoes what it brings. */
export async function get(
  address: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<PlainAnswer> {
  return await new Promise((resolve, reject) => {
    const sent = request(address, { agent: false, ...options }, (answer) => {
      buffer(answer).then((body) => {
        const unzipped = () => gunzipSync(body).toString();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body, unzipped });
      }, reject);
    });
    sent.once('error', reject);
    sent.end();
  });
}
