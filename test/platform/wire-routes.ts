import { z } from 'zod';
import { Failure } from '../../src/platform/errors.ts';
import { type ApiRoute, listRoute, route } from '../../src/platform/interface/route.ts';
import { wireSchemas } from '../../src/platform/interface/wire-schemas.ts';

/** Of the thing that is there. */
const ONE_THING = 'thing_000000000000000000000001';

/* The routes of the small application on which the platform is tried over the wire. */

const thing = z.object({ object: z.literal('thing'), id: z.string(), name: z.string(), count: z.number() });
const KIND = { object: 'thing' } as const;

const batch = z.object({
  object: z.literal('batch'),
  rows: z.int(),
});

/** The list of things for versions without pages: so many portions, of which the last one read is told. */
export interface Portions {
  count: number;
  read: number;
}

const NAME_OF_PORTION = 'x'.repeat(100_000);

/** What keeps batches from being answered, and how many wait at it or have passed it. */
export interface Gate {
  open: Promise<void>;
  begun: number;
  /** How many were told to stop. */
  stopped: number;
}

export function wireRoutes(gate: Gate, portions: Portions): ApiRoute[] {
  const about = { tag: 'Things', customerTokens: 'no' } as const;
  return [
    listRoute({
      ...about,
      path: '/things',
      summary: 'List things',
      response: thing,
      list: { filters: { name: { type: 'string' } } },
      handler: async ({ list }) => {
        if (portions.count === 0) {
          const name = `${list.limit}`;
          return { items: [{ ...KIND, id: 'thing_1', name, count: list.filters.length }], next_page: null };
        }
        portions.read = Number(list.after?.id ?? 0) + 1;
        const id = String(portions.read);
        return {
          items: [{ ...KIND, id, name: NAME_OF_PORTION, count: portions.read }],
          next_page: portions.read < portions.count ? list.cursorAfter({ created_at: '', id }) : null,
        };
      },
    }),
    route({
      ...about,
      method: 'POST',
      path: '/things',
      summary: 'Create a thing',
      body: z.object({
        name: wireSchemas.name({ max: 100 }),
        count: z.number().default(0),
        extra: z.unknown().optional(),
      }),
      response: thing,
      handler: async ({ body }) => ({ ...KIND, id: 'thing_2', name: body.name, count: body.count }),
    }),
    route({
      ...about,
      method: 'GET',
      path: '/things/{id}',
      summary: 'One thing',
      response: thing,
      handler: async ({ pathId }) => {
        if (pathId !== ONE_THING) throw new Failure('NOT_FOUND');
        await gate.open;
        return { ...KIND, id: pathId, name: 'one', count: 1 };
      },
    }),
    route({
      ...about,
      method: 'POST',
      path: '/batches',
      summary: 'A large body',
      body: z.object({ rows: z.array(z.unknown()).default([]) }),
      response: batch,
      bodyBytesMax: 16 * 1024 * 1024,
      storedRows: ({ rows }) => rows,
      handler: async ({ body, signal }) => {
        gate.begun += 1;
        signal.addEventListener('abort', () => {
          gate.stopped += 1;
        });
        await gate.open;
        return { object: 'batch' as const, rows: body.rows.length };
      },
    }),
  ];
}
