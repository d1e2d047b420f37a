import { expect } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import { exchangeMeter } from '../../../src/contracts/meter-readings/exchange.ts';
import { advanceSubscriptions } from '../../../src/contracts/subscriptions/advance.ts';
import { confirmSubscription } from '../../../src/contracts/subscriptions/back-office.ts';
import { importUsage } from '../../../src/contracts/usage/import.ts';
import { serveListener } from '../../../src/events/deliveries/serve.ts';
import { createListener } from '../../../src/events/endpoints/create.ts';
import { fanOutEvent } from '../../../src/events/fan-out.ts';
import type { WebhookRequests } from '../../../src/events/requests/send.ts';
import { quarterHours } from '../../contracts/usage/metered.ts';
import { registeredClient } from '../../identity/oauth/token-requests.ts';
import {
  authorizeUrl,
  consented,
  exchange,
  loginPage,
  REDIRECT_URI,
  Visitor,
} from '../../identity/oauth/visitor.ts';
import { startApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createOrganization, createPlan, tokenFor } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { billAndSettle, prepareBilling } from './settle.ts';

type Json = Record<string, unknown>;

/** What was made for somebody; the word stands in every text that a person can leave. */
export interface MadePerson {
  word: string;
  iban: string;
  customer: string;
  /** With an analog meter, and with a smart one in another household. */
  analog: string;
  smart: string;
  invoices: string[];
}

/** Where commands of the owner of the database work. */
export interface Owner {
  organization: string;
  environment: Record<string, string>;
  openInvoices(customer: string): Promise<string[]>;
}

const SUPPLY = { from: '2026-02-01', until: '2026-04-01' };

/**
 * Two customers of one organization who leave a record of every kind: by the interface, by pages, by what the commands of the
 * back office do and by the jobs of the worker, under a clock that is moved from January to August. All their contracts have
 * ended, and all their bills are settled.
 */
export async function startPersons(
  persons: readonly { word: string; iban: string }[],
  meanwhile: (
    when: 'supplied' | 'ended' | 'billed',
    first: MadePerson,
    owner: Owner,
  ) => Promise<void> = async () => {},
) {
  const clock = fakeClock('2026-01-05T09:00:00.000Z');
  const api = await startApi({ clock, referenceData: true, alone: true });
  const { deps } = api;
  const { database } = deps;
  const organization = await createOrganization(deps);
  const client = await registeredClient(deps, { redirect_uris: [REDIRECT_URI] }, organization);
  const act = () => ({ staff: 'tests', reason: 'test', command: 'test', now: clock.now().toISOString() });
  const token = () => tokenFor(api, { client_id: client.id, client_secret: client.secret });
  const post = async (path: string, body: Json, keep = true, version = '2026-09-08.gauss'): Promise<Json> => {
    const headers = keep ? { 'idempotency-key': crypto.randomUUID() } : {};
    const answer = await api.client(await token(), { version }).post(path, body, { headers });
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    return answer.body;
  };
  const run = { signal: new AbortController().signal, log: deps.log };
  await prepareBilling(api, organization);
  const terms = [{ sells_module_1: true, smart_meter_product: 'smart-meter-partner-b' as const }];
  const plan = (await createPlan(deps, organization, { terms })).id;

  const owner: Owner = {
    organization,
    environment: {
      DATABASE_OWNER_URL: api.database.ownerUrl,
      SECRET_PEPPER: deps.config.SECRET_PEPPER,
    },
    openInvoices: (customer) => invoicesOf(customer, "status = 'open'"),
  };
  const pause = async (when: Parameters<typeof meanwhile>[0]) => {
    const [first] = made;
    if (first !== undefined) await meanwhile(when, first, owner);
  };
  const listener = await createListener({ database, topics }, organization, { topics: null }, act());
  const made: MadePerson[] = [];
  for (const given of persons) made.push(await signUp(given));
  clock.set('2026-01-12T07:00:00.000Z');
  for (const person of made) await confirm(person);
  clock.set('2026-02-01T12:00:00.000Z');
  await advanceSubscriptions(deps, run);
  for (const person of made) await live(person);
  await pause('supplied');
  clock.set('2026-03-10T12:00:00.000Z');
  for (const person of made) await exchangeDevice(person);
  for (const person of made) await end(person);
  clock.set('2026-04-01T12:00:00.000Z');
  await advanceSubscriptions(deps, run);
  for (const person of made) await lastValues(person);
  await pause('ended');
  await billAndSettle({ api, clock, organization, act, people: made }, () => pause('billed'));
  for (const person of made) person.invoices = await invoicesOf(person.customer, 'true');
  for (const person of made) await visit(person);
  await tell(listener.id);
  return { api, owner, token, people: made };

  async function invoicesOf(customer: string, condition: string): Promise<string[]> {
    const text = `SELECT id FROM invoices WHERE customer_id = $1 AND ${condition}`;
    return (await storedRows<{ id: string }>(api, text, [customer])).map(({ id }) => id);
  }

  async function signUp({ word, iban }: { word: string; iban: string }): Promise<MadePerson> {
    const person = { first_name: `Vor${word}`, last_name: `Nach${word}`, email: `Mail.${word}@example.org` };
    const address = { street: `${word}gasse`, house_number: '7', zip: '10115', city: 'Berlin' };
    const meter = { number: `1${word.toUpperCase()}0001`, type: 'analog', estimated_usage: 3600 };
    const lead = { plan, meter: { estimated_usage: 3600 }, metadata: { note: word } };
    const first = await post('/leads', { ...lead, customer: person, address: { zip: '10115' } });
    /* With another address of mail, as people do who ask twice. */
    const email = `${word}.private@example.net`;
    await post('/leads', { ...lead, customer: { ...person, email }, address });
    await post('/leads', {
      ...lead,
      customer: { ...person, email },
      address: { zip: '10115' },
      payment_method: { sepa_debit: { iban } },
    });
    const contract = (fields: Json) =>
      post('/subscriptions', {
        plan,
        payment_method: { type: 'sepa_debit', sepa_debit: { iban, account_holder: `${word} Konto` } },
        next_possible_start: false,
        intended_start_date: SUPPLY.from,
        metadata: { note: `of ${word}` },
        ...fields,
      });
    const analog = await contract({
      customer: person,
      address,
      meter,
      lead: first.id,
      product_orders: [{ type: 'smart-meter' }, { type: '14a_enwg', '14a_enwg': { module_1: true } }],
    });
    const smart = await contract({
      customer: analog.customer,
      address: { ...address, street: `Am ${word}see` },
      meter: { number: `2${word.toUpperCase()}0002`, type: 'smart', estimated_usage: 2000 },
    });
    const ids = { customer: String(analog.customer), analog: String(analog.id), smart: String(smart.id) };
    for (const household of [analog.household, smart.household]) await addDevices(String(household), word);
    return { word, iban, ...ids, invoices: [] };
  }

  /** The first device brings the household's own two assets. */
  async function addDevices(household: string, word: string): Promise<void> {
    const pump = await post('/assets', {
      ...{ household, type: 'heat_pump', heat_pump: { max_power_kw: 3.5 } },
      ...{ external_id: `${word} ${household}`, display_name: `Pumpe ${word}` },
    });
    const { body } = await api.client(await token()).get(`/assets?filter[household][eq]=${household}`);
    const net = (body.items as { id: string; type: string }[]).find(({ type }) => type === 'household_net');
    const rows = [String(pump.id), String(net?.id)].flatMap((asset) =>
      [1, 2, 3].map((minutes) => ({
        asset,
        timestamp: new Date(clock.nowMilliseconds() - minutes * 60_000).toISOString(),
        power_kw: minutes,
      })),
    );
    await post('/asset-snapshots', { household, snapshots: rows }, false);
  }

  async function confirm({ analog, smart, word }: MadePerson): Promise<void> {
    const location = word.toUpperCase().padEnd(20, '0').slice(0, 20);
    const melo = `DE00099937073${location}`;
    await confirmSubscription(deps, organization, analog, { start_on: SUPPLY.from, melo }, act());
    await confirmSubscription(deps, organization, smart, { start_on: SUPPLY.from }, act());
  }

  async function live({ analog, smart, word }: MadePerson): Promise<void> {
    const reading = { subscription: analog, timestamp: '2026-02-01T12:00:00+01:00' };
    await post('/meter-readings', { ...reading, value: 1_000, message: `abgelesen von ${word}` });
    const begin = Date.parse('2026-02-02T23:00:00Z');
    const data = Array.from({ length: 96 }, (_, quarter) => ({
      start: new Date(begin + quarter * 900_000).toISOString(),
      value: 0.4,
    }));
    const forecast = { scope: 'subscription', subscription: smart, resolution: '15min', unit: 'KW', data };
    /* The newest version does not take them any more. */
    await post('/load-forecasts', forecast, false, '2026-05-27.curie');
  }

  async function exchangeDevice({ analog, word }: MadePerson): Promise<void> {
    const { body } = await api.client(await token()).get(`/subscriptions/${analog}`);
    const given = { on: '2026-03-10', number: `3${word.toUpperCase()}0003`, closing: '1400', opening: '5' };
    await exchangeMeter(database, organization, (body.meter as { id: string }).id, given, act());
  }

  async function end({ analog, smart }: MadePerson): Promise<void> {
    const sent = { reason: 'MOVE_OUT', intended_end_at: '2026-04-01T00:00:00+02:00' };
    for (const id of [analog, smart]) await post(`/subscriptions/${id}/terminate`, sent);
  }

  async function lastValues({ analog, smart }: MadePerson): Promise<void> {
    const reading = { subscription: analog, timestamp: '2026-04-01T12:00:00+02:00' };
    await post('/meter-readings', { ...reading, value: 205 });
    /* The first day a second time with another value: the first one stays in the history. */
    for (const [until, kwh] of [
      ['2026-02-01T23:00:00Z', 0.2],
      ['2026-03-31T22:00:00Z', 0.123456],
    ] as const) {
      const lines = quarterHours('2026-01-31T23:00:00Z', until, kwh);
      const bytes = Buffer.from(['start,kwh', ...lines, ''].join('\n'));
      await importUsage(database, organization, smart, { name: 'usage.csv', bytes }, act());
    }
  }

  /** All that happened, to a receiver that names in its answers whom it is about. */
  async function tell(endpoint: string): Promise<void> {
    const events = await storedRows<{ id: string }>(api, 'SELECT id FROM events', []);
    for (const { id: event } of events) await fanOutEvent(deps, { organization, payload: { event } });
    const all = new AbortController();
    let left = events.length;
    const webhooks: WebhookRequests = {
      send: async (_receiver, { body }) => {
        left -= 1;
        if (left === 0) all.abort();
        const about = made.find(({ analog, smart }) => body.includes(analog) || body.includes(smart));
        const answer = `no account of ${about?.word}`;
        return { kind: 'answered', status: 200, answer, retryAfterSeconds: null, milliseconds: 1 };
      },
      close: async () => {},
    };
    const receiver = { url: '', secrets: [] };
    await serveListener({ database, clock, webhooks }, { organization, endpoint, receiver }, all.signal);
  }

  /** By a link of the back office, by an app, and by a sign-up that was begun only. */
  async function visit({ customer, word }: MadePerson): Promise<void> {
    const { link } = await post('/admin/magic_link', { customerId: customer }, false);
    await registeredClient(deps, { display_name: `App of ${word}`, customer_id: customer }, organization);
    const visitor = new Visitor();
    const page = await visitor.open(String(link));
    await visitor.submit(page, { next: /name="next" value="([^"]*)"/.exec(page.text)?.[1] ?? '' });
    const email = `Mail.${word}@example.org`;
    const answer = await consented(api, client, email);
    expect((await exchange(api, client, answer.get('code') ?? '')).status).toBe(200);
    await consented(api, client, email);
    clock.advance(3_600_000);
    const second = new Visitor();
    const login = await loginPage(api, second, { client_id: client.id, flow_type: 'signup' });
    const names = { type: 'person', first_name: word, last_name: word, company_name: '' };
    await second.submit(login, { ...names, email });
    await new Visitor().open(authorizeUrl(api, { client_id: client.id, login_hint: email }));
  }
}
