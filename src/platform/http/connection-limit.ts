import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import type { Metrics } from '../metrics.ts';
import type { ProcessGroup } from '../process/group/member.ts';
import { reportConnections } from './connections-together.ts';
import { networkOf } from './network.ts';

/**
 * So many connections at a time from one address (one /64 of IPv6): each holds some memory before anybody has said who he
 * is. Behind a trusted proxy all callers have its address, so proxies are not counted. A connection above the limit is
 * closed unanswered; its sender does not wait for answers. Processes that share a port count together.
 */
export function limitConnections(
  server: Server,
  options: {
    ofAddressMax: number;
    trustedProxies: readonly string[];
    metrics: Metrics;
    group: ProcessGroup | null;
  },
): void {
  const refusals = options.metrics.counter(
    'connections_refused_total',
    'Connections closed because their address had too many',
  );
  const isProxy = compile([...options.trustedProxies]);
  const open = new Map<string, Set<Socket>>();
  const { group } = options;
  const tellGroup =
    group === null
      ? () => {}
      : reportConnections(group.channel, (network) => open.get(network)?.size ?? 0, closeNewest);

  function leave(network: string, sockets: Set<Socket>, socket: Socket): void {
    if (!sockets.delete(socket)) return;
    if (sockets.size === 0) open.delete(network);
    tellGroup(network);
  }

  function closeNewest(network: string, count: number): void {
    refusals.inc(count);
    const sockets = open.get(network) ?? new Set();
    for (const socket of [...sockets].slice(-count)) {
      leave(network, sockets, socket);
      socket.destroy();
    }
  }

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    /* Gone before it was looked at. */
    if (address === undefined || isProxy(address, 0)) return;
    const network = networkOf(address);
    const sockets = open.get(network) ?? new Set();
    if (sockets.size >= options.ofAddressMax) {
      refusals.inc();
      socket.destroy();
      return;
    }
    open.set(network, sockets.add(socket));
    tellGroup(network);
    socket.once('close', () => leave(network, sockets, socket));
  });
}
