import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { dataFolder, passageMode, projectFolder } from '../../../scripts/data-folder.mjs';
import type { StartFacts } from '../../../src/cli/local/facts.ts';

const COPIED = ['docs', 'package.json', 'reference', 'scripts', 'sql', 'src', 'workers'];
/** Fetched once for the project: a clone of the tests takes them from there instead of from the mirror. */
const SHARED = ['libatomic', 'servers'];

/** Runs a command line in a terminal of its own, and shows what that shows. */
const TERMINAL = ['script', '--quiet', '--flush', '--return', '--command'];

/** `npm start` in a clone, as it was typed there. */
export interface RunningStart {
  readonly process: ChildProcess;
  /** What was printed so far. */
  output(): string;
  errors(): string;
  /** Resolves when this was printed; rejects with everything that was, when the start ended before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** To the whole process group, as a terminal sends Ctrl-C. */
  signal(name: NodeJS.Signals): void;
  /** The exit code, once it has ended. */
  ended(): Promise<number | null>;
}

export interface Clone {
  readonly folder: string;
  start(...parameters: string[]): RunningStart;
  /** The same in a terminal of 24 lines of 80 characters; its process is the terminal. */
  startInTerminal(...parameters: string[]): RunningStart;
  /** A command line in this clone, by a shell, with npm and the machine's own programs. */
  shell(text: string): { stdout: string; stderr: string; status: number | null };
  facts(): Promise<StartFacts>;
  /** Everything that runs in this folder, or with a path of it in its arguments. */
  processes(): number[];
  remove(): Promise<void>;
}

/** A copy of the project's files in a folder of its own, with nothing started in it yet. */
export async function makeClone(): Promise<Clone> {
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-clone-'));
  await chmod(folder, 0o755);
  for (const name of COPIED) await cp(join(projectFolder, name), join(folder, name), { recursive: true });
  await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, '.data'), { mode: passageMode });
  for (const name of SHARED) {
    const shared = join(dataFolder, name);
    if (existsSync(shared)) await symlink(shared, join(folder, '.data', name));
  }
  return {
    folder,
    start: (...parameters) => startIn(folder, parameters, []),
    startInTerminal: (...parameters) => startIn(folder, parameters, TERMINAL),
    shell(text) {
      const options = { cwd: folder, env: environment(), encoding: 'utf8' } as const;
      const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', text], options);
      return { stdout, stderr, status };
    },
    facts: async () => JSON.parse(await readFile(join(folder, '.data/start.json'), 'utf8')) as StartFacts,
    processes: () => processesOf(folder),
    async remove() {
      for (const pid of processesOf(folder)) process.kill(pid, 'SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/**
 * What a shell has, without the servers that this run of the tests may have been given, and without the pinned Node:
 * npm links it into a folder that it puts before all others.
 */
function environment(): Record<string, string> {
  const isOurs = (each: string) => each === dirname(process.execPath) || each.endsWith('/node_modules/.bin');
  const path = (process.env.PATH ?? '').split(delimiter).filter((each) => !isOurs(each));
  return { PATH: path.join(delimiter), HOME: process.env.HOME ?? '/' };
}

/** Without a word about prices it would look for real ones: no test asks a real source. */
function startIn(folder: string, given: string[], through: readonly string[]): RunningStart {
  const parameters = given.includes('--prices') ? given : [...given, '--prices', 'synthetic'];
  const command = ['npm', 'run', '--silent', 'start', '--', ...parameters];
  const [program = '', ...words] =
    through.length === 0
      ? command
      : [...through, `stty cols 80 rows 24; exec ${command.join(' ')}`, '/dev/null'];
  const child = spawn(program, words, {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let errors = '';
  const watchers = new Set<() => void>();
  const tell = () => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString('utf8');
    tell();
  });
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString('utf8');
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  void ended.then(tell);
  return {
    process: child,
    output: () => output,
    errors: () => errors,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          const found = pattern.exec(output);
          if (found === null && child.exitCode === null && child.signalCode === null) return;
          watchers.delete(watch);
          if (found === null) reject(new Error(`ended without ${pattern}:\n${output}${errors}`));
          else resolve(found);
        };
        watchers.add(watch);
        watch();
      }),
    signal: (name) => process.kill(-(child.pid ?? 0), name),
    ended: () => ended,
  };
}

function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && belongsTo(pid, folder));
}

function belongsTo(pid: number, folder: string): boolean {
  try {
    /* A process that has ended and was not collected yet has no arguments any more. */
    const parameters = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return (
      parameters !== '' &&
      (parameters.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).startsWith(folder))
    );
  } catch {
    return false;
  }
}
