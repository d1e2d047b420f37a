import type { FastifyRequest } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { LATEST_STABLE_VERSION, VERSIONS } from '../../../src/config/versions.ts';
import { keptInput } from '../../../src/platform/interface/check-input.ts';
import { type ApiRoute, route } from '../../../src/platform/interface/route.ts';
import { createVersionEngine } from '../../../src/platform/interface/versioning.ts';
import type { VersionName } from '../../../src/platform/version-name.ts';

/** The days that were looked at. */
let seen: string[] = [];

const prices: ApiRoute = route({
  method: 'GET',
  path: '/kept-prices',
  summary: 'Prices',
  tag: 'Prices',
  customerTokens: 'no',
  prepared: true,
  turn: ({ day }) => (day === 'long' ? 'long' : null),
  query: z.object({
    day: z.string().refine((day) => {
      seen.push(day);
      return day !== 'never';
    }),
  }),
  response: z.object({ object: z.literal('price') }),
  handler: async () => ({ object: 'price' as const }),
});
const OLDEST = VERSIONS.names[0] as VersionName;
const engine = createVersionEngine(
  VERSIONS,
  [
    {
      version: VERSIONS.names[1] as VersionName,
      summary: 'Days have other names',
      before: '',
      after: '',
      appliesTo: ['GET /kept-prices'],
      request: ({ query, body }) => ({ query: { day: `new ${query.day}` }, body }),
    },
  ],
  [prices],
);

let inputOf: (request: FastifyRequest) => ReturnType<ReturnType<typeof keptInput>>;
beforeEach(() => {
  seen = [];
  inputOf = keptInput({ versions: engine, cursorKey: '' }, prices);
});

function requestFor(day: string, apiVersion: VersionName = LATEST_STABLE_VERSION): FastifyRequest {
  return { apiVersion, raw: { url: `/kept-prices?day=${day}` }, body: undefined } as FastifyRequest;
}

test('an address of a prepared route is checked once, however many ask for it', () => {
  for (const day of ['today', 'today', 'long', 'today', 'long']) {
    expect(inputOf(requestFor(day))).toMatchObject({
      query: { day },
      list: null,
      turn: day === 'long' ? 'long' : null,
    });
  }
  expect(seen).toEqual(['today', 'long']);
});

test('each version reads the same address in its own way', () => {
  expect(inputOf(requestFor('today')).query).toEqual({ day: 'today' });
  expect(inputOf(requestFor('today', OLDEST)).query).toEqual({ day: 'new today' });
  expect(inputOf(requestFor('today')).query).toEqual({ day: 'today' });
});

test('a wrong address is refused each time', () => {
  for (const day of ['never', 'never', 'today', 'never']) {
    if (day === 'today') expect(inputOf(requestFor(day)).query).toEqual({ day });
    else expect(() => inputOf(requestFor(day))).toThrow(expect.objectContaining({ status: 400 }));
  }
});

test('no handler changes what the next caller gets', () => {
  const { query } = inputOf(requestFor('today'));
  expect(() => {
    query.day = 'another';
  }).toThrow(TypeError);
  expect(inputOf(requestFor('today')).query).toEqual({ day: 'today' });
});

test('what is kept is bounded, whatever is asked for', () => {
  for (let number = 0; number < 400; number += 1) inputOf(requestFor(`${number}`.padStart(1_000, 'x')));
  seen = [];
  inputOf(requestFor('0'.padStart(1_000, 'x')));
  inputOf(requestFor('399'.padStart(1_000, 'x')));
  expect(seen).toHaveLength(1);
});
