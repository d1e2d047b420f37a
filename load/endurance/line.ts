import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Cleanup } from '../surroundings/cleanup.ts';

/** A line passes the bytes that come, passes them late, or keeps them without saying so. */
export type LineState = 'open' | 'slow' | 'silent';

/** The delay of each piece of bytes on a slow line: about the way to another continent and back. */
const SLOW_MILLISECONDS = 100;
const LOOK_MILLISECONDS = 20;

/** A port that stands before a server, as a balancer or a cable does, and can be disturbed. */
export interface Line {
  readonly port: number;
  state: LineState;
  /** Where new connections lead. */
  targetPort: number;
}

export async function openLine(cleanup: Cleanup): Promise<Line> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: line.targetPort, allowHalfOpen: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
    }
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    pipeline(client, delayed, upstream).catch(cut);
    pipeline(upstream, delayed, client).catch(cut);
  });

  async function* delayed(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      if (line.state === 'slow') await wait(SLOW_MILLISECONDS);
      while (line.state === 'silent') await wait(LOOK_MILLISECONDS);
      yield piece;
    }
  }

  const line: Line = { port: 0, state: 'open', targetPort: 0 };
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The line has no port');
  cleanup.add(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return Object.assign(line, { port: address.port });
}
