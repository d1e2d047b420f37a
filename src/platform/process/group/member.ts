import type { Shutdown } from '../shutdown.ts';
import { type Channel, openChannel } from './channel.ts';
import type { GroupState } from './primary.ts';

/** The view of a process on the others at the same port, and its way to the one that began them all. */
export interface ProcessGroup {
  readonly size: number;
  readonly channel: Channel;
  /** Why the group as a whole should get no work yet; empty once all of it have been there. */
  missing(): string[];
}

/** For a process that was started by the primary of a group. It ends with the group, and in order. */
export function joinGroup(size: number, shutdown: Pick<Shutdown, 'begun' | 'begin'>): ProcessGroup {
  const channel = openChannel(process);
  let state: GroupState = { running: 0, wasReady: false };
  channel.hear<GroupState>('state', (now) => {
    state = now;
  });
  /* A terminal, or systemd, may have sent the same signal to every process itself. */
  channel.hear<string>('end', (reason) => {
    if (!shutdown.begun) void shutdown.begin(reason);
  });
  return {
    size,
    channel,
    missing: () => (state.wasReady ? [] : [`${state.running} of ${size} API processes are ready`]),
  };
}
