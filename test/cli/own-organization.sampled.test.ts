import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { startApi, type TestApi, testEnvironment } from '../setup/api.ts';
import { createClient, createHousehold, createOrganization, createSubscription } from '../setup/factories.ts';
import { nodeEnvironment } from '../setup/node-environment.ts';
import { auditRows } from '../setup/stored-rows.ts';
import { isLongTier, sampled } from '../setup/tier.ts';
import { runCommand } from './command-line.ts';

/* Which organization a command is about where nobody says so, who has to give a reason, and where files are. */

let api: TestApi;
let environment: Record<string, string>;
let first: string;

beforeAll(async () => {
  api = await startApi({ alone: true });
  environment = testEnvironment(api.database, 'redis://127.0.0.1:1');
  first = await createOrganization(api.deps);
});
afterAll(() => api?.close());

const run = (...args: string[]) => runCommand(environment, ...args);

test('the only organization there is, then that of an id, and of several none', async () => {
  const own = await createHousehold(api.deps, first);
  const only = await run('households', 'list', '--json');
  expect(only).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(only.stdout)).toMatchObject([{ id: own.household }]);

  const second = await createOrganization(api.deps);
  const household = await createHousehold(api.deps, second);
  const contract = await createSubscription(api.deps, second, household, { status: 'active' });
  const shown = await run('subscriptions', 'show', contract.id, '--json');
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(shown.stdout)).toMatchObject({ id: contract.id });
  const listed = await run('subscriptions', 'list', '--household', household.household, '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: contract.id }]);

  const none = await run('households', 'list');
  expect([none.exitCode, none.stdout]).toEqual([1, '']);
  expect(none.stderr).toBe(
    'There are 2 organizations. Name one with --organization (npm run cli -- organizations list)\n',
  );
  const invented = 'sub_000000000000000000000000';
  const unknown = await run('subscriptions', 'show', invented);
  expect(unknown.stderr).toContain(`None of them has ${invented}. Name one with --organization`);

  /* Who names one is not led elsewhere by an id. */
  const foreign = await run('subscriptions', 'show', contract.id, '--organization', first);
  expect(foreign).toMatchObject({
    exitCode: 1,
    stderr: `There is no subscription ${contract.id} in ${first}\n`,
  });
});

test('a list of what belongs to a record that does not exist says so; of one that has none it is empty', async () => {
  const household = await createHousehold(api.deps, first);
  const contract = await createSubscription(api.deps, first, household, { status: 'active' });
  const client = await createClient(api.deps, first);
  const own = {
    subscription: contract.id,
    customer: household.customer,
    household: household.household,
    client: client.client_id,
  };
  const none = {
    ...{ subscription: newId('sub'), customer: newId('cus'), household: newId('dom') },
    ...{ client: newId('oac'), endpoint: newId('whe'), event: newId('evt') },
  };
  const lists = sampled(
    [
      ['meter-readings list', 'subscription'],
      ['subscriptions list', 'customer'],
      ['subscriptions list', 'household'],
      ['invoices list', 'subscription'],
      ['invoices deadlines', 'subscription'],
      ['meter-orders list', 'customer'],
      ['meter-orders list', 'subscription'],
      ['grid-fee-reductions list', 'customer'],
      ['grid-fee-reductions list', 'subscription'],
      ['load-forecasts list --day 2026-11-27', 'subscription'],
      ['grants list', 'client'],
      ['grants list', 'customer'],
      ['webhooks deliveries', 'endpoint'],
      ['webhooks deliveries', 'event'],
    ] as const,
    2,
  );
  for (const [list, filter] of lists) {
    const typed = [...list.split(' '), '--organization', first, `--${filter}`];
    const unknown = await run(...typed, none[filter]);
    expect([list, unknown]).toEqual([
      list,
      { exitCode: 1, stdout: '', stderr: `There is no ${filter} ${none[filter]} in ${first}\n` },
    ]);
    if (filter === 'endpoint' || filter === 'event') continue;
    expect([list, (await run(...typed, own[filter])).exitCode]).toEqual([list, 0]);
  }
});

test('a change asks for a reason, but on a local start', async () => {
  const change = ['clients', 'create', '--name', 'x', '--organization', first, '--json'];
  const refused = await run(...change);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("'--reason <text>'")]);
  const local = await runCommand({ ...environment, APP_ENV: 'local' }, ...change);
  expect(local).toMatchObject({ exitCode: 0, stderr: '' });
  const row = (await auditRows(api, first, 'client.create')).at(-1);
  expect(row).toMatchObject({ reason: 'tried on a local start' });
});

test('a file is looked for in the folder where npm was called', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-standing-'));
  try {
    await mkdir(join(folder, 'below'));
    await writeFile(join(folder, 'below', 'partners.csv'), 'code,name,country\n9900000000001,Teststrom,DE\n');
    /* npm and the command line cost seconds: its script is called with what npm says of itself, and starts a small program. */
    const small = join(folder, 'small.mjs');
    await writeFile(
      small,
      "import { readFileSync } from 'node:fs'; process.stdout.write(readFileSync(process.argv[4], 'utf8'));",
    );
    const [program, ...script] = isLongTier
      ? ['npm', '--prefix', process.cwd(), 'run', '-s', 'cli', '--']
      : [process.execPath, 'scripts/node.mjs', small];
    const ofNpm = { INIT_CWD: folder, npm_lifecycle_event: 'cli' };
    const imported = await promisify(execFile)(
      program,
      [...script, 'market-partners', 'import', 'below/partners.csv', '--reason', 'test'],
      {
        cwd: isLongTier ? folder : process.cwd(),
        env: {
          ...nodeEnvironment(),
          ...environment,
          PATH: process.env.PATH ?? '',
          ...(!isLongTier && ofNpm),
        },
      },
    );
    expect(imported.stderr).toBe('');
    expect(imported.stdout).toMatch(isLongTier ? /1/ : /9900000000001/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
