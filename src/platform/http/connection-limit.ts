import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import type { Metrics } from '../metrics.ts';
import { networkOf } from './network.ts';

/**
 * So many connections at a time from one address (one /64 of IPv6): each holds some memory before anybody has said who he
 * is. Behind a trusted proxy all callers have its address, so proxies are not counted. What is too much is closed
 * unanswered; its sender is one who does not wait for answers.
 */
export function limitConnections(
  server: Server,
  options: { ofAddressMax: number; trustedProxies: readonly string[]; metrics: Metrics },
): void {
  const refusals = options.metrics.counter(
    'connections_refused_total',
    'Connections closed because their address had too many',
  );
  const isProxy = compile([...options.trustedProxies]);
  const open = new Map<string, number>();

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    /* Gone before it was looked at. */
    if (address === undefined || isProxy(address, 0)) return;
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    if (count > options.ofAddressMax) {
      refusals.inc();
      socket.destroy();
      return;
    }
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 0) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}
