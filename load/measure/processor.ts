import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';

/** Shares of one core that were used while something ran; null where it is not a process of this machine. */
export interface CpuShares {
  /** This process, and psql where it ran one. */
  client: number;
  /** The process that answers, with its children. */
  service: number | null;
  /** All processes of the database server; of Citus those of all nodes. */
  database: number | null;
  /** Of that, the workers of Citus; absent where there are none. */
  workers?: number | null;
  redis: number | null;
  machine: number;
}

/** Fields of /proc/<pid>/stat behind the name, which stands in brackets and may hold spaces. */
function statOf(pid: number): { parent: number; own: number; ended: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, childUser = 0, childSystem = 0] = [1, 11, 12, 13, 14].map(
      (index) => fields[index],
    );
    /* In hundredths of a second. */
    return { parent, own: (user + system) / 100, ended: (childUser + childSystem) / 100 };
  } catch {
    return null;
  }
}

/** The server's first process, where it runs on this machine: the parent of the one behind this connection. */
export async function postmasterOf(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ pid: number; is_local: boolean }>(
    "SELECT pg_backend_pid() AS pid, coalesce(inet_server_addr() <<= '127.0.0.0/8', true) AS is_local",
  );
  const backend = rows[0];
  if (backend?.is_local !== true) return null;
  const name = () => readFileSync(`/proc/${backend.pid}/cmdline`, 'latin1');
  try {
    return name().includes('postgres') ? (statOf(backend.pid)?.parent ?? null) : null;
  } catch {
    return null;
  }
}

export function livingChildren(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(Number(name))?.parent === parent)
    .map(Number);
}

/** Of a process and its children. Those that have ended are counted with it, by the kernel; the others one by one. */
function familySeconds(parent: number | null): number | null {
  if (parent === null) return null;
  const first = statOf(parent);
  if (first === null) return null;
  return livingChildren(parent).reduce(
    (seconds, child) => seconds + (statOf(child)?.own ?? 0),
    first.own + first.ended,
  );
}

const both = (left: number | null, right: number | null) =>
  left === null || right === null ? null : left + right;

function secondsOfAll(parents: readonly (number | null)[]): number | null {
  return parents.map(familySeconds).reduce(both, 0);
}

/** Seconds of this process, and of its children that have ended: psql, which is the client of `\\copy`. */
function clientSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + (statOf(process.pid)?.ended ?? 0);
}

/**
 * What all programs of the machine used. Time that the host of a virtual machine gave to others counts as used; that of
 * interrupts belongs to nobody.
 */
function machineSeconds(): number {
  const [, user = 0, nice = 0, system = 0, , , , , stolen = 0] = (
    readFileSync('/proc/stat', 'latin1').split('\n')[0] ?? ''
  )
    .split(/ +/)
    .map(Number);
  return (user + nice + system + stolen) / 100;
}

export interface WatchedProcesses {
  service: number | null;
  postmaster: number | null;
  /** Postmasters of the workers of Citus. */
  workerPostmasters?: readonly (number | null)[];
  redis?: number | null;
}

/** Notes where CPU time stands; the function it returns tells what was used since. */
export function watchCpu(watched: WatchedProcesses): (seconds: number) => CpuShares {
  /* To look through all processes of the machine takes this one tens of milliseconds, which are no part of what is watched. */
  const ownAndAll = () => ({ client: clientSeconds(), machine: machineSeconds() });
  const { postmaster, workerPostmasters } = watched;
  const families = () => {
    const workers = secondsOfAll(workerPostmasters ?? []);
    return {
      service: familySeconds(watched.service),
      database: both(familySeconds(postmaster), workers),
      workers,
      redis: familySeconds(watched.redis ?? null),
    };
  };
  const before = { ...families(), ...ownAndAll() };
  return (seconds) => {
    const now = { ...ownAndAll(), ...families() };
    const share = (name: 'service' | 'database' | 'workers' | 'redis') => {
      const [end, begin] = [now[name], before[name]];
      return end === null || begin === null ? null : (end - begin) / seconds;
    };
    return {
      client: (now.client - before.client) / seconds,
      service: share('service'),
      database: share('database'),
      ...(workerPostmasters === undefined ? {} : { workers: share('workers') }),
      redis: share('redis'),
      machine: (now.machine - before.machine) / seconds,
    };
  };
}

/** Does some work, and tells the seconds and the processor time of service and database, which no neighbour changes. */
export async function timed<Result>(
  watched: WatchedProcesses,
  work: () => Promise<Result>,
): Promise<{ result: Result; seconds: number; processorSeconds: number }> {
  const sharesSince = watchCpu(watched);
  const begun = performance.now();
  const result = await work();
  const seconds = (performance.now() - begun) / 1000;
  const { service, database } = sharesSince(1);
  return { result, seconds, processorSeconds: (service ?? 0) + (database ?? Number.NaN) };
}

const QUIET_SHARE = 0.2;
const LOOK_MILLISECONDS = 400;

/** Waits until nothing else is at work on this machine, and tells the share of a core that still was at the end. */
export async function waitUntilQuiet(secondsMax: number): Promise<number> {
  const deadline = performance.now() + secondsMax * 1000;
  for (let looks = 0; ; looks += 1) {
    if (looks === 1)
      process.stderr.write(`  waiting up to ${secondsMax} s for a machine that does nothing else\n`);
    const busy = machineSeconds();
    const begin = performance.now();
    await wait(LOOK_MILLISECONDS);
    const share = (machineSeconds() - busy) / ((performance.now() - begin) / 1000);
    if (share < QUIET_SHARE || performance.now() > deadline) return share;
  }
}

/** Resident memory, bytes, of a process of this machine or of its largest child. */
export function residentBytes(pid: number): number {
  const bytesOf = (process: number) => {
    const text = readFileSync(`/proc/${process}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN) * 1024;
  };
  return Math.max(...[pid, ...livingChildren(pid)].map(bytesOf));
}
