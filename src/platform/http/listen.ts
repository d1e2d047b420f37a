import cluster from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

const PORTS_TRIED_MAX = 20;

/** While closing, how long a connection that became idle may last. */
export const CLOSING_SWEEP_MILLISECONDS = 50;

/**
 * A socket that listens lets one connection in in each turn of the event loop. Under load a turn takes 25 ms and more: of a
 * thousand gateways that came at once the last one was let in after 20 s, and so was everybody else who came then.
 */
const LISTENING_SOCKETS = 16;

/**
 * Connections that the system takes in for a process that is busy. Node's default is 511, and who finds no room comes again
 * after one, three or seven seconds. The system's own bound (`net.core.somaxconn`, 4,096) holds besides.
 */
const CONNECTIONS_WAITING_MAX = 4_096;

interface Place {
  readonly host: string;
  readonly port: number;
}

/** The sockets of an app that listen. */
export interface Listeners {
  listen(place: Place): Promise<void>;
  /** Ends the app: when all that was begun is answered. */
  close(): Promise<void>;
}

/**
 * Several sockets at one port, over which the system spreads what comes. A port that another process has is refused as ever: such
 * sockets alone would share it. Of several processes the first one lets in for all, with one socket.
 */
export function listenersOf(app: FastifyInstance): Listeners {
  const more: Server[] = [];
  return {
    async listen({ host, port }) {
      const options = { host, backlog: CONNECTIONS_WAITING_MAX, reusePort: !cluster.isWorker };
      if (options.reusePort && port !== 0) await closed(await listening(createServer(), { host, port }));
      await app.listen({ ...options, port });
      if (!options.reusePort) return;
      const given = (app.server.address() as AddressInfo).port;
      while (more.length < LISTENING_SOCKETS - 1) {
        const server = createServer({ allowHalfOpen: true, noDelay: true });
        server.on('connection', (socket) => app.server.emit('connection', socket));
        more.push(await listening(server, { ...options, port: given }));
      }
    },
    async close() {
      const ended = Promise.all(more.map(closed));
      await app.close();
      /* That waited for the connections of its own socket, and no longer closes what idles. */
      const sweep = setInterval(() => app.server.closeIdleConnections(), CLOSING_SWEEP_MILLISECONDS);
      await ended;
      clearInterval(sweep);
    },
  };
}

async function listening(server: Server, options: ListenOptions): Promise<Server> {
  await once(server.listen(options), 'listening');
  return server;
}

async function closed(server: Server): Promise<void> {
  await once(server.close(), 'close');
}

/** Listens on the port, or on the next one that nobody has; returns the address as it is reached. */
export async function listenNear(app: FastifyInstance, host: string, port: number): Promise<string> {
  for (let tried = 0; ; tried += 1) {
    try {
      await app.listen({ host, port: port === 0 ? 0 : port + tried });
      return addressOf(app, host);
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!taken || tried >= PORTS_TRIED_MAX) throw error;
    }
  }
}

/**
 * A process that was started over a channel, as by `npm start`, says where it listens: whoever else answers at the
 * address that it was meant to have is not taken for it.
 */
export function tellStarter(url: string): void {
  if (process.connected) process.send?.({ listening: url });
}

export function addressOf(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
