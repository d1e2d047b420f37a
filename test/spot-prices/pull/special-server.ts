import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface SpecialServer {
  readonly url: string;
  readonly requests: { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
  /** Connections that are open now. */
  connections(): Promise<number>;
  answer(next: Answer): void;
  close(): Promise<void>;
}

/** A server for what no feed does on purpose: bodies without end, redirects, silence. */
export async function specialServer(): Promise<SpecialServer> {
  const requests: SpecialServer['requests'] = [];
  let answer: Answer = (_request, response) => response.end();
  const server: Server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    answer: (next) => {
      answer = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
