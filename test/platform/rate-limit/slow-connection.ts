import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a real server on which everything can be held back, as by a server that hangs. */
export interface SlowConnection {
  readonly url: string;
  /** Connections stay open, and nothing passes any more. */
  freeze(): void;
  /** What was held back passes. */
  thaw(): void;
  close(): Promise<void>;
}

export async function slowConnection(to: string): Promise<SlowConnection> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let frozen = false;
  const forward = (from: Socket, onto: Socket) => {
    sockets.add(from);
    from.on('data', (bytes) => {
      if (frozen) held.push(() => onto.write(bytes));
      else onto.write(bytes);
    });
    from.on('close', () => {
      sockets.delete(from);
      onto.destroy();
    });
    from.on('error', () => {});
  };
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    forward(near, far);
    forward(far, near);
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const url = new URL(to);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    freeze: () => {
      frozen = true;
    },
    thaw: () => {
      frozen = false;
      for (const pass of held.splice(0)) pass();
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
