import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { freePortFrom } from '../../src/cli/local/ports.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { WrongUse } from '../surroundings/failures.ts';

/** A database of somebody else that takes the same rows over HTTP: on loopback, with a folder of the run's own. */
export interface OtherServer {
  readonly name: string;
  readonly pid: number;
  /** Takes line protocol with instants in seconds and answers 204. */
  readonly writeUrl: string;
  /** Rows that it has stored. */
  count(): Promise<number>;
}

export interface OtherProgram {
  name: string;
  /** The option that named the program, for what goes wrong with it. */
  option: string;
  program: string;
  /** What it is started with, once its folder is there. */
  parameters(folder: string, port: number): Promise<string[]>;
  /** Answers with 2xx when the server takes rows. */
  readyPath: string;
}

const PORTS_FROM = 4600;
const READY_SECONDS_MAX = 30;
const STOP_SECONDS_MAX = 10;

/** Starts the program; it is ended and its folder removed when the run is over. */
export async function startProgram(
  { name, option, program, parameters, readyPath }: OtherProgram,
  cleanup: Cleanup,
): Promise<{ pid: number; url: string }> {
  const folder = join(dataFolder, 'load', name.toLowerCase());
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const port = await freePortFrom(PORTS_FROM);
  const words = await parameters(folder, port);
  const log = openSync(join(dataFolder, 'load', `${name.toLowerCase()}.log`), 'w');
  const server = spawn(program, words, { stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = once(server, 'exit').then(
    ([code, signal]) => `it ended (${code ?? signal})`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  cleanup.add(async () => {
    server.kill('SIGTERM');
    const late = setTimeout(() => server.kill('SIGKILL'), STOP_SECONDS_MAX * 1000);
    await ended;
    clearTimeout(late);
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  const problem = await Promise.race([untilReady(url + readyPath), ended]);
  if (problem !== null || server.pid === undefined) {
    throw new WrongUse(`${option}: ${program} cannot be used: ${problem}`);
  }
  return { pid: server.pid, url };
}

/** Null when it answers; else what is wrong. */
async function untilReady(url: string): Promise<string | null> {
  const deadline = performance.now() + READY_SECONDS_MAX * 1000;
  while (performance.now() < deadline) {
    const response = await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => null);
    if (response?.ok) return null;
    await wait(100);
  }
  return `no answer after ${READY_SECONDS_MAX} s`;
}
