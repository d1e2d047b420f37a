import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import { createEndpoint } from '../../../src/events/endpoints/create.ts';
import { DeliveryFixture, type TestWorker } from '../../events/deliveries/delivery-fixture.ts';
import { HERE, type TestReceiver, testReceiver } from '../../events/requests/receiver.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { CUT, runCommand } from '../command-line.ts';

let fixture: DeliveryFixture;
let worker: TestWorker;
let receiver: TestReceiver;
let answer = { status: 410, body: 'gone\nfor good' };

beforeAll(async () => {
  fixture = new DeliveryFixture();
  await fixture.open();
  worker = fixture.worker();
  receiver = await testReceiver((_request, response) => {
    response.writeHead(answer.status).end(answer.body);
  });
});
afterAll(async () => {
  await fixture?.close();
  await receiver?.[Symbol.asyncDispose]();
});

type Json = Record<string, unknown>;

const run = (organization: string, ...args: string[]) => {
  const environment = {
    APP_ENV: 'test',
    SECRET_PEPPER: 'p'.repeat(43),
    ENCRYPTION_KEY: fixture.encryptionKey,
    DATABASE_URL: fixture.testDatabase.appUrl,
  };
  return runCommand(environment, 'webhooks', ...args, '--organization', organization);
};

async function asJson<Value = Json[]>(...args: string[]): Promise<Value> {
  const { exitCode, stdout, stderr } = await run(fixture.organization, ...args, '--json');
  expect({ exitCode, stderr: stderr.replace(CUT, '') }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Value;
}

const why = ['--reason', 'ticket 17', '--staff', 'ada'];

async function endpointWith(count: number): Promise<string> {
  const { database, clock, encryptionKey } = fixture;
  const deps = { database, clock, config: { ENCRYPTION_KEY: encryptionKey }, rules: HERE, topics };
  const act = { staff: 'ada', reason: 'test', command: 'test', now: clock.now().toISOString() };
  const { endpoint } = await createEndpoint(deps, fixture.organization, { url: receiver.url }, act);
  await fixture.record(count);
  await worker.work();
  return endpoint.id;
}

describe('the log of deliveries', () => {
  test('W07 after a 410 what waited is listed as cancelled, with the attempts that were made', async () => {
    answer = { status: 410, body: 'gone\nfor good' };
    const id = await endpointWith(12);
    expect(await asJson<Json>('show', id)).toMatchObject({
      ...{ state: 'disabled', disabled_reason: 'gone', pending: 0, failed: 0 },
    });
    const cancelled = await asJson('deliveries', '--endpoint', id, '--state', 'cancelled');
    expect(cancelled).toHaveLength(12);
    const sent = cancelled.filter((row) => row.status === 410);
    expect(sent.length).toBe(receiver.requests.length);
    expect(sent[0]).toMatchObject({
      topic: 'subscription.created',
      endpoint: id,
      state: 'cancelled',
      attempts: 1,
    });
    expect(await asJson('deliveries', '--endpoint', id, '--state', 'pending')).toEqual([]);
    const event = String(sent[0]?.event);
    expect(await asJson('attempts', id, event)).toEqual([
      {
        number: 1,
        at: expect.any(String),
        status: 410,
        error: null,
        milliseconds: expect.any(Number),
        answer: 'gone\nfor good',
      },
    ]);
    const table = await run(fixture.organization, 'attempts', id, event);
    expect(table.stdout).toMatch(/^1 +\S+ +410 +- +\d+ +gone$/m);
    const unsent = cancelled.find((row) => row.status === null);
    expect(await asJson('attempts', id, String(unsent?.event))).toEqual([]);
  });

  test('an endpoint that is back gets what was cancelled, at once or one by one, and the log says so', async () => {
    answer = { status: 410, body: '' };
    const id = await endpointWith(3);
    const refused = await run(fixture.organization, 'resend', id, '--failed', ...why);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^endpoint: /);
    answer = { status: 200, body: '' };
    await asJson<Json>('enable', id, ...why);
    const [first] = await asJson('deliveries', '--endpoint', id);
    const event = String(first?.event);
    expect(await asJson<Json>('resend', id, event, ...why)).toEqual({ endpoint: id, event, deliveries: 1 });
    expect(await asJson<Json>('resend', id, '--failed', ...why)).toEqual({ endpoint: id, deliveries: 2 });
    await worker.work();
    expect(await asJson('deliveries', '--endpoint', id, '--state', 'delivered')).toHaveLength(3);
    expect(await asJson('deliveries', '--event', event, '--endpoint', id)).toMatchObject([
      { event, state: 'delivered', status: 200 },
    ]);
    expect(await asJson('deliveries', '--endpoint', id, '--limit', '2')).toHaveLength(2);
    const rows = await auditRows(
      { database: fixture.testDatabase },
      fixture.organization,
      'webhook_delivery',
    );
    expect(rows.map(({ route, reason }) => [route, reason])).toEqual([
      ['webhooks resend', 'ticket 17'],
      ['webhooks resend', 'ticket 17'],
    ]);
  });

  test('another organization sees and sends nothing of it', async () => {
    answer = { status: 200, body: '' };
    const id = await endpointWith(1);
    const [row] = await asJson('deliveries', '--endpoint', id);
    const event = String(row?.event);
    const other = await fixture.addOrganization();
    expect(await run(other, 'deliveries', '--json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(await run(other, 'attempts', id, event)).toMatchObject({
      exitCode: 1,
      stderr: `There is no delivery of ${event} to ${id}\n`,
    });
    expect((await run(other, 'resend', id, event, ...why)).exitCode).toBe(1);
    expect((await run(other, 'resend', id, '--failed', ...why)).exitCode).toBe(1);
    expect(await asJson('attempts', id, event)).toHaveLength(1);
  });

  test('wrong input is refused before anything is done', async () => {
    const id = 'whe_000000000000000000000000';
    const event = 'evt_000000000000000000000000';
    const misunderstood = [
      ['deliveries', '--state', 'lost'],
      ['deliveries', '--endpoint', event],
      ['deliveries', '--limit', '0'],
      ['attempts', id],
      ['attempts', event, id],
      ['resend', id, 'everything', ...why],
      ['resend', id, '--failed'],
    ];
    for (const args of misunderstood) {
      expect((await run(fixture.organization, ...args)).exitCode, args.join(' ')).toBe(2);
    }
    const sentences: [string[], string][] = [
      [['resend', id, ...why], 'Name an event, or all that were given up or cancelled with --failed\n'],
      [['resend', id, event, ...why], `There is no delivery of ${event} to ${id} in the last 30 days\n`],
      [['resend', id, '--failed', ...why], `There is no endpoint ${id} in ${fixture.organization}\n`],
    ];
    for (const [args, stderr] of sentences) {
      expect(await run(fixture.organization, ...args)).toMatchObject({ exitCode: 1, stdout: '', stderr });
    }
  });
});
