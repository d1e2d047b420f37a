import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Environment, processEnvironment } from '../../config/config.ts';
import type { CommandIo } from './io.ts';

/** What the process itself has: its environment, its streams, its signals. */
export function processIo(): CommandIo {
  const { stdout, stderr, stdin } = process;
  /* `… | head` closes the pipe when it has seen enough. What the command does is done to its end all the same. */
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const environment = processEnvironment();
  return { environment, startedBy: starterOf(environment), stdout, stderr, stdin, interruption, page };
}

/** npm says its script and where it was called, `run` of docs/deployment.md the second alone. */
function starterOf({ npm_lifecycle_event, INIT_CWD }: Environment): CommandIo['startedBy'] {
  if (npm_lifecycle_event !== undefined) return undefined;
  return INIT_CWD === undefined ? 'node' : 'run';
}

/** Aborted by the first Ctrl-C, the second one ends the process; and when the process that started this one is gone. */
function interruption(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  process.once('disconnect', () => stopping.abort());
  /* Else the channel to that process would keep this one alive when its work is done. */
  process.channel?.unref();
  return stopping.signal;
}

async function page(pager: string, text: string): Promise<void> {
  /* A pager handles Ctrl-C itself: it ends a search, not the pager. */
  const goOn = () => {};
  process.on('SIGINT', goOn);
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] });
  /* Who leaves before the end has seen enough. */
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  await once(child, 'close');
  process.off('SIGINT', goOn);
}
