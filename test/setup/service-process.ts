import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { nodeEnvironment } from './node-environment.ts';

export interface ServiceProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The lines of its log so far, parsed where they are JSON. */
  readonly lines: readonly Record<string, unknown>[];
  /** Of its log so far, the lines that are not what JSON would write for them: a member stands in them twice. */
  readonly oddLines: readonly string[];
  /** What it wrote to standard error. */
  errors(): string;
  /** The first line with this message, whether it was written already or comes later. Fails when the process ends before. */
  line(message: string | RegExp): Promise<Record<string, unknown>>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Ends it by SIGKILL if it still runs. */
  kill(): Promise<void>;
}

/** Shorter than the limit of a long test, whose error would not say what the process wrote. */
const LINE_MILLISECONDS_MAX = 600_000;

/** A real process of the service, with this environment and nothing of the caller's beside what Node needs to start. */
export function startService(
  program: 'src/main.ts' | 'workers/main.ts' | 'src/cli/main.ts',
  environment: Record<string, string>,
  ...args: readonly string[]
): ServiceProcess {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: projectFolder,
    env: { ...nodeEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { stdout, stderr } = child;
  if (child.pid === undefined || stdout === null || stderr === null)
    throw new Error(`${program} did not start`);

  const lines: Record<string, unknown>[] = [];
  const oddLines: string[] = [];
  const waiting = new Set<() => void>();
  const reading = createInterface({ input: stdout });
  reading.on('line', (text) => {
    const read = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { msg: text };
    if (text.startsWith('{') && JSON.stringify(read) !== text) oddLines.push(text);
    lines.push(read);
    for (const look of waiting) look();
  });
  let errors = '';
  stderr.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));

  function line(message: string | RegExp): Promise<Record<string, unknown>> {
    const fits = (text: unknown) =>
      typeof message === 'string' ? text === message : message.test(String(text));
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = lines.find((line) => fits(line.msg));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      const fail = (what: string) => {
        const said = lines.map((line) => JSON.stringify(line)).join('\n');
        reject(new Error(`${program} ${what} ${message}:\n${said}\n${errors}`));
      };
      void ended.then(({ code }) => fail(`ended with ${code} before it said`));
      setTimeout(() => fail('did not say'), LINE_MILLISECONDS_MAX).unref();
    });
  }

  return {
    pid: child.pid,
    child,
    lines,
    oddLines,
    errors: () => errors,
    line,
    ended,
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}
