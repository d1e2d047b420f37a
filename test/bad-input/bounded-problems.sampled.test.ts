import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodiesOf, bodyRouteNames } from '../routes/table/table.ts';
import type { Answer } from '../setup/client.ts';
import { isLongTier, sampled } from '../setup/tier.ts';
import {
  type BadInputService,
  type ErrorBody,
  routesOfEachKind,
  startBadInputService,
  untilTaken,
} from './service.ts';
import { slotsOf, withBytes, withMember } from './slots.ts';

/*
 * Every problem is listed, and so a body of nothing but problems must not hold more of them than a good one has places:
 * otherwise 1 MiB takes the process for seconds and is answered with 32 MB.
 */

let service: BadInputService;

beforeAll(async () => {
  service = await startBadInputService();
});
afterAll(() => service?.close());

/** Just below what a body may have. */
const BYTES = 1024 * 1024 - 4096;
/** A good body of the largest kind names a hundred orders; a long key is named as it was sent, once. */
const ANSWER_BYTES_MAX = 128 * 1024;
/** Of the processor, the sending included: 50 to 200. Before, 4,000. */
const WORK_MILLISECONDS_MAX = 1_500;
/** The process may collect the garbage of other files meanwhile, which costs more than the request. */
const TRIES_MAX = 3;

function filled(open: string, part: (index: number) => string, close: string): string {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < BYTES; index += 1) {
    const next = part(index);
    parts.push(next);
    length += next.length + 1;
  }
  return open + parts.slice(0, -1).join(',') + close;
}

const routes = isLongTier ? bodyRouteNames : routesOfEachKind;

const HARD: readonly [string, string][] = [
  ['unknown members', filled('{', (index) => `"k${index}":1`, '}')],
  ['members whose names are refused', filled('{', (index) => `"\\u0007${index}":"\\u0007"`, '}')],
  ['numbers', filled('[', () => '1e999', ']')],
  ['empty objects', filled('[', () => '{}', ']')],
  ['lists below a long name', filled(`{"${'k'.repeat(3_000)}":[`, () => '"\\u0007"', ']}')],
];

async function expectBounded(send: () => Promise<Answer<ErrorBody>>): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES_MAX && least >= WORK_MILLISECONDS_MAX; tries += 1) {
    const before = process.cpuUsage();
    const answer = await send();
    const { user, system } = process.cpuUsage(before);
    expect(answer.status, answer.text.slice(0, 300)).toBeLessThan(500);
    expect(answer.text.length, answer.text.slice(0, 300)).toBeLessThan(ANSWER_BYTES_MAX);
    least = Math.min(least, (user + system) / 1_000);
  }
  expect(least).toBeLessThan(WORK_MILLISECONDS_MAX);
}

describe.each(routes)('%s', (name) => {
  test.each(HARD)(
    '1 MiB of %s, in the place of each object and list, is answered briefly',
    async (what, hard) => {
      const bodies = bodiesOf(name)
        .full(service.home)
        .flatMap((body) => [
          () => withMember(JSON.stringify(body), `"unknown":${hard}`),
          ...slotsOf(body)
            .filter(({ value }) => typeof value === 'object' && value !== null)
            .map(
              ({ path }) =>
                () =>
                  withBytes(body, path, hard),
            ),
        ]);
      const turn = routes.indexOf(name) + HARD.findIndex(([title]) => title === what);
      for (const make of sampled(bodies, Math.min(bodies.length, 5), turn)) {
        await expectBounded(() => service.send(name, make()));
      }
    },
  );
});

test('of 10,000 rows with many unknown keys each the first of every row are named and the others counted', async () => {
  const { household, inverter } = service.home;
  const unknown = Array.from({ length: 18 }, (_, index) => [`k${index}`, 1] as const);
  const snapshots = Array.from({ length: 10_000 }, (_, second) => ({
    asset: inverter,
    timestamp: new Date(Date.UTC(2026, 10, 1) + second * 1000).toISOString(),
    power_kw: 1,
    ...Object.fromEntries(unknown),
  }));
  const body = JSON.stringify({ household, snapshots });
  const answer = await service.send('POST /asset-snapshots', body);
  expect(answer.status).toBe(400);
  expect(answer.body.errors?.length).toBe(10_000 * 9);
  expect(answer.body.errors?.[8]).toEqual({
    code: 'unrecognized_keys',
    field: 'snapshots.0',
    message: '10 more unrecognized keys',
  });
});

test('a query of 14 kB of bad filters and repeated parameters is answered briefly', async () => {
  const client = service.api.client(service.token, { version: '2026-09-08.gauss' });
  const fill = (part: (index: number) => string) =>
    Array.from({ length: 14_000 / (part(1_000).length + 1) }, (_, index) => part(index)).join('&');
  for (const query of [
    fill((index) => `filter[f${index}][eq]=1`),
    fill((index) => `filter[type][o${index}]=1`),
    fill(() => 'filter[type][eq]=person'),
    fill(() => 'limit=1'),
    fill(() => 'filter'),
  ]) {
    const answer = await untilTaken(() => client.get<ErrorBody>(`/customers?${query}`));
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(64 * 1024);
  }
  const many = fill((index) => `filter[f${index}][eq]=1`);
  const answer = await untilTaken(() => client.get<ErrorBody>(`/customers?${many}`));
  expect(answer.body.errors).toHaveLength(101);
  expect(answer.body.errors?.at(-1)).toMatchObject({ code: 'custom', field: 'filter[f100][eq]' });
});
