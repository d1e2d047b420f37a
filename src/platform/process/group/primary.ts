import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from '../../log/logger.ts';
import { relayLines } from '../../log/relay.ts';
import type { Shutdown } from '../shutdown.ts';
import { type Channel, openChannel } from './channel.ts';
import { createRestarts } from './restarts.ts';

/** A process of the group, as the primary sees it. */
export interface Member {
  readonly pid: number;
  readonly channel: Channel;
}

/** What the primary tells every member when it changes. */
export interface GroupState {
  readonly running: number;
  /** All of them have been there at the same time: from then on the service works, also with one less. */
  readonly wasReady: boolean;
}

/** Something that the members do together, with the primary in between. */
export interface GroupPart {
  /** Before the process has said anything. `members`: those that run at the moment of the call, this one among them. */
  join(member: Member, members: () => readonly Member[]): void;
  leave?(member: Member): void;
}

export interface GroupOptions {
  size: number;
  log: Logger;
  shutdown: Pick<Shutdown, 'begun' | 'begin' | 'add'>;
  parts: readonly GroupPart[];
  /** Once, when all of them listen. */
  onReady(url: string): void;
}

interface RunningMember extends Member {
  readonly child: ChildProcess;
  /** Null until it listens. */
  readyAt: number | null;
}

/**
 * Runs this program in several processes that share one port. This process, the primary, takes connections and hands them
 * out in turn; it reads no request. Round robin, not the kernel's choice among sockets of one port (SO_REUSEPORT):
 * connections of gateways live for days, and a hash of few of them is uneven for as long.
 *
 * The first process starts alone, so that what is wrong is said once; the others follow when it listens. One that ends is
 * replaced. All of them end with the primary, however that ends.
 */
export function runGroup(options: GroupOptions): Promise<void> {
  const { size, log, shutdown, parts } = options;
  const members = new Map<number, RunningMember>();
  const restarts = createRestarts();
  const relay = relayLines(log);
  let wasReady = false;
  let badEnds = 0;
  const ready = Promise.withResolvers<void>();

  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  shutdown.add('API processes', async () => {
    const ended = [...members.values()].map(({ child }) => once(child, 'close'));
    for (const { channel } of members.values()) channel.tell('end', 'the primary process ends');
    await Promise.all(ended);
    if (badEnds > 0) throw new Error(`${badEnds} of the API processes did not end in order`);
  });

  function startMember(): void {
    if (shutdown.begun || members.size >= size) return;
    const child = cluster.fork().process;
    const pid = child.pid ?? 0;
    const member: RunningMember = { pid, channel: openChannel(child), child, readyAt: null };
    members.set(pid, member);
    if (child.stdout !== null) relay(child.stdout);
    for (const part of parts) part.join(member, () => [...members.values()]);
    member.channel.hear<string>('listening', (url) => onListening(member, url));
    /* Not its exit: its last lines may come after that. */
    child.on('close', (code, signal) => onEnd(member, code, signal));
  }

  function onListening(member: RunningMember, url: string): void {
    member.readyAt = performance.now();
    const isFirstTime = !wasReady && runningCount() === size;
    wasReady ||= isFirstTime;
    tellState();
    if (wasReady && !isFirstTime) return;
    for (let count = members.size; count < size; count += 1) startMember();
    if (isFirstTime) {
      options.onReady(url);
      ready.resolve();
    }
  }

  function onEnd(member: RunningMember, code: number | null, signal: NodeJS.Signals | null): void {
    members.delete(member.pid);
    for (const part of parts) part.leave?.(member);
    if (shutdown.begun) {
      if (code !== 0) badEnds += 1;
      if (members.size === 0) ready.resolve();
      return;
    }
    tellState();
    const { pid, readyAt } = member;
    const pause = restarts.pauseAfter(readyAt === null ? null : performance.now() - readyAt);
    if (readyAt === null && runningCount() === 0 && !wasReady) {
      log.fatal({ pid, code, signal }, 'the first API process did not start');
      void shutdown.begin('the first API process did not start', 1);
    } else if (pause === null) {
      log.fatal({ pid, code, signal }, 'API processes end at once, again and again');
      void shutdown.begin('API processes end at once', 1);
    } else {
      const level = code === 0 ? 'warn' : 'error';
      log[level](
        { pid, code, signal, pauseMilliseconds: pause },
        'API process ended, another one takes its place',
      );
      setTimeout(startMember, pause);
    }
  }

  function runningCount(): number {
    return [...members.values()].filter(({ readyAt }) => readyAt !== null).length;
  }

  function tellState(): void {
    const state: GroupState = { running: runningCount(), wasReady };
    for (const { channel } of members.values()) channel.tell('state', state);
  }

  startMember();
  return ready.promise;
}
