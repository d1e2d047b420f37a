import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Channel } from '../process/group/channel.ts';
import type { GroupPart } from '../process/group/primary.ts';

/** Networks and how many connections of each: those that a process has, or those that it has too many of. */
type NetworkCounts = readonly (readonly [network: string, count: number])[];

const COUNTS = 'connections';

/**
 * Tells the primary how many connections this process has of each network, as soon as that changes, and closes what is
 * too much for the group. One report is on its way at a time, so that none speaks of connections that the answer to the
 * one before is about to close. Returns what is called with each change.
 */
export function reportConnections(
  channel: Pick<Channel, 'ask'>,
  countOf: (network: string) => number,
  closeNewest: (network: string, count: number) => void,
): (network: string) => void {
  let changed = new Set<string>();
  let isReporting = false;

  async function report(): Promise<void> {
    isReporting = true;
    await endOfTurn();
    while (changed.size > 0) {
      const networks = changed;
      changed = new Set();
      const counts: NetworkCounts = [...networks].map((network) => [network, countOf(network)]);
      const surplus = await channel.ask<NetworkCounts>(COUNTS, counts);
      if (surplus === undefined) changed = changed.union(networks);
      for (const [network, count] of surplus ?? []) closeNewest(network, count);
    }
    isReporting = false;
  }

  return (network) => {
    changed.add(network);
    if (!isReporting) void report();
  };
}

/** The sum of all processes stays within the limit: what a process has gained beyond it is closed there. */
export function connectionsOfPrimary(ofAddressMax: number): GroupPart {
  const known = new Map<number, Map<string, number>>();
  const totals = new Map<string, number>();

  function add(network: string, count: number): number {
    const total = (totals.get(network) ?? 0) + count;
    if (total > 0) totals.set(network, total);
    else totals.delete(network);
    return total;
  }

  return {
    join: ({ pid, channel }) => {
      const ofMember = new Map<string, number>();
      known.set(pid, ofMember);
      channel.answer<NetworkCounts>(COUNTS, (counts): NetworkCounts => {
        const surplus: (readonly [string, number])[] = [];
        for (const [network, count] of counts) {
          const tooMany = Math.max(0, add(network, count - (ofMember.get(network) ?? 0)) - ofAddressMax);
          if (tooMany > 0) {
            surplus.push([network, tooMany]);
            add(network, -tooMany);
          }
          if (count > tooMany) ofMember.set(network, count - tooMany);
          else ofMember.delete(network);
        }
        return surplus;
      });
    },
    leave: ({ pid }) => {
      for (const [network, count] of known.get(pid) ?? []) add(network, -count);
      known.delete(pid);
    },
  };
}
