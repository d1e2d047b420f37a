import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodeEnvironment } from '../setup/node-environment.ts';
import type { CommandResult } from './command-line.ts';

/*
 * The operator's command line as a process of its own, for what a process has of its own: exit codes, streams, signals,
 * memory, a clock or packages of its own. All other tests run it in their own process: `command-line.ts`.
 */

export const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** With this environment and nothing of the shell's; `typed` is its standard input. */
export function runCommandProcess(
  environment: Record<string, string>,
  args: readonly string[],
  typed = '',
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env: { ...nodeEnvironment(), ...environment } };
    const child = execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ exitCode, stdout, stderr });
    });
    child.stdin?.end(typed);
  });
}
