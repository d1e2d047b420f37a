import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { dataFolder, projectFolder } from '../../../scripts/data-folder.mjs';
import { waitUntilGone } from '../../../scripts/local-services/server-processes.ts';
import type { StartFacts } from '../../../src/cli/local/facts.ts';
import { type Clone, makeClone, type RunningStart } from './clone.ts';
import { countRows, countsOf, isReady } from './stored.ts';

/* The tests of this file tell one story: they start, look, disturb and stop in this order. */

const isPrivate = existsSync(join(dataFolder, 'servers')) && inject('servers').arePrivate;
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const PATIENCE_MILLISECONDS = 600_000;
const BLOCK_END = /Ctrl-C stops all of this/;

let clone: Clone;
let neighbour: Clone;
let running: RunningStart;
let neighbourRunning: RunningStart;
let facts: StartFacts;

/** Empty where it has ended meanwhile, as processes of the database do for each connection. */
function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const story = (name: string, work: () => Promise<void>) =>
  test.skipIf(!isPrivate)(name, { timeout: PATIENCE_MILLISECONDS }, work);

beforeAll(async () => {
  if (!isPrivate) return;
  [clone, neighbour] = await Promise.all([makeClone(), makeClone()]);
}, PATIENCE_MILLISECONDS);

afterAll(async () => {
  if (!isPrivate) return;
  await Promise.all([clone.remove(), neighbour.remove()]);
}, PATIENCE_MILLISECONDS);

test('minutes that are no number are refused before anything is started', () => {
  const given = ['src/cli/demo/start.ts', '--minutes', 'ten'];
  const { status, stderr } = spawnSync(process.execPath, given, { cwd: projectFolder, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    "error: option '--minutes <number>' argument 'ten' is invalid. A number above 0 and at most 35000.\n",
  ]);
});

story('two clones that start at the same moment both become ready, each at its own address', async () => {
  running = clone.start('--no-demo');
  neighbourRunning = neighbour.start('--minutes', '0.15');
  await Promise.all([running.printed(BLOCK_END), neighbourRunning.printed(BLOCK_END)]);
  facts = await clone.facts();
  const others = await neighbour.facts();
  for (const name of ['base_url', 'database_url', 'redis_url', 'client_secret'] as const) {
    expect(facts[name]).not.toBe(others[name]);
  }
  expect([await isReady(facts), await isReady(others)]).toEqual([200, 200]);
});

story('a start prints what was brought up, the addresses and the demo key', async () => {
  const lines = running.output();
  expect(lines).toMatch(/✓ Node 26\.10\.0/);
  expect(lines).toMatch(/✓ PostgreSQL with TimescaleDB \(private, 127\.0\.0\.1:\d+\)/);
  expect(lines).toMatch(/✓ Redis or Valkey \(private, 127\.0\.0\.1:\d+\)/);
  expect(lines).toMatch(/✓ schema migrated \(\d+ files\)/);
  expect(lines).toMatch(/✓ reference data imported \(\d+ rows\)/);
  expect(lines).toMatch(/✓ API (\(\d processes\) )?and worker ready$/m);
  expect(lines).toContain(`API      ${facts.base_url} `);
  expect(lines).toContain(`client_id ${facts.client_id}\n           client_secret ${facts.client_secret}`);
  expect(lines).toMatch(/prices: synthetic \(made up by http:\/\/127\.0\.0\.1:\d+/);
  expect(lines).toMatch(/Console {2}http:\/\/127\.0\.0\.1:\d+\/console as demo@example\.org/);
  expect(lines).not.toContain('\u001b[');
  expect(running.errors()).toBe('');
});

story('.data/start.json says where everything is, to its owner only', async () => {
  expect((await stat(join(clone.folder, '.data/start.json'))).mode & 0o777).toBe(0o600);
  expect(facts).toMatchObject({
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    organization: expect.stringMatching(/^org_[0-9a-z]{24}$/),
    client_id: expect.stringMatching(/^oac_[0-9a-z]{24}$/),
    client_secret: expect.stringMatching(/^ocs_\w{43}$/),
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\w+$/),
    household: expect.stringMatching(/^dom_[0-9a-z]{24}$/),
    snapshot_table: 'asset_snapshots',
    prices: 'synthetic',
    feed_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  });
  expect(facts.assets.map((asset) => asset.type).sort()).toEqual([
    'battery',
    'heat_pump',
    'household_net',
    'household_residual',
    'inverter',
    'solar',
    'wallbox',
  ]);
  for (const asset of facts.assets) expect(Object.keys(asset).sort()).toEqual(['external_id', 'id', 'type']);
  expect(await countRows(facts)).toBe(0);
  const redis = new Redis(facts.redis_url);
  expect(await redis.ping()).toBe('PONG');
  redis.disconnect();
});

story('API and worker keep their compiled code in this folder, where the next start finds it', async () => {
  const kept = `NODE_COMPILE_CACHE=${join(clone.folder, '.data/compiled')}`;
  for (const pid of [facts.api_pid, facts.worker_pid]) {
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')).toContain(kept);
  }
});

story('every file with a secret is for its owner only', async () => {
  for (const name of ['keys.json', 'local.env', 'running.json', 'local/services.json', 'logs/api.log']) {
    expect({ name, mode: (await stat(join(clone.folder, '.data', name))).mode & 0o077 }).toEqual({
      name,
      mode: 0,
    });
  }
});

test.skipIf(!isPrivate || !hasCurl)('the three printed lines work when they are pasted', () => {
  const lines = running.output().split('\n');
  const from = lines.indexOf('  Try') + 1;
  const { stdout, stderr } = clone.shell(lines.slice(from, from + 3).join('\necho\n'));
  const [, sent = '', read = ''] = stdout.split('\n');
  expect(stderr).toBe('');
  expect(JSON.parse(sent)).toMatchObject({ total: 1, stored: 1, duplicates: 0 });
  const { items } = JSON.parse(read) as { items: { power_kw: number }[] };
  expect(items.map((item) => item.power_kw)).toEqual([-3.2]);
});

story('"cli env" gives a shell what a request needs', async () => {
  const names = ['BASE', 'TOKEN', 'HOUSEHOLD', 'ASSET', 'NOW'];
  const print = names.map((name) => `"$${name}"`).join(' ');
  const { stdout, stderr } = clone.shell(`eval "$(npm run -s cli -- env)"; printf '%s\\n' ${print}`);
  const [base, token, household, asset, now] = stdout.split('\n');
  expect({ base, household, stderr }).toEqual({
    base: facts.base_url,
    household: facts.household,
    stderr: '',
  });
  expect(asset).toBe(facts.assets.find((each) => each.type === 'solar')?.id);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'x-api-version': '2026-09-08.gauss',
  };
  const body = JSON.stringify({ household, snapshots: [{ asset, timestamp: now, power_kw: -1.5 }] });
  const send = () => fetch(`${base}/asset-snapshots`, { method: 'POST', headers, body });
  const first = await send();
  expect([first.status, await first.json()]).toMatchObject([200, { total: 1, stored: 1, duplicates: 0 }]);
  expect(await (await send()).json()).toMatchObject({ total: 1, stored: 0, duplicates: 1 });
});

/** The commands of the README's proofs, each with what it says that comes out. */
async function proofs(): Promise<{ command: string; shown: string }[]> {
  const text = await readFile(join(projectFolder, 'README.md'), 'utf8');
  const section = /## Four proofs\n(.*?)\n!\[/s.exec(text)?.[1] ?? '';
  const code = section.replaceAll(/^ {4}/gm, '').replace(/^.*?^eval [^\n]*\n/ms, '');
  return [...code.matchAll(/^([^→]+)^→ (.*)$/gm)].map(([, command = '', shown = '']) => ({ command, shown }));
}

test.skipIf(!isPrivate || !hasCurl)('the proofs of the README come out as it says', async () => {
  const found = await proofs();
  expect(found).toHaveLength(5);
  const text = found.map(({ command }) => `${command.trim()}\nprintf '\\n#\\n'`).join('\n');
  const { stdout, stderr } = clone.shell(`eval "$(npm run -s cli -- env)"\n${text}`);
  expect(stderr).toBe('');
  const outputs = stdout.split('\n#\n');
  for (const [index, { shown }] of found.entries()) {
    const output = outputs[index]?.trim() ?? '';
    if (!shown.startsWith('{')) continue;
    const pieces = (shown.split(/ {3}/)[0] ?? '').split('…');
    for (const piece of pieces) expect(output).toContain(piece);
  }
  expect(outputs[3]).toMatch(/Grundgebühr.*Netzentgelte/s);
  expect(outputs[4]).toMatch(/^ *3$/m);
});

story(
  'prices of yesterday to tomorrow are there when the block is; history and frozen forecasts follow',
  async () => {
    expect(running.output()).toMatch(/✓ synthetic prices, [23] of the days yesterday to tomorrow complete/);
    await running.printed(/prices: 600 days of history are there/);
    const [days] = await countsOf(facts, `SELECT count(*)::int FROM price_days WHERE state = 'complete'`);
    expect(days?.count).toBeGreaterThanOrEqual(601);
    const [frozen] = await countsOf(
      facts,
      `SELECT count(*)::int FROM price_forecast_frozen
      WHERE delivery_on = (now() AT TIME ZONE 'Europe/Berlin')::date AND NOT late`,
    );
    expect(frozen?.count).toBe(1);
    const { stdout, status } = clone.shell('npm run -s cli -- prices status --json');
    expect(status).toBe(0);
    const { days: shown } = JSON.parse(stdout) as { days: { state: string }[] };
    expect(shown.slice(0, 14).every((day) => day.state === 'complete')).toBe(true);
  },
);

story('a database that began with synthetic prices never gets real ones', async () => {
  running.process.kill('SIGTERM');
  expect(await running.ended()).toBe(0);
  const other = clone.start('--no-demo', '--prices', 'real');
  expect(await other.ended()).toBe(1);
  expect(other.errors()).toBe(
    'Not started with real prices: this database holds synthetic ones. To begin anew: npm run services -- reset\n',
  );
  running = clone.start('--no-demo');
  await running.printed(BLOCK_END);
  expect(running.output()).toContain('keeps to them until: npm run services -- reset');
  facts = await clone.facts();
});

story('an analyst of the demo reads its views by one command, without a password', async () => {
  const query = `npm run -s db -- psql --as analyst -A -t -c "select current_user, (select count(*) from households)"`;
  const answer = clone.shell(query);
  expect({ stdout: answer.stdout, stderr: answer.stderr }).toEqual({
    stdout: expect.stringMatching(/^voltstream_analyst_demo_[0-9a-z]{10}\|[1-9]\d\n$/),
    stderr: '',
  });
  const others = clone.shell('npm run -s db -- psql --as analyst -c "select 1 from public.households"');
  expect(others.stderr).toContain('permission denied for schema public');
  const [, line = ''] = /^(npm run .*--as analyst.*)$/m.exec(running.output()) ?? [];
  expect(clone.shell(line)).toMatchObject({ status: 0, stderr: '' });
});

story('who opens psql as an analyst in a terminal is shown the views, each with one line', async () => {
  const { stdout } = clone.shell(
    `printf '\\\\q\\n' | script --quiet --return --command 'stty cols 100; npm run -s db -- psql --as analyst' /dev/null`,
  );
  expect(stdout).toMatch(/^newest_snapshots +The newest measured value of each asset/m);
  expect(stdout).toContain('SELECT * FROM newest_snapshots LIMIT 3;');
  expect(stdout).toContain('analyst=> ');
});

story('"db psql" looks into the database without any setting', async () => {
  const { stdout, stderr } = clone.shell(
    `npm run -s db -- psql -A -t -c 'select count(*) from asset_snapshots'`,
  );
  expect({ stdout, stderr }).toEqual({ stdout: `${await countRows(facts)}\n`, stderr: '' });
});

story('a second start in the same folder says where the first one runs, and disturbs nothing', async () => {
  const second = clone.start();
  expect(await second.ended()).toBe(1);
  expect(second.errors()).toBe(
    `Not started: it runs already at ${facts.base_url}. Data and keys of this folder are in use.\n`,
  );
  expect(await isReady(facts)).toBe(200);
  expect(
    (await readdir(join(clone.folder, '.data'))).filter((name) => name.startsWith('start.lock')),
  ).toEqual(['start.lock']);
});

story('a start whose demo client is switched off says so and goes on', async () => {
  const cli = (act: string) =>
    clone.shell(`npm run -s cli -- clients ${act} ${facts.client_id} --reason off`);
  expect(cli('disable').status).toBe(0);
  running.process.kill('SIGTERM');
  expect(await running.ended()).toBe(0);
  running = clone.start('--no-demo');
  await running.printed(BLOCK_END);
  expect(running.output()).toMatch(/Devices of the demo were not looked at: .* answered 401/);
  expect((await clone.facts()).assets).toEqual(facts.assets);
  expect(cli('enable').status).toBe(0);
});

story("the first start pushes a fleet of its own, and leaves the user's household alone", async () => {
  const others = await neighbour.facts();
  await neighbourRunning.printed(/Fleet {4}[\d,]+ rows stored .* 0 errors/);
  await neighbourRunning.printed(/the fleet has finished, the service goes on/);
  expect(await countRows(others)).toBeGreaterThan(0);
  const users = `asset_id IN (SELECT key FROM assets WHERE household_id = '${others.household}')`;
  expect(await countRows(others, users)).toBe(0);
});

story('SIGTERM ends everything that the start began, and nothing else', async () => {
  const others = await neighbour.facts();
  const pids = clone.processes();
  expect(pids.length).toBeGreaterThan(5);
  const startedAt = performance.now();
  running.process.kill('SIGTERM');
  expect(await running.ended()).toBe(0);
  /* What does not end by itself is killed after 28 s. */
  expect(performance.now() - startedAt).toBeLessThan(27_000);
  expect(await waitUntilGone(pids, 30)).toBe(true);
  expect(clone.processes()).toEqual([]);
  await expect(isReady(facts)).rejects.toThrow();
  expect(await isReady(others)).toBe(200);
});

story(
  'a warm start finds its data, its demo and its key again; --json prints the facts as one object',
  async () => {
    running = clone.start('--json');
    const [text] = await running.printed(/^\{.*\}\n/);
    const again = JSON.parse(text) as StartFacts;
    expect(running.output()).toBe(text);
    expect(again).toEqual(await clone.facts());
    for (const name of ['organization', 'client_id', 'client_secret', 'household', 'assets'] as const) {
      expect(again[name]).toEqual(facts[name]);
    }
    expect(await countRows(again)).toBe(hasCurl ? 3 : 1);
    facts = again;
    running.signal('SIGTERM');
    expect(await running.ended()).toBe(0);
    running = clone.start('--no-demo');
    await running.printed(BLOCK_END);
    facts = await clone.facts();
  },
);

story(
  'when the API, the worker or the feed dies, it is started again at its address, and a line says so',
  async () => {
    const { worker_pid, api_pid, feed_url } = facts;
    const feed = clone.processes().find((pid) => argumentsOf(pid).includes('src/cli/demo/feed.ts')) ?? 0;
    for (const pid of [api_pid, worker_pid, feed]) process.kill(pid, 'SIGKILL');
    for (const name of ['API', 'Worker', 'Feed']) {
      await running.printed(
        new RegExp(`${name} ended \\(signal SIGKILL\\) and was started again \\(process \\d+\\); log: `),
      );
    }
    await expect.poll(() => isReady(facts).catch(() => 0)).toBe(200);
    await expect
      .poll(() =>
        fetch(`${feed_url}/_feed`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true);
    /* They are written behind the start of each process. */
    const named = async () => {
      facts = await clone.facts();
      return [argumentsOf(facts.api_pid), argumentsOf(facts.worker_pid)];
    };
    await expect
      .poll(named)
      .toEqual([expect.stringContaining('src/main.ts'), expect.stringContaining('workers/main.ts')]);
    expect([facts.api_pid === api_pid, facts.worker_pid === worker_pid]).toEqual([false, false]);
    expect(running.errors()).toBe('');
  },
);

story('when a server dies, the start says so in one sentence and ends the rest', async () => {
  const pids = clone.processes();
  const valkey = pids.find((pid) => argumentsOf(pid).includes('valkey-server')) ?? 0;
  process.kill(valkey, 'SIGKILL');
  expect(await running.ended()).toBe(1);
  expect(running.errors()).toBe(`Valkey ended; its log: ${join(clone.folder, '.data/local/valkey.log')}\n`);
  expect(await waitUntilGone(pids, 30)).toBe(true);
});

story('Ctrl-C while the servers come up leaves nothing running', async () => {
  running = clone.start();
  await running.printed(/✓ Node/);
  running.signal('SIGINT');
  await running.ended();
  expect(await waitUntilGone(clone.processes(), 30)).toBe(true);
  expect(clone.processes()).toEqual([]);
});

story(
  'a start that is killed takes API and worker along; the next one goes on with its servers',
  async () => {
    running = clone.start();
    await running.printed(BLOCK_END);
    facts = await clone.facts();
    running.signal('SIGKILL');
    await running.ended();
    expect(await waitUntilGone([facts.api_pid, facts.worker_pid], 30)).toBe(true);
    await expect.poll(() => fetch(`${facts.feed_url}/_feed`).catch(() => 'gone')).toBe('gone');
    running = clone.start();
    await running.printed(BLOCK_END);
    expect((await clone.facts()).database_url).toBe(facts.database_url);
    expect(await countRows(facts)).toBe(hasCurl ? 3 : 1);
  },
);

story('a signal to the whole group is one signal, though it arrives twice', async () => {
  const { api_pid, worker_pid } = await clone.facts();
  running.signal('SIGTERM');
  expect(await running.ended()).toBe(0);
  expect(await waitUntilGone([api_pid, worker_pid], 30)).toBe(true);
  const others = neighbour.processes();
  neighbourRunning.signal('SIGTERM');
  expect(await neighbourRunning.ended()).toBe(0);
  expect(await waitUntilGone(others, 30)).toBe(true);
});
