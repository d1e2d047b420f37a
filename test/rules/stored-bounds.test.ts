import { afterAll, beforeAll, expect, test } from 'vitest';
import { MEASURED } from '../../src/telemetry/snapshots/fields.ts';
import { newLead } from '../contracts/leads/lead-bodies.ts';
import { type Known, SIGNED_UP_AT, SignUps } from '../contracts/subscriptions/sign-ups.ts';
import type { ApiClient } from '../setup/client.ts';
import { type QuoteService, startQuoteService } from '../tariffs/quotes/quote-service.ts';
import { type AssetList, addDevice, devices } from '../telemetry/assets/devices.ts';
import { requestNumbers } from './request-numbers.ts';

/* What the interface admits, columns, calculations and answers can hold: both bounds of each number go in and come out. */

const NEWEST = '2026-09-08.gauss';

let signUps: SignUps;
let client: ApiClient;
let known: Known;
let quotes: QuoteService;
beforeAll(async () => {
  signUps = await SignUps.start(SIGNED_UP_AT, { alone: true });
  client = await signUps.client();
  known = await signUps.known();
  quotes = await startQuoteService();
  await addDevice(client, known.household, devices.inverter);
});
afterAll(async () => {
  await quotes?.api.close();
  await signUps?.close();
});

type Body = Record<string, unknown>;

/** The body with this value at a path of names. */
function set(body: Body, path: string, value: number): Body {
  const [name = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : set((body[name] ?? {}) as Body, rest.join('.'), value);
  return { ...body, [name]: inner };
}

const ZIP = '10115';

/** What a described thing must say beside the number. */
const OTHERS_NEEDED: Record<string, Body> = {
  'assets.ev': { assets: { ev: { distance: 12_000 } } },
  'assets.heatpump': { assets: { heatpump: { usage: 4_000 } } },
  'assets.pv': { assets: { pv: { self_sufficiency: 0.4 } } },
  'assets.battery': { assets: { battery: { capacity: 10, power: 5 } } },
  current_tariff: { current_tariff: { base_fee: 100, var_fee: 0.3 } },
};

/** Status and stored body of each request that holds the number. */
const REQUESTS: Record<string, (path: string, value: number) => Promise<{ status: number; text: string }>> = {
  'post /subscriptions': (path, value) => client.post('/subscriptions', set(signUps.body(), path, value)),
  'post /leads': (path, value) => client.post('/leads', set(newLead(signUps.plan), path, value)),
  'post /meter-readings': async (path, value) => {
    const { id } = await signUps.endingSoon();
    const body = { subscription: id, timestamp: '2026-09-01T00:00:00Z' };
    return client.post('/meter-readings', set(body, path, value));
  },
  'post /assets': async (path, value) => client.post('/assets', set(await device(path), path, value)),
  'patch /assets/{id}': async (path, value) => {
    const { id } = await addDevice(client, known.household, await device(path));
    return client.patch(`/assets/${id}`, set({}, path, value));
  },
  'post /plans/{id}/quote': (path, value) => {
    const body = { zip_code: ZIP, usage: { consumption: 2_500 } };
    return quotes.client().post(`/plans/${quotes.plans.dynamisch}/quote`, set(body, path, value));
  },
  'post /plans/{id}/savings': (path, value) => {
    const [, ofAsset = ''] = /^(assets\.[a-z]+)\./.exec(path) ?? [];
    const body = {
      zip_code: ZIP,
      household: { usage: 2_500 },
      ...OTHERS_NEEDED[ofAsset || path.split('.')[0] || ''],
    };
    return quotes.client().post(`/plans/${quotes.plans.dynamisch}/savings`, set(body, path, value));
  },
  'post /asset-snapshots': async (path, value) => {
    const field = path.replace('snapshots.', '');
    const asset = await measuring(field);
    const row = { asset, timestamp: `2026-10-05T00:00:0${value > 0 ? 1 : 2}Z`, [field]: value };
    return client.post('/asset-snapshots', { household: known.household, snapshots: [row] });
  },
};

async function device(path: string): Promise<Body> {
  const [type = ''] = path.split('.');
  const body = Object.values(devices).find((device) => device.type === type);
  const { body: found } = await client.get<AssetList>(
    `/assets?filter[household][eq]=${known.household}&limit=100`,
  );
  const inverter = found.items.find((asset) => asset.type === 'inverter')?.id;
  return { household: known.household, ...body, ...(type === 'solar' && { parent_inverter: inverter }) };
}

async function measuring(field: string): Promise<string> {
  const types = MEASURED.fields.find(({ name }) => name === field)?.types ?? [];
  if (types.includes('household_net')) {
    const { body } = await client.get<AssetList>(
      `/assets?filter[household][eq]=${known.household}&limit=100`,
    );
    return body.items.find(({ type }) => type === 'household_net')?.id ?? '';
  }
  const sender = Object.values(devices).find(({ type }) => type === types[0]);
  if (sender === undefined) throw new Error(`No device sends ${field}`);
  return (await addDevice(client, known.household, sender)).id;
}

const inBodies = requestNumbers(NEWEST).filter(({ name }) => !name.startsWith('get '));

test.each(inBodies)('$name: its bounds are stored and answered', async ({ name, least, greatest }) => {
  const [, request = '', path = ''] = /^(\S+ \S+) (\S+)$/.exec(name) ?? [];
  for (const value of [least, greatest]) {
    const answer = await REQUESTS[request]?.(path, value ?? Number.NaN);
    expect([answer?.status, answer?.text]).toEqual([200, expect.anything()]);
  }
});

test('what was stored is listed', async () => {
  for (const path of [
    '/subscriptions',
    '/leads',
    '/meter-readings',
    '/assets',
    `/asset-snapshots?filter[household][eq]=${known.household}`,
  ]) {
    const answer = await client.get<{ items: unknown[] }>(path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.body.items.length).toBeGreaterThan(0);
  }
});
