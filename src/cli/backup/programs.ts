import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { postgresProgram } from '../../../scripts/local-services.ts';
import { commandIo } from '../engine/io.ts';

/** Lines of its complaints that are shown. */
const LINES_SHOWN = 20;
const COMPLAINT_CHARACTERS_MAX = 100_000;

/** A client program of PostgreSQL: that of the private servers, else the machine's own. */
export function clientProgram(name: string): string {
  const unpacked = postgresProgram(name);
  return existsSync(unpacked) ? unpacked : name;
}

/** The address without its password, which every process of the machine could read, and the environment that has it. */
export function connectionOf(url: string): {
  address: string;
  environment: Record<string, string | undefined>;
} {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = '';
  return { address: address.href, environment: { ...commandIo().environment, PGPASSWORD: password } };
}

/** The first that is new enough: `pg_dump` reads no newer server, `pg_restore` no newer dump. */
export async function fitProgram(name: string, majorMin: number): Promise<string> {
  const own = clientProgram(name);
  if (own !== name && (await majorOf(own, majorMin)) >= majorMin) return own;
  const major = await majorOf(name, majorMin);
  if (major >= majorMin) return name;
  throw new Error(
    `${name} on the path is of PostgreSQL ${major}: install that of ${majorMin} or newer, and put it first in PATH`,
  );
}

async function majorOf(program: string, majorMin: number): Promise<number> {
  const { environment: env } = commandIo();
  const { stdout } = await promisify(execFile)(program, ['--version'], { env }).catch((error: Error) => {
    throw new Error(
      `${program} cannot be run (${error.message}): install the client of PostgreSQL ${majorMin}`,
    );
  });
  return Number(/(\d+)[.\d]*/.exec(stdout)?.[1] ?? 0);
}

/** Its streams, and its end, which throws with its complaints. */
export function startProgramOf(
  program: string,
  args: readonly string[],
  environment: Record<string, string | undefined>,
): { input: Writable; output: Readable; ended: Promise<void> } {
  const child = spawn(program, args, { env: environment });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-COMPLAINT_CHARACTERS_MAX);
  });
  const end = async (): Promise<void> => {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 1));
    });
    if (exitCode === 0) return;
    const lines = complaint.trim().split('\n').slice(-LINES_SHOWN);
    throw new Error(`${basename(program)} ended with ${exitCode}:\n${lines.join('\n')}`);
  };
  return { input: child.stdin, output: child.stdout.setEncoding('utf8'), ended: end() };
}

/** Runs it to its end, with nothing to read and nobody who reads what it writes. */
export async function runProgramOf(...command: Parameters<typeof startProgramOf>): Promise<void> {
  const { input, output, ended } = startProgramOf(...command);
  input.end();
  output.resume();
  await ended;
}
