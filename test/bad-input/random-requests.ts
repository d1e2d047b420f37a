import fc from 'fast-check';
import { NEWEST_VERSION } from '../../src/config/versions.ts';
import type { Json, RouteRow } from '../routes/table/row.ts';
import { tableRows } from '../routes/table/table.ts';
import {
  edgesOf,
  type Operation,
  operations,
  type Parameter,
  schemasAt,
  validValues,
} from './descriptions.ts';
import { marker, placeMarkers } from './markers.ts';
import { encoded, oddBodies, oddHeaders, oddJson, oddSegments, oddTexts } from './odd-values.ts';
import { slotsOf, withBytes, withMember, withValue } from './slots.ts';

/** A request with markers in the place of what the running service knows. */
export interface RandomRequest {
  operation: Operation;
  method: string;
  url: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer | null;
  /** Path, method and version are those of the operation: it answers with a status that its description names. */
  isOfOperation: boolean;
}

/** Of every operation of every version; those that take a body have more to be wrong about. */
export function randomRequests(): fc.Arbitrary<RandomRequest> {
  return fc.oneof(
    ...operations.map((operation) => ({
      weight: operation.body === undefined ? 1 : 4,
      arbitrary: requestsOf(operation),
    })),
  );
}

const rows: ReadonlyMap<string, RouteRow> = new Map(tableRows);

const rowOf = ({ method, path }: Operation) => rows.get(`${method} ${path}`);

/** Requests of one operation: about a third is good, most have one thing wrong, some more. */
function requestsOf(operation: Operation): fc.Arbitrary<RandomRequest> {
  const [path, query] = [paths(operation), queries(operation)];
  return fc
    .record({ path, query, body: bodies(operation), headers: headers(operation), method: methods(operation) })
    .map(({ path: { address, isOdd }, query, body, headers, method }) => {
      const [own, given] = address.split('?');
      const text = [given, ...query].filter((part) => part !== undefined).join('&');
      const hasOtherVersion = headers.some(
        ([name, value]) => name === 'x-api-version' && value !== operation.version,
      );
      const hasType = headers.some(([name]) => name === 'content-type');
      return {
        ...{ operation, method, url: text === '' ? `${own}` : `${own}?${text}`, body: body?.bytes ?? null },
        headers: [...(body === null || hasType ? [] : [['content-type', body.type] as const]), ...headers],
        isOfOperation: !isOdd && method === operation.method && !hasOtherVersion,
      };
    });
}

/** The good one in so many of all. */
const mostly = <Good, Odd>(weight: number, good: fc.Arbitrary<Good>, odd: fc.Arbitrary<Odd>) =>
  fc.oneof({ weight, arbitrary: good }, { weight: 1, arbitrary: odd });

const OTHER_METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
];

const methods = ({ method }: Operation) => mostly(25, fc.constant(method), fc.constantFrom(...OTHER_METHODS));

function paths(operation: Operation): fc.Arbitrary<{ address: string; isOdd: boolean }> {
  const row = rowOf(operation);
  const good = placeMarkers.map((ids) => row?.path(ids) ?? operation.path);
  const odd = fc.tuple(good, oddSegments, fc.nat(4)).map(([address, segment, at]) => {
    if (at === 0) return `/${address}`;
    if (at === 1) return address.toUpperCase();
    if (at === 2) return `${address.split('?')[0]}/${segment}`;
    return operation.path.replace(/\{\w+\}|[^/]+$/, () => segment);
  });
  return mostly(
    12,
    good.map((address) => ({ address, isOdd: false })),
    odd.map((address) => ({ address, isOdd: true })),
  );
}

function queries({ parameters, schemas }: Operation): fc.Arbitrary<string[]> {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const pair = ({ name }: Parameter, value: unknown) => `${encoded(name)}=${encoded(String(value))}`;
  const odd = fc.tuple(oddTexts, oddTexts).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const raw = fc.constantFrom(
    'limit',
    '=',
    '&&',
    'limit=%',
    'cursor=%ff',
    'filter',
    'filter[]=1',
    'filter[a][eq]=1',
  );
  if (known.length === 0) return mostly(8, fc.constant([]), fc.array(fc.oneof(odd, raw), { maxLength: 3 }));
  const parameter = fc.constantFrom(...known);
  const named = (value: (chosen: Parameter) => fc.Arbitrary<unknown>) =>
    parameter.chain((chosen) => value(chosen).map((drawn) => pair(chosen, drawn)));
  const good = named(({ name, schema }) =>
    name === 'limit' ? fc.constantFrom(1, 1, 2, 100) : validValues(schema, schemas, nameOfFiltered(name)),
  );
  const wrong = fc.oneof(
    { weight: 4, arbitrary: named(() => oddTexts) },
    { weight: 2, arbitrary: named(({ schema }) => fc.constantFrom('', ...edgesOf(schema))) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('cut', 'flipped'), fc.nat(50))
        .map(([of, at]) => `cursor=${marker(of, at)}`),
    },
    { weight: 1, arbitrary: named(() => fc.constantFrom(...listTexts)) },
    odd,
    raw,
    parameter.map(({ name }) => `${encoded(name.slice(0, -1))}=1`),
  );
  return fc
    .tuple(
      fc.array(good, { maxLength: 2 }),
      mostly(2, fc.constant([]), fc.array(wrong, { minLength: 1, maxLength: 3 })),
    )
    .map(([first, second]) => [...first, ...second]);
}

/** `filter[customer][eq]` is about a customer. */
const nameOfFiltered = (name: string) => /^filter\[(\w+)\]/.exec(name)?.[1] ?? name;

/** For filters that take several values. */
const listTexts = [100, 101, 5_000].map((count) =>
  Array.from({ length: count }, (_, index) => index).join(','),
);

interface RandomBody {
  type: string;
  bytes: Buffer;
}

function bodies(operation: Operation): fc.Arbitrary<RandomBody | null> {
  const json = 'application/json';
  if (operation.body === undefined)
    return mostly(
      15,
      fc.constant(null),
      oddBodies.map((bytes) => ({ type: json, bytes })),
    );
  const good = goodBodies(operation);
  const wrong = fc
    .tuple(good, changes(operation), fc.option(changes(operation), { freq: 1 }))
    .map(([body, first, second]) => {
      const once = first(body);
      return second === null || Buffer.isBuffer(once) || slotsOf(once).length === 0 ? once : second(once);
    });
  const objects: fc.Arbitrary<Json | Buffer> = fc.oneof(
    { weight: 4, arbitrary: good },
    { weight: 9, arbitrary: wrong },
    { weight: 1, arbitrary: oddBodies },
  );
  return fc.tuple(fc.constantFrom(...operation.body.types), objects).map(([type, body]) => {
    if (Buffer.isBuffer(body)) return { type: json, bytes: body };
    const isForm = type !== json;
    return { type, bytes: Buffer.from(isForm ? formOf(body) : JSON.stringify(body)) };
  });
}

function formOf(body: Json): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.entries(body)
    .map(([name, value]) => `${encoded(name)}=${encoded(text(value))}`)
    .join('&');
}

function goodBodies(operation: Operation): fc.Arbitrary<Json> {
  const { body, schemas, version } = operation;
  const row = rowOf(operation);
  const isNewest = version === NEWEST_VERSION;
  const ofTable = fc.tuple(placeMarkers, fc.nat()).map(([ids, which]): Json => {
    const variants = (isNewest ? row?.bodies?.full(ids) : undefined) ?? [row?.body?.(ids) ?? {}];
    return variants[which % variants.length] ?? {};
  });
  return fc.oneof(
    { weight: row === undefined ? 0 : 5, arbitrary: ofTable },
    { weight: 1, arbitrary: fc.constant((body?.example ?? {}) as Json) },
    { weight: 3, arbitrary: validValues(body?.schema ?? {}, schemas) as fc.Arbitrary<Json> },
  );
}

type Change = (body: Json) => Json | Buffer;

/** Which place is meant is drawn as a number, because every body has other ones. */
function changes({ body, schemas }: Operation): fc.Arbitrary<Change> {
  const at = fc.nat();
  const inPlace =
    (change: (body: Json, path: readonly (string | number)[]) => Json | Buffer) =>
    (place: number): Change =>
    (given) => {
      const slots = slotsOf(given);
      const slot = slots[place % slots.length];
      return slot === undefined ? given : change(given, slot.path);
    };
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(at, oddJson)
        .map(([place, bytes]) => inPlace((given, path) => withBytes(given, path, bytes))(place)),
    },
    {
      weight: 6,
      arbitrary: fc.tuple(at, fc.nat()).map(([place, which]) =>
        inPlace((given, path) => {
          const edges = schemasAt(body?.schema ?? {}, path, schemas).flatMap(edgesOf);
          return edges.length === 0 ? given : withValue(given, path, edges[which % edges.length]);
        })(place),
      ),
    },
    { weight: 2, arbitrary: at.map(inPlace((given, path) => withValue(given, path, undefined))) },
    {
      weight: 2,
      arbitrary: fc.tuple(at, at).map(([from, to]) =>
        inPlace((given, path) => {
          const slots = slotsOf(given);
          return withValue(given, path, slots[from % slots.length]?.value);
        })(to),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(oddTexts, oddJson).map(
        ([key, bytes]): Change =>
          (given) => {
            const member = Buffer.concat([Buffer.from(`${JSON.stringify(key)}:`), Buffer.from(bytes)]);
            return withMember(JSON.stringify(given), member);
          },
      ),
    },
  );
}

/** By their places in the list of tokens: most often the one that may do everything. */
const tokens = mostly(12, fc.constant(0), fc.constantFrom(1, 2, 3));

function headers({ version, path }: Operation): fc.Arbitrary<(readonly [string, string])[]> {
  const authorization = path.startsWith('/oauth/')
    ? mostly(8, fc.constant(marker('client', 'basic')), fc.constant('Basic eDp5'))
    : tokens.map((at) => `Bearer ${marker('token', at)}`);
  return fc
    .tuple(authorization, mostly(6, fc.constant([]), fc.array(oddHeaders, { minLength: 1, maxLength: 2 })))
    .map(([authorization, odd]) => {
      const replaced = new Set(odd.map(([name]) => name));
      const usual = [
        ['authorization', authorization],
        ['x-api-version', version],
      ] as const;
      return [...usual.filter(([name]) => !replaced.has(name)), ...odd];
    });
}
