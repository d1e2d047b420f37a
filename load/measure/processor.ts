import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';

/** Shares of one core that were used while something ran; null where it is not a process of this machine. */
export interface CpuShares {
  client: number;
  /** The API process. */
  service: number | null;
  /** All processes of the database server. */
  database: number | null;
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

/** Children that have ended are counted with their parent, by the kernel; the others one by one. */
function databaseSeconds(postmaster: number): number {
  const first = statOf(postmaster);
  if (first === null) return Number.NaN;
  let seconds = first.own + first.ended;
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (stat?.parent === postmaster) seconds += stat.own;
  }
  return seconds;
}

function machineSeconds(): number {
  const milliseconds = os
    .cpus()
    .reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
  return milliseconds / 1000;
}

export interface WatchedProcesses {
  service: number | null;
  postmaster: number | null;
}

/** Notes where CPU time stands; the function it returns tells what was used since. */
export function watchCpu(watched: WatchedProcesses): (seconds: number) => CpuShares {
  const { service, postmaster } = watched;
  const readers = {
    service: () => (service === null ? null : (statOf(service)?.own ?? null)),
    database: () => (postmaster === null ? null : databaseSeconds(postmaster)),
    machine: machineSeconds,
  };
  const own = process.cpuUsage();
  const before = { service: readers.service(), database: readers.database(), machine: readers.machine() };
  const share = (now: number | null, then: number | null, seconds: number) =>
    now === null || then === null ? null : (now - then) / seconds;
  return (seconds) => {
    const used = process.cpuUsage(own);
    return {
      client: (used.user + used.system) / 1e6 / seconds,
      service: share(readers.service(), before.service, seconds),
      database: share(readers.database(), before.database, seconds),
      machine: (readers.machine() - before.machine) / seconds,
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
  for (;;) {
    const busy = machineSeconds();
    const begin = performance.now();
    await wait(LOOK_MILLISECONDS);
    const share = (machineSeconds() - busy) / ((performance.now() - begin) / 1000);
    if (share < QUIET_SHARE || performance.now() > deadline) return share;
  }
}

/** Resident memory of a process of this machine, bytes. */
export function residentBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN) * 1024;
}
