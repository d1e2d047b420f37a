import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** A line between a process and a real server that a test can cut and mend. */
export interface CutConnection {
  /** The given address with this line's host and port in its place. */
  readonly url: string;
  /** Open connections break, new ones are refused. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function cutConnection(to: string): Promise<CutConnection> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;

  async function mend(): Promise<void> {
    server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket));
        socket.on('error', () => {});
      }
      pipeline(near, far, near, () => {});
    });
    server.listen({ host: '127.0.0.1', port });
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }

  async function cut(): Promise<void> {
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    server = undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await mend();
  const url = new URL(to);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return { url: url.href, cut, mend, close: cut };
}
