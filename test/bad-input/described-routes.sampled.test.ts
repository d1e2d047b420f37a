import { randomInt } from 'node:crypto';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../src/config/versions.ts';
import { type Fixture, startFixture, TOKEN_NAMES } from '../isolation/fixture.ts';
import { missingIds } from '../routes/table/place.ts';
import type { Ids } from '../routes/table/row.ts';
import { createClient, type TestClient } from '../setup/factories.ts';
import { isLongTier } from '../setup/tier.ts';
import { descriptions, schemasAt } from './descriptions.ts';
import { marker } from './markers.ts';
import { type RandomRequest, randomRequests } from './random-requests.ts';
import { type Exchange, runRandom } from './random-run.ts';

/*
 * Requests of every operation of every version, drawn from the checked-in descriptions. More of them, or those of one seed:
 * `BAD_INPUT_REQUESTS=100000 BAD_INPUT_SEED=1 npm test -- test/bad-input/described-routes.sampled.test.ts`
 */

let fixture: Fixture;
let client: TestClient;
/** Of the other organization, and in no request: names, addresses, numbers. */
let foreign: readonly string[];
beforeAll(async () => {
  fixture = await startFixture();
  const { b1 } = fixture.places;
  const sendable = new Set(Object.keys(none).map((name) => b1[name as keyof Ids]));
  foreign = b1.private.filter((text) => !sendable.has(text));
  client = await createClient(fixture.api.deps, fixture.places.a1.organization);
});
afterAll(() => fixture?.close());

const none = missingIds();

const ajv = new Ajv2020.default({ strict: false, allErrors: false });
addFormats.default(ajv);
const idOf = (version: string) => `https://description.example/${version}`;
for (const version of VERSION_NAMES) ajv.addSchema({ $id: idOf(version), ...descriptions.get(version) });

function schemaOf(drawn: RandomRequest, status: number): ValidateFunction | undefined {
  const { version, path, method } = drawn.operation;
  /* What the transport refuses never came to the endpoint. */
  const isOfEndpoint = drawn.isOfOperation && !OF_TRANSPORT.includes(`${status}`);
  const error = isOfEndpoint && path.startsWith('/oauth/') ? 'TokenError' : 'Error';
  const place =
    status >= 400
      ? ['components', 'schemas', error]
      : [
          'paths',
          path,
          method.toLowerCase(),
          'responses',
          `${status}`,
          'content',
          'application/json',
          'schema',
        ];
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  return ajv.getSchema(`${idOf(version)}#/${pointer.join('/')}`);
}

/** Statuses of any request: what no description of one operation needs to name. */
const OF_TRANSPORT = ['431'];

function problemOf({ drawn, sent, answer }: Exchange<RandomRequest>): string | undefined {
  const { operation } = drawn;
  const { status, headers, text } = answer;
  if (status >= 500) return 'the service failed';
  if (typeof headers['x-request-id'] !== 'string') return 'no X-Request-Id';
  if (!isOfOther(drawn) && foreign.some((mark) => text.includes(mark)))
    return 'it shows what belongs to another organization';
  const isDescribed = [...operation.statuses, ...OF_TRANSPORT].includes(`${status}`);
  if (drawn.isOfOperation && !isDescribed) return `no description names the status ${status}`;
  if (sent.method === 'HEAD' || status < 200 || status === 204 || status === 304) return undefined;
  if (status < 400 && (!drawn.isOfOperation || !isJson(headers))) return undefined;
  if (status >= 400 && !isJson(headers)) return 'a refusal that is no JSON';
  const body = JSON.parse(text) as ErrorBody;
  const check = schemaOf(drawn, status);
  if (check !== undefined && !check(body)) return `not as described: ${ajv.errorsText(check.errors)}`;
  if (status < 400) return undefined;
  if (body.requestId !== headers['x-request-id']) return 'another requestId than in the header';
  return drawn.isOfOperation && (status === 400 || status === 422) ? unnamedPlace(drawn, body) : undefined;
}

const isOfOther = ({ headers }: RandomRequest) =>
  headers.some(([, value]) => value.includes(marker('token', TOKEN_NAMES.indexOf('B full'))));

const isJson = (headers: Exchange<RandomRequest>['answer']['headers']) =>
  `${headers['content-type']}`.startsWith('application/json');

interface ErrorBody {
  requestId: string;
  message: string;
  errors?: { code: string; field: string; message: string }[];
}

/** A problem says where it is: in a field of the body, a parameter or a header that is described or was sent. */
function unnamedPlace(
  { operation, url, headers, body }: RandomRequest,
  { errors }: ErrorBody,
): string | undefined {
  const { parameters, path, schemas } = operation;
  const hasEntries = 'errors' in (schemas.Error?.properties ?? {}) && !path.startsWith('/oauth/');
  if (!hasEntries) return undefined;
  if (errors === undefined || errors.length === 0) return 'no problem is named';
  const query = url.split('?')[1] ?? '';
  const shapes = schemasAt(operation.body?.schema ?? {}, [], schemas);
  const known = [
    ...shapes.flatMap(({ properties }) => Object.keys(properties ?? {})),
    ...parameters.map(({ name }) => name),
    ...headers.map(([name]) => name),
    ...query.split('&').map((pair) => pair.split('=')[0] ?? ''),
    ...new URLSearchParams(query).keys(),
    ...keysOf(body),
  ].map((name) => name.toLowerCase());
  const isPlace = (field: string) =>
    field === '' ||
    known.some((name) => field === name || field.startsWith(`${name}.`) || name.startsWith(`${field}[`));
  const unplaced = errors.find(({ field, message }) => message === '' || !isPlace(field.toLowerCase()));
  return unplaced && `a problem without a place: ${JSON.stringify(unplaced)}`;
}

function keysOf(body: Buffer | null): string[] {
  try {
    return Object.keys(JSON.parse(`${body}`));
  } catch {
    return [];
  }
}

/** `next_page` of lists, for cursors of any list, version and caller. */
const cursors: string[] = [];

function keepCursor({ text }: Exchange<RandomRequest>['answer']): void {
  const cursor = /"next_page":"([^"]+)"/.exec(text)?.[1];
  if (cursor !== undefined) cursors.unshift(cursor);
  if (cursors.length > 50) cursors.pop();
}

function known(of: string, name: string): string {
  const places: Readonly<Record<string, Ids>> = { ...fixture.places, none };
  const cursor = cursors[Number(name) % Math.max(cursors.length, 1)] ?? 'none';
  switch (of) {
    case 'token':
      return fixture.tokens[TOKEN_NAMES[Number(name)] ?? 'A full'].text;
    case 'client':
      return `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`;
    case 'cursor':
      return cursor;
    case 'cut':
      return cursor.slice(0, -4);
    case 'flipped':
      return `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`;
    default:
      return places[of]?.[name as keyof Ids] ?? `~${of}.${name}~`;
  }
}

/** Events get their places in the list when somebody reads it, and a refused client is kept in the audit log. */
const STORES_WHEN_REFUSED = /^\/(events|oauth)/;

const title =
  'random requests of every described operation are answered as described, and store nothing when refused';
test(title, { timeout: 24 * 3_600_000 }, async () => {
  const requests = Number(process.env.BAD_INPUT_REQUESTS ?? (isLongTier ? 10_000 : 100));
  const statuses = await runRandom({
    ...{
      requests,
      seed: randomInt(2 ** 31),
      baseUrl: fixture.api.baseUrl,
      arbitrary: randomRequests(),
      known,
    },
    problemOf: (answered) => {
      keepCursor(answered.answer);
      return problemOf(answered);
    },
    isRefused: ({ sent, answer }) =>
      (answer.status >= 400 || sent.method === 'GET') && !STORES_WHEN_REFUSED.test(sent.url),
    stored: () => fixture.state.whole(),
  });
  for (const status of [200, 400]) expect(statuses.get(status)).toBeGreaterThan(requests / 10);
});
