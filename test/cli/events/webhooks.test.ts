import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import { type TestReceiver, testReceiver } from '../../events/requests/receiver.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createOrganization, createTenant } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { runCommand } from '../command-line.ts';

let api: TestApi;
let environment: Record<string, string>;
let organization: string;
let token: string;
let receiver: TestReceiver;
let answer = { status: 200, body: 'thank you' };

beforeAll(async () => {
  api = await startApi();
  const { SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL, BASE_URL } = api.deps.config;
  environment = {
    ...{ APP_ENV: 'test', SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL, BASE_URL },
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  ({ organization, token } = await createTenant(api));
  receiver = await testReceiver((_request, response) => {
    response.writeHead(answer.status, { location: receiver.url }).end(answer.body);
  });
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await api?.close();
});

type Json = Record<string, unknown>;

const why = ['--reason', 'ticket 17', '--staff', 'ada'];
const run = (...args: string[]) =>
  runCommand(environment, 'webhooks', ...args, '--organization', organization);

async function asJson(...args: string[]): Promise<Json> {
  const { exitCode, stdout, stderr } = await run(...args, '--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Json;
}

const created = (...args: string[]) => asJson('create', '--url', receiver.url, ...why, ...args);

describe('webhooks create, list, show, change', () => {
  test('create prints an id and a secret, once; what lists and shows never prints it', async () => {
    const endpoint = await created(
      '--topics',
      'subscription.created,meter_order.installed',
      '--description',
      'CRM',
    );
    expect(endpoint).toMatchObject({
      endpoint: expect.stringMatching(/^whe_[0-9a-z]{24}$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      url: receiver.url,
      topics: ['subscription.created', 'meter_order.installed'],
      description: 'CRM',
      contact_email: null,
      disabled_at: null,
    });
    const id = String(endpoint.endpoint);
    const listed = await run('list');
    expect(listed.stdout).toMatch(new RegExp(`^${id} +address +on +`, 'm'));
    const asList = (await asJson('list')) as unknown as Json[];
    const shown = await asJson('show', id);
    expect(shown).toMatchObject({ endpoint: id, state: 'on', pending: 0, failed: 0 });
    const text = (await run('show', id)).stdout;
    for (const printed of [listed.stdout, JSON.stringify(asList), JSON.stringify(shown), text]) {
      expect(printed).not.toContain('whsec_');
    }
    const [line] = (await auditRows(api, organization, 'webhook_endpoint')).filter(
      (row) => row.object_id === id,
    );
    expect(line).toMatchObject({
      staff: 'ada',
      reason: 'ticket 17',
      route: 'webhooks create',
      result: 'done',
    });
  });

  test('without topics, and with all, it is told of everything', async () => {
    expect(await created()).toMatchObject({ topics: 'all' });
    const { endpoint } = await created('--topics', 'invoice.paid');
    expect(await asJson('change', String(endpoint), '--topics', 'all', ...why)).toMatchObject({
      topics: 'all',
    });
  });

  test('change changes what is named', async () => {
    const { endpoint } = await created('--contact-email', 'ops@example.org');
    const id = String(endpoint);
    const more = ['--url', 'http://127.0.0.2:9/other', '--contact-email', ''];
    expect(await asJson('change', id, ...more, ...why)).toMatchObject({
      url: 'http://127.0.0.2:9/other',
      contact_email: null,
      topics: 'all',
    });
    expect(await run('change', id, ...why)).toMatchObject({
      exitCode: 1,
      stderr: 'Nothing to change was named\n',
    });
  });

  test('what is wrong is told with field, value and rule, and nothing is made', async () => {
    const before = await asJson('list');
    const wrong = await run(
      'create',
      '--url',
      'https://127.0.0.1:22/',
      '--topics',
      'a.b',
      '--contact-email',
      'x',
      ...why,
    );
    expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wrong.stderr).toMatch(/^contact_email: .+$/m);
    expect(wrong.stderr).toContain(
      `topics.0: There is no topic "a.b". There are: ${topics.map(({ name }) => name).join(', ')}`,
    );
    const refused: [args: string[], said: RegExp][] = [
      [['create', '--url', 'ftp://example.org/', ...why], /^url: The address must begin with https:\/\/$/m],
      [['create', '--url', 'http://10.0.0.1/', ...why], /^url: The address must begin with https:\/\/$/m],
      [
        ['create', '--url', 'https://10.0.0.1/', ...why],
        /^url: 10\.0\.0\.1 is not reached by public addresses$/m,
      ],
    ];
    for (const [args, said] of refused) {
      const { exitCode, stderr } = await run(...args);
      expect(exitCode, args.join(' ')).toBe(1);
      expect(stderr).toMatch(said);
    }
    const misunderstood = [
      ['create', ...why],
      ['create', '--url', receiver.url],
      ['create', '--url', receiver.url, '--topics', 'a,,b', ...why],
      ['show'],
      ['delete', 'whe_000000000000000000000000'],
    ];
    for (const args of misunderstood) expect((await run(...args)).exitCode, args.join(' ')).toBe(2);
    expect(await asJson('list')).toEqual(before);
  });
});

describe('webhooks rotate, disable, enable, delete', () => {
  test('rotate gives a second secret and says until when the first one signs', async () => {
    const { endpoint, secret } = await created();
    const id = String(endpoint);
    const rotated = await asJson('rotate', id, ...why);
    expect(rotated.secret).not.toBe(secret);
    const hours = (Date.parse(String(rotated.previous_until)) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThan(24.1);
    const again = await run('rotate', id, ...why);
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toMatch(/^endpoint: An earlier secret signs until .+as compromised\n$/);
    expect(await asJson('rotate', id, '--lost', ...why)).toMatchObject({
      previous_until: expect.any(String),
    });
    expect(await asJson('rotate', id, '--compromised', ...why)).toMatchObject({ previous_until: null });
    expect(await run('rotate', id, '--lost', '--compromised', ...why)).toMatchObject({ exitCode: 1 });
  });

  test('disable, enable and delete print the endpoint, each leaves an audit row', async () => {
    const { endpoint } = await created();
    const id = String(endpoint);
    expect(await asJson('disable', id, ...why)).toMatchObject({
      disabled_at: expect.any(String),
      disabled_reason: 'operator',
      cancelled: 0,
    });
    expect(await asJson('show', id)).toMatchObject({ state: 'disabled' });
    expect(await asJson('enable', id, ...why)).toMatchObject({ disabled_at: null, disabled_reason: null });
    expect(await asJson('delete', id, ...why)).toMatchObject({ endpoint: id, cancelled: 0 });
    expect(await run('show', id)).toMatchObject({
      exitCode: 1,
      stderr: `There is no endpoint ${id} in ${organization}\n`,
    });
    const rows = (await auditRows(api, organization, 'webhook_endpoint')).filter(
      (row) => row.object_id === id,
    );
    expect(rows.map((row) => row.route)).toEqual([
      ...['webhooks create', 'webhooks disable', 'webhooks enable', 'webhooks delete'],
    ]);
  });

  test('an unknown endpoint, or one of another organization, is one sentence and exit code 1', async () => {
    const { endpoint } = await created();
    const other = await createOrganization(api.deps);
    const unknown = 'whe_000000000000000000000000';
    const commands = [
      ['show'],
      ['change', '--description', 'x', ...why],
      ...['rotate', 'disable', 'enable', 'delete', 'test'].map((name) => [name, ...why]),
    ];
    for (const [name = '', ...options] of commands) {
      expect(await run(name, unknown, ...options), name).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `There is no endpoint ${unknown} in ${organization}\n`,
      });
    }
    const foreign = ['webhooks', 'delete', String(endpoint), ...why, '--organization', other];
    expect(await runCommand(environment, ...foreign)).toMatchObject({
      exitCode: 1,
      stderr: `There is no endpoint ${endpoint} in ${other}\n`,
    });
    expect(await asJson('show', String(endpoint))).toMatchObject({ state: 'on', description: '' });
    const nowhere = await runCommand(environment, 'webhooks', 'list', '--organization', unknown);
    expect(nowhere).toMatchObject({ exitCode: 1, stderr: `There is no organization ${unknown}\n` });
  });
});

describe('webhooks test', () => {
  test('W22 test.event arrives signed, is of the form of events, and GET of it is 404', async () => {
    const { endpoint, secret } = await created();
    receiver.requests.length = 0;
    const sent = await asJson('test', String(endpoint));
    expect(sent).toMatchObject({ result: 'accepted', status: 200, answer: 'thank you', error: null });
    expect(sent.milliseconds).toEqual(expect.any(Number));
    const [request] = receiver.requests;
    if (request === undefined) throw new Error('Nothing arrived');
    const headers = request.headers as Record<string, string>;
    const document = new Webhook(String(secret)).verify(request.body, headers);
    expect(document).toEqual({
      id: sent.event,
      topic: 'test.event',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      context: {},
    });
    expect(headers['webhook-id']).toBe(sent.event);
    const got = await api.client(token).get(`/events/${String(sent.event)}`);
    expect(got.status).toBe(404);
    const rows = await auditRows(api, organization, 'webhook_endpoint.test');
    expect(rows.at(-1)).toMatchObject({ object_id: endpoint, reason: 'the endpoint was tried' });
  });

  test('a refusal, a redirect and silence are shown, and end with exit code 1 after one request', async () => {
    const { endpoint } = await created();
    const id = String(endpoint);
    try {
      for (const status of [302, 410, 500]) {
        answer = { status, body: 'x'.repeat(5_000) };
        receiver.requests.length = 0;
        const { exitCode, stdout } = await run('test', id, '--json');
        expect(exitCode).toBe(1);
        expect(JSON.parse(stdout)).toMatchObject({ result: 'failed', status, answer: 'x'.repeat(1_024) });
        expect(receiver.requests).toHaveLength(1);
      }
    } finally {
      answer = { status: 200, body: 'thank you' };
    }
    expect(await asJson('show', id)).toMatchObject({ state: 'on', failing_since: null });
    await asJson('change', id, '--url', 'http://127.0.0.1:1/', ...why);
    const unreached = await run('test', id);
    expect(unreached).toMatchObject({ exitCode: 1, stderr: '' });
    expect(unreached.stdout).toMatch(/^error +no connection$/m);
  });

  test('a disabled endpoint can be tried before it is enabled', async () => {
    const { endpoint } = await created();
    await asJson('disable', String(endpoint), ...why);
    expect(await asJson('test', String(endpoint))).toMatchObject({ result: 'accepted' });
    expect(await asJson('show', String(endpoint))).toMatchObject({ state: 'disabled' });
  });
});
