import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AddressRules } from '../../../src/events/requests/address.ts';

/** What receivers of the tests need: they listen on this machine. */
export const HERE: AddressRules = {
  allowedNetworks: ['127.0.0.0/8', '::1/128'],
  ports: [443],
  ownHosts: ['api.voltstream.example'],
};

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As text of one character for each byte. */
  readonly body: string;
}

export interface TestReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: ReceivedRequest[];
  /** Connections of any kind, also those that never said a word. */
  readonly connections: number;
  /** Connections that are open now. */
  open(): Promise<number>;
}

/** A real server that answers as the test says, after it has read the request. */
export async function testReceiver(
  answer: RequestListener = (_request, response) => void response.end(),
  host: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<TestReceiver> {
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      requests.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString('latin1'),
      });
      answer(request, response);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host === '::1' ? '[::1]' : host}:${port}/hook`,
    port,
    requests,
    get connections() {
      return connections;
    },
    open: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
