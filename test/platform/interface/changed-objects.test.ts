import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { customerVatId } from '../../../src/api/versions/2026-05-27-curie.ts';
import { VERSIONS } from '../../../src/config/versions.ts';
import { customer } from '../../../src/identity/customers/schema.ts';
import { changedObjects, rewriteOfObjects } from '../../../src/platform/interface/changed-objects.ts';
import { listRoute, route } from '../../../src/platform/interface/route.ts';
import type { VersionChange } from '../../../src/platform/interface/version-change.ts';
import { createVersionEngine } from '../../../src/platform/interface/versioning.ts';
import { compiled } from '../../../src/platform/interface/zod.ts';

/* A change by object: nobody names the routes and places where such an object is shown. */

const part = z
  .object({ object: z.literal('part'), name: z.string(), weight: z.number() })
  .meta({ id: 'Part' });
const box = z.object({ object: z.literal('box'), lid: part, label: z.string() });

const places = {
  'the answer itself': [part, (shown: unknown) => shown],
  'a member': [z.object({ part }), (shown: unknown) => ({ part: shown })],
  'a member that may be null': [z.object({ part: part.nullable() }), (shown: unknown) => ({ part: shown })],
  'a member that may be left out': [
    z.object({ part: part.optional() }),
    (shown: unknown) => ({ part: shown }),
  ],
  'an array': [z.object({ parts: z.array(part).max(3) }), (shown: unknown) => ({ parts: [shown, shown] })],
  'a record': [z.record(z.string(), part), (shown: unknown) => ({ left: shown, right: shown })],
  'another object': [
    z.object({ box }),
    (shown: unknown) => ({ box: { object: 'box', lid: shown, label: 'x' } }),
  ],
  'one option of a union told apart by `object`': [
    z.object({ data: z.discriminatedUnion('object', [part, box]) }),
    (shown: unknown) => ({ data: shown }),
  ],
  'an option of a union with an id': [
    z.object({ part: z.union([z.string(), part]) }),
    (shown: unknown) => ({ part: shown }),
  ],
} satisfies Record<string, [z.ZodType, (shown: unknown) => unknown]>;

const withoutWeight = (newer: z.ZodType) => (newer as z.ZodObject).omit({ weight: true });
const rewrite = ({ weight, ...older }: Record<string, unknown>) => older;

const newest = { object: 'part', name: 'bolt', weight: 3 };
const older = { object: 'part', name: 'bolt' };

describe('an object is found wherever an answer shows it', () => {
  test.each(Object.entries(places))('%s', (_name, [schema, around]) => {
    const oldSchema = changedObjects(schema, 'part', withoutWeight);
    expect(compiled(oldSchema).parse(around(newest))).toEqual(around(older));
    expect(JSON.stringify(z.toJSONSchema(oldSchema))).not.toContain('weight');
    expect(JSON.stringify(z.toJSONSchema(oldSchema))).toContain('Part');
    expect(rewriteOfObjects(schema, 'part', rewrite)?.(around(newest))).toEqual(around(older));
  });

  test('what is null, left out, an id or another option stays as it is', () => {
    const shown = z.object({
      first: part.nullable(),
      second: part.optional(),
      third: z.union([z.string(), part]),
    });
    const value = { first: null, third: 'part_1' };
    expect(rewriteOfObjects(shown, 'part', rewrite)?.(value)).toEqual(value);
    const data = z.discriminatedUnion('object', [
      part,
      z.object({ object: z.literal('bag'), weight: z.number() }),
    ]);
    expect(rewriteOfObjects(data, 'part', rewrite)?.({ object: 'bag', weight: 1 })).toEqual({
      object: 'bag',
      weight: 1,
    });
  });

  test('the rules of the schema around it stay', () => {
    const few = changedObjects(z.array(part).max(1), 'part', withoutWeight);
    expect(compiled(few).safeParse([older, older]).success).toBe(false);
  });

  test('an answer without such an object is left alone: the same schema, and nothing to do for a body', () => {
    const bag = z.object({ object: z.literal('bag'), names: z.array(z.string()) });
    expect(changedObjects(bag, 'part', withoutWeight)).toBe(bag);
    expect(rewriteOfObjects(bag, 'part', rewrite)).toBeNull();
  });

  test('a kind of schema that nobody can look into stops the start', () => {
    const hidden = z.object({ part: z.lazy(() => part) });
    expect(() => changedObjects(hidden, 'part', withoutWeight)).toThrow('type lazy');
    expect(() => rewriteOfObjects(hidden, 'part', rewrite)).toThrow('type lazy');
  });
});

describe('a new route that shows a customer', () => {
  const shown = {
    tag: 'Visits',
    customerTokens: 'own',
    response: z.object({ object: z.literal('visit'), guests: z.array(z.object({ customer })) }),
  } as const;
  const handler = async () => {
    throw new Error('not called');
  };
  const visits = [
    route({ ...shown, method: 'GET', path: '/visits/{id}', summary: 'A visit', handler }),
    listRoute({ ...shown, path: '/visits', summary: 'Visits', list: { filters: {} }, handler }),
  ];
  const engine = createVersionEngine(VERSIONS, [customerVatId], visits);
  const visit = {
    object: 'visit',
    guests: [
      {
        customer: {
          object: 'customer',
          id: 'cus_1',
          type: 'person',
          first_name: 'A',
          last_name: 'B',
          email: 'a@b.example',
          vat_id: '1',
          created_at: '2026-01-01T00:00:00.000Z',
        },
      },
    ],
  };

  test.each(['GET /visits/{id}', 'GET /visits'] as const)(
    '%s shows older versions the older customer, without a line in the change',
    (name) => {
      expect(engine.backward(name, '2026-05-27.curie', visit)).toEqual(visit);
      const before = engine.backward(name, '2026-01-29.edison', visit);
      expect(JSON.stringify(before)).not.toContain('vat_id');
      const { response } = engine.contract(name, '2026-01-29.edison');
      expect(compiled(response).parse(before)).toEqual(before);
      expect(JSON.stringify(z.toJSONSchema(response))).not.toContain('vat_id');
      expect(engine.routesWithObject(customerVatId)).toContain(name);
    },
  );

  test('a change of an object that no answer shows stops the start', () => {
    const wrong: VersionChange = { ...customerVatId, appliesTo: { object: 'costumer' } };
    expect(() => createVersionEngine(VERSIONS, [wrong], visits)).toThrow(
      'the object costumer, which no answer shows',
    );
  });

  test('a change of a version that there is not stops the start', () => {
    const wrong: VersionChange = { ...customerVatId, version: '2026-05-28.curie' };
    expect(() => createVersionEngine(VERSIONS, [wrong], visits)).toThrow('of no version that there is');
  });
});
