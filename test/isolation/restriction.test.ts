import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { topics } from '../../src/api/topics.ts';
import { subscriptionTopics } from '../../src/contracts/subscriptions/topics.ts';
import { serveListener } from '../../src/events/deliveries/serve.ts';
import { createListener } from '../../src/events/endpoints/create.ts';
import { fanOutEvent } from '../../src/events/fan-out.ts';
import { recordEvents } from '../../src/events/record.ts';
import { findCustomer } from '../../src/identity/customers/queries.ts';
import { type Connection, withHidden } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import type { RouteName } from '../../src/platform/interface/route.ts';
import { runCommandAt } from '../cli/command-line.ts';
import { Accounts } from '../governance/analysts/account.ts';
import { missingIds } from '../routes/table/place.ts';
import type { Ids, Json } from '../routes/table/row.ts';
import {
  bodiesOf,
  goodStatusOf,
  methodOf,
  missingStatusOf,
  routeNames,
  rowOf,
  versionHeaderOf,
} from '../routes/table/table.ts';
import { testEnvironment } from '../setup/api.ts';
import type { ApiClient } from '../setup/client.ts';
import { createHousehold } from '../setup/factories.ts';
import { auditRows, storedRows } from '../setup/stored-rows.ts';
import { type Fixture, startFixture, told } from './fixture.ts';

/* Restriction of processing (Art. 18 GDPR): a1 is restricted from the beginning, and a2 of the same organization is not. */

let fixture: Fixture;
let accounts: Accounts;
let analyst: pg.Client;
let listener: string;
/** What nobody but a1 may be told: plans are all of the organization's. */
let hidden: string[];
let keptAnswer: Json;
/** Became no contract, and has the e-mail address of a1. */
let openLead: string;
/** Happened to a1 before, and a receiver is to hear of it. */
let toldEvent: string;

const a1 = () => fixture.places.a1;
const organization = () => a1().organization;
const full = () => fixture.tokens['A full'].client;

beforeAll(async () => {
  fixture = await startFixture();
  accounts = new Accounts(fixture.api.database);
  const converted = 'UPDATE leads SET subscription_id = $1, subscribed_at = created_at WHERE id = $2';
  await storedRows(fixture.api, converted, [a1().subscription, a1().lead]);
  const parts = { ...fixture.api.deps, topics };
  ({ id: listener } = await createListener(parts, organization(), { topics: null }, act()));
  toldEvent = await happens(a1().subscription);
  const offers = `${(await full().get('/plans?limit=100')).text} ${organization()}`;
  hidden = a1().private.filter((value) => value !== '' && !offers.includes(value));
  expect(hidden.length).toBeGreaterThan(30);
  openLead = String((await full().post<Json>('/leads', leadOf(a1().email.toUpperCase()))).body.id);
  await storedRows(fixture.api, "UPDATE leads SET created_at = created_at - interval '1 month'");
  hidden.push(openLead, toldEvent);
  keptAnswer = { household: a1().household, type: 'heat_pump', heat_pump: { max_power_kw: 3 } };
  expect((await post('/assets', keptAnswer)).status).toBe(200);
  expect(await cli('restrict', a1().customer)).toMatchObject({ exitCode: 0 });
  analyst = await accounts.connect((await accounts.make(organization())).address);
});
afterAll(async () => {
  await accounts?.close();
  await fixture?.close();
});

const act = () => ({
  ...{ staff: 'tests', reason: 'test', command: 'test' },
  now: fixture.api.deps.clock.now().toISOString(),
});

function cli(command: string, ...args: string[]) {
  const { api } = fixture;
  const environment = {
    ...testEnvironment(api.database, 'redis://127.0.0.1:1'),
    DATABASE_OWNER_URL: api.database.ownerUrl,
    SECRET_PEPPER: api.deps.config.SECRET_PEPPER,
  };
  const [noun, ...words] = command.includes(' ') ? command.split(' ') : ['customers', command];
  const why = ['--organization', organization(), '--reason', 'disputed', '--staff', 'ada'];
  return runCommandAt(api.deps.clock, environment, String(noun), ...words, ...args, ...why);
}

const post = (path: string, body: Json, key = 'of a1') =>
  full().post(path, body, { headers: { 'idempotency-key': key } });

function send(client: ApiClient, name: RouteName, ids: Ids) {
  const { path, body } = rowOf(name);
  return client.request(methodOf(name), path(ids), {
    ...(body && { body: body(ids) }),
    headers: versionHeaderOf(name),
  });
}

const leadOf = (email: string) => ({
  ...{ plan: a1().plan, address: { zip: '20354' }, meter: { estimated_usage: 2500 } },
  ...{ customer: { email }, created_by: 'adviser@partner.example', metadata: { note: 'call' } },
});

/** Something happens to a contract. Returns the event. */
async function happens(subscription: string): Promise<string> {
  const { deps } = fixture.api;
  const told = { topic: subscriptionTopics.confirmed, context: { subscription } };
  await deps.database.inOrganization({ organization: organization() }, (connection) =>
    recordEvents(connection, organization(), [{ ...told, now: deps.clock.now().toISOString() }]),
  );
  const [row] = await storedRows<{ id: string }>(
    fixture.api,
    'SELECT id FROM events ORDER BY position DESC LIMIT 1',
  );
  const event = row?.id ?? '';
  await fanOutEvent(deps, { organization: organization(), payload: { event } });
  return event;
}

/** What a receiver is sent until nothing waits any more. */
async function sent(): Promise<string[]> {
  const { deps } = fixture.api;
  const stop = new AbortController();
  const bodies: string[] = [];
  const webhooks = {
    send: async (_receiver: unknown, { body }: { body: string }) => {
      bodies.push(body);
      return { kind: 'answered', status: 200, answer: '', retryAfterSeconds: null, milliseconds: 1 } as const;
    },
    close: async () => {},
  };
  const receiver = { url: '', secrets: [] };
  const parts = { database: deps.database, clock: deps.clock, webhooks };
  const serving = serveListener(
    parts,
    { organization: organization(), endpoint: listener, receiver },
    stop.signal,
  );
  await expect
    .poll(() => storedRows(fixture.api, "SELECT FROM event_deliveries WHERE state = 'pending'"))
    .toEqual([]);
  stop.abort();
  await serving;
  return bodies;
}

async function stateOf(event: string): Promise<string | undefined> {
  const query = 'SELECT state FROM event_deliveries WHERE event_id = $1';
  return (await storedRows<{ state: string }>(fixture.api, query, [event]))[0]?.state;
}

const idsOf = async (path: string) =>
  (await full().get<{ items: { id: string }[] }>(path)).body.items.map(({ id }) => id);

const leaksIn = (text: string) => hidden.filter((value) => text.includes(value));

/** They name a plan or nobody. Snapshots are stored: that is no processing beyond storage. */
const ABOUT_NOBODY = /quotes|savings|plans\b|POST \/leads|POST \/asset-snapshots/;
const aboutCustomers = routeNames.filter(
  (name) =>
    rowOf(name).whose !== 'public' && rowOf(name).whose !== 'organization' && !ABOUT_NOBODY.test(name),
);

describe.each(aboutCustomers)('while the customer is restricted %s', (name) => {
  test('answers a client as if there was no such customer, and writes nothing', async () => {
    const { plan, feedInPlan } = a1();
    const missing = told(await send(full(), name, { ...missingIds(), plan, feedInPlan }));
    const before = await fixture.state.of(organization());
    const answer = await send(full(), name, a1());
    expect(told(answer)).toEqual(missing);
    if (methodOf(name) === 'GET') expect(answer.status).toBe(missingStatusOf(name));
    expect(leaksIn(answer.text)).toEqual([]);
    if (methodOf(name) !== 'GET') expect(await fixture.state.of(organization())).toEqual(before);
  });

  test('goes on for the customer, and for others', async () => {
    expect((await send(full(), name, fixture.places.a2)).status).toBe(goodStatusOf(name));
    if (methodOf(name) !== 'GET' || rowOf(name).whose !== 'customer') return;
    const own = await send(fixture.tokens['customer a1'].client, name, a1());
    expect(own.status).toBe(goodStatusOf(name));
    if (rowOf(name).shows.isList) expect((own.body as { items: unknown[] }).items.length).toBeGreaterThan(0);
  });
});

test.each(routeNames.filter((name) => rowOf(name).list !== undefined && rowOf(name).whose !== 'public'))(
  'while the customer is restricted %s lists nothing of him, and everything of others',
  async (name) => {
    const list = rowOf(name).list;
    const households = [...a1().households, ...fixture.places.a2.households];
    const { text, body } = await full().get<{ items: Json[] }>(`${list?.all(households)}limit=100`);
    expect(leaksIn(text)).toEqual([]);
    const shown = body.items.map((item) => list?.idOf(item));
    for (const id of list?.shown(fixture.places.a2) ?? []) expect(shown).toContain(id);
  },
);

test('a check that looks at all customers and fails leaves him hidden', async () => {
  const client = newId('oac');
  const principal = {
    organization: organization(),
    client,
    scopes: [],
    version: '2026-09-08.gauss',
  } as const;
  const inTransaction = <Result>(work: (connection: Connection) => Promise<Result>) =>
    fixture.api.deps.database.inOrganization(principal, work);
  await inTransaction(async (connection) => {
    const see = () => findCustomer(connection, organization(), a1().customer);
    expect(await see()).toBeUndefined();
    const check = withHidden(connection, async () => {
      expect(await see()).toBeDefined();
      throw new Error('taken');
    });
    await expect(check).rejects.toThrow('taken');
    expect(await see()).toBeUndefined();
  });
  /* A statement that fails is told as it is. */
  const failed = inTransaction((connection) =>
    withHidden(connection, () => sql`SELECT 1 / 0`.execute(connection)),
  );
  await expect(failed).rejects.toMatchObject({ code: '22012' });
});

test('an answer that is given again for its key is missing, too', async () => {
  expect((await post('/assets', keptAnswer)).status).toBe(404);
});

test('a lead that became no contract is missing where it has his e-mail address', async () => {
  expect((await full().get(`/leads/${openLead}`)).status).toBe(404);
  expect(await idsOf('/leads?limit=100')).not.toContain(openLead);
  const other = await full().post<{ id: string }>('/leads', leadOf('somebody@else.example'));
  expect((await full().get(`/leads/${other.body.id}`)).status).toBe(200);
  expect(await views()).toContain(other.body.id);
  /* What a program says since then it may read again. */
  const since = await post('/leads', leadOf(a1().email), 'since');
  expect(await post('/leads', leadOf(a1().email), 'since')).toMatchObject({ status: 200, body: since.body });
});

test('what is taken by him is taken, and no refusal says by whom', async () => {
  const { batteryExternalId, email } = a1();
  const { household, inverter, spare } = fixture.places.a2;
  const wallbox = { household, type: 'wallbox', wallbox: { max_power_kw: 11, bidirectional: false } };
  const [signUp] = bodiesOf('POST /subscriptions').full(fixture.places.a2);
  const customer = { ...(signUp?.customer as Json), email };
  for (const answer of [
    await full().post('/assets', { ...wallbox, external_id: batteryExternalId }),
    await full().request('PATCH', `/assets/${spare}`, { body: { external_id: batteryExternalId } }),
    await full().request('PATCH', `/assets/${inverter}`, { body: { external_id: batteryExternalId } }),
    await full().post('/subscriptions', { ...signUp, customer }),
  ]) {
    expect(answer.status, answer.text).toBe(409);
    expect(leaksIn(answer.text).filter((value) => value !== batteryExternalId)).toEqual([]);
  }
  expect((await full().post('/subscriptions', { ...signUp, customer })).body).toMatchObject({
    errors: [{ code: 'duplicate_customer_email', field: 'customer.email' }],
  });
});

test('receivers of webhooks are not told of him, and who reads on behind an event of his goes on', async () => {
  expect(await stateOf(toldEvent)).toBe('pending');
  const meanwhile = await happens(a1().subscription);
  const other = await happens(fixture.places.a2.subscription);
  const bodies = await sent();
  expect(leaksIn(bodies.join())).toEqual([]);
  expect(bodies.join()).toContain(other);
  for (const event of [toldEvent, meanwhile]) {
    expect(await stateOf(event)).toBe('cancelled');
    expect((await full().get(`/events/${event}`)).status).toBe(404);
    expect(await cli('webhooks resend', listener, event)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('lift-restriction'),
    });
  }
  const back = "UPDATE event_deliveries SET state = 'cancelled', delivered_at = NULL WHERE event_id = $1";
  await storedRows(fixture.api, back, [other]);
  expect(await cli('webhooks resend', listener, '--failed', '--json')).toMatchObject({
    stdout: expect.stringContaining('"deliveries": 1'),
  });
  expect((await sent()).join()).toContain(other);
  expect(await auditRows(fixture.api, organization(), 'webhook_delivery.resend_failed')).toHaveLength(1);
  for (const event of [toldEvent, meanwhile]) expect(await stateOf(event)).toBe('cancelled');
  expect(await idsOf('/events?limit=100')).not.toContain(meanwhile);
  expect(await idsOf(`/events?after=${meanwhile}`)).toEqual([other]);
});

/** Every view of the analyst, as text. */
async function views(): Promise<string> {
  const schema = `analytics_${organization()}`;
  const { rows } = await analyst.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 AND table_name NOT IN ('calendar', 'delivery_days')",
    [schema],
  );
  expect(rows.length).toBeGreaterThan(30);
  const texts: string[] = [];
  for (const { name } of rows) {
    const found = await analyst.query(`SELECT * FROM ${name} AS t WHERE t::text ~ '[a-z]+_[0-9a-z]{24}'`);
    texts.push(`${name} ${JSON.stringify(found.rows)}`);
  }
  return texts.join('\n');
}

test('no view of analysts has him, nor his events', async () => {
  for (const setting of ['', organization()]) {
    await analyst.query("SELECT set_config('app.organization', $1, false)", [setting]);
    const seen = await views();
    expect(leaksIn(seen)).toEqual([]);
    for (const id of fixture.places.a2.assets) expect(seen).toContain(id);
  }
});

test('an export has rows of others alone', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'restriction-')), 'assets.csv');
  const days = ['--from', '2026-12-01', '--to', '2026-12-02', '--format', 'csv', '--output', file];
  expect(await cli('export assets', ...days)).toMatchObject({ exitCode: 0 });
  const text = await readFile(file, 'utf8');
  expect(leaksIn(text)).toEqual([]);
  for (const id of fixture.places.a2.assets) expect(text).toContain(id);
});

test('a restriction is kept in the audit log with its reason; repeated it changes nothing', async () => {
  const { customer } = a1();
  const since = 'SELECT restricted_at FROM customers WHERE id = $1';
  const before = await storedRows(fixture.api, since, [customer]);
  expect(await cli('restrict', customer)).toMatchObject({ exitCode: 0 });
  expect(await storedRows(fixture.api, since, [customer])).toEqual(before);
  const line = { object_id: customer, reason: 'disputed', staff: 'ada', route: 'customers restrict' };
  expect(await auditRows(fixture.api, organization(), 'customer.restrict')).toMatchObject([
    { ...line, result: 'done' },
    { ...line, result: 'unchanged' },
  ]);
  expect(await cli('restrict', missingIds().customer)).toMatchObject({ exitCode: 1 });
});

test('the export of a person names the restriction, and the erasure ends it', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'restriction-')), 'person');
  const { customer } = await createHousehold(fixture.api.deps, organization());
  await cli('restrict', customer);
  expect(await cli('export', customer, '--output', folder)).toMatchObject({ exitCode: 0 });
  const row = JSON.parse(await readFile(join(folder, 'customers.jsonl'), 'utf8'));
  expect(row).toMatchObject({ id: customer, restricted_at: expect.any(String) });
  expect(await cli('erase', customer, '--yes')).toMatchObject({ exitCode: 0 });
  const stored = 'SELECT restricted_at, erased_at IS NOT NULL AS erased FROM customers WHERE id = $1';
  expect(await storedRows(fixture.api, stored, [customer])).toEqual([{ restricted_at: null, erased: true }]);
  expect((await full().get(`/customers/${customer}`)).status).toBe(200);
  expect(await cli('restrict', customer)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('erased'),
  });
});

test('what was sent meanwhile is stored, and after the restriction everything is there again', async () => {
  const { household, battery, customer } = a1();
  const timestamp = '2026-12-01T11:04:00Z';
  const body = { household, snapshots: [{ asset: battery, timestamp, power_kw: 2 }] };
  expect((await full().post('/asset-snapshots', body)).body).toMatchObject({ stored: 1 });
  expect((await full().post('/asset-snapshots', body)).body).toMatchObject({ stored: 0, duplicates: 1 });
  const meanwhile = await happens(a1().subscription);
  expect(await sent()).toEqual([]);

  expect(await cli('lift-restriction', customer)).toMatchObject({ exitCode: 0 });
  expect(await auditRows(fixture.api, organization(), 'customer.lift_restriction')).toMatchObject([
    { object_id: customer, reason: 'disputed', result: 'done' },
  ]);
  for (const name of aboutCustomers) {
    if (methodOf(name) === 'GET')
      expect([name, (await send(full(), name, a1())).status]).toEqual([name, goodStatusOf(name)]);
  }
  const newest = await full().get<{ items: Json[] }>(`/asset-snapshots?filter[asset][eq]=${battery}`);
  expect(newest.body.items).toMatchObject([{ timestamp: '2026-12-01T11:04:00.000Z', power_kw: 2 }]);
  expect((await full().get(`/events/${meanwhile}`)).status).toBe(200);
  expect(await cli('webhooks resend', listener, meanwhile)).toMatchObject({ exitCode: 0 });
  expect((await sent()).join()).toContain(meanwhile);
  expect((await full().get(`/leads/${openLead}`)).body).toMatchObject({ metadata: { note: 'call' } });
  const seen = await views();
  for (const id of [...a1().assets, ...a1().subscriptions, openLead]) expect(seen).toContain(id);
  const deliveries = await analyst.query('SELECT event, topic FROM webhook_deliveries');
  expect(deliveries.rows).toContainEqual({ event: toldEvent, topic: subscriptionTopics.confirmed.name });
});

test('a lead that is answered again for its key is missing, too, where it became his contract since', async () => {
  const newLead = leadOf('again@partner.example');
  const made = (await post('/leads', newLead)).body as Json;
  const [signUp] = bodiesOf('POST /subscriptions').full(fixture.places.a2);
  const person = { ...(signUp?.customer as Json), ...newLead.customer };
  const contract = await full().post<Json>('/subscriptions', { ...signUp, customer: person, lead: made.id });
  expect(contract.status, contract.text).toBe(200);
  const customer = String(contract.body.customer);
  expect(await cli('restrict', customer)).toMatchObject({ exitCode: 0 });
  expect((await post('/leads', newLead)).status).toBe(404);
  expect(await cli('lift-restriction', customer)).toMatchObject({ exitCode: 0 });
  expect((await post('/leads', newLead)).body).toEqual(made);
});
