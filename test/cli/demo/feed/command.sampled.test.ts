import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { projectFolder } from '../../../../scripts/data-folder.mjs';
import { nodeEnvironment } from '../../../setup/node-environment.ts';
import { sampled } from '../../../setup/tier.ts';

const started: ReturnType<typeof start>[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function start(...parameters: string[]) {
  const child = spawn(process.execPath, [join(projectFolder, 'src/cli/demo/feed.ts'), ...parameters], {
    env: nodeEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return child;
}

/** Starts the feed and reads what it says when it listens. */
async function startFeedProcess(...parameters: string[]) {
  const child = start('--port', '0', ...parameters);
  started.push(child);
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, said: said.toString('utf8') };
}

/** What a process says that ends by itself. */
async function run(...parameters: string[]) {
  const child = start(...parameters);
  const [[code], errors, output] = await Promise.all([
    once(child, 'exit'),
    text(child.stderr),
    text(child.stdout),
  ]);
  return { code, errors, output };
}

test('it says where it is and what it is, serves, and ends on Ctrl-C', async () => {
  const { child, said } = await startFeedProcess();
  expect(said).toMatch(
    /^Synthetic price feed at http:\/\/127\.0\.0\.1:\d+: invented values .*, no market prices\.\n/,
  );
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '';
  expect((await fetch(`${url}/_feed`)).status).toBe(200);
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

test('with --json one object; switches and clock come as flags', async () => {
  const { said } = await startFeedProcess(
    ...['--json', '--now', '2026-11-20T10:00:00+01:00'],
    ...['--switch', 'smard.status=503', '--switch', 'entsoe.curve=A01', '--switch', 'entsoe.delay_minutes=5'],
  );
  const facts = JSON.parse(said) as { url: string; synthetic: boolean; sources: Record<string, string> };
  expect(facts.synthetic).toBe(true);
  expect(facts.sources['energy-charts']).toBe(`${facts.url}/energy-charts`);
  const state = await (await fetch(`${facts.url}/_feed`)).json();
  expect(state).toMatchObject({
    now: '2026-11-20T09:00:00.000Z',
    smard: { status: 503 },
    entsoe: { curve: 'A01', delay_minutes: 5 },
  });
});

const REFUSED = [
  [['--switch', 'smard.status=418'], 2, 'smard.status: '],
  [['--switch', 'tibber.status=503'], 2, 'tibber'],
  [['--now', 'tomorrow'], 2, 'now: '],
  [['--port', '70000'], 2, '--port'],
] as const;

test.for(sampled(REFUSED, 4))('%j is refused with a sentence', async ([parameters, code, sentence]) => {
  const ended = await run('--port', '0', ...parameters);
  expect([ended.code, ended.output]).toEqual([code, '']);
  expect(ended.errors).toContain(sentence);
});

test('a port that is taken is a sentence, not a stack', async () => {
  await using taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { code, errors } = await run('--port', String((taken.address() as AddressInfo).port));
  expect(code).toBe(1);
  expect(errors).toContain('EADDRINUSE');
  expect(errors).not.toContain('    at ');
});
