import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

const PORTS_TRIED_MAX = 20;

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
