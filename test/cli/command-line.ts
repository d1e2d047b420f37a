import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodeEnvironment } from '../setup/node-environment.ts';

export const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs the operator's command line as a process of its own, with this environment and nothing of the shell's. */
export function runCommand(
  environment: Record<string, string>,
  ...args: readonly string[]
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env: { ...nodeEnvironment(), ...environment } };
    const child = execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ exitCode, stdout, stderr });
    });
    /* Nobody is there to answer. */
    child.stdin?.end();
  });
}
