import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { nodeEnvironment } from '../setup/node-environment.ts';

/** Has a step of its end that takes a moment. */
const PROGRAM = `
  import { runProcess } from './src/platform/process/run-process.ts';
  await runProcess({
    name: 'program',
    readConfig: () => ({ LOG_LEVEL: 'info' }),
    start: async (_config, _log, shutdown) => {
      shutdown.add('what is under way', () => new Promise((done) => setTimeout(done, 50)));
      process.send('ready');
    },
  });`;

test('a process whose starting process is gone ends in order, as after SIGTERM', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    cwd: projectFolder,
    env: nodeEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (child.stdout === null) throw new Error('It has no output');
  const written = text(child.stdout);
  /* Not its `close`: that does not come where the channel was closed from here. */
  const ended = once(child, 'exit');
  await once(child, 'message');
  child.disconnect();
  expect(await ended).toEqual([0, null]);
  const lines = await written;
  expect(lines).toContain('shutdown complete');
  expect(lines).not.toContain('shutdown forced');
});
