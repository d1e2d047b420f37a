import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  mayFollow,
  type Position,
  STAGE_NAMES,
  type StageName,
  type StepName,
} from '../../../src/contracts/meter-orders/moves.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { CURIE, commandTo, EDISON, type Order, Orders, STAMP } from './orders.ts';

/*
 * Every move of an order and every one that is not allowed, by the command line, seen by the interface in both forms, and
 * in the events: an eleventh of them by `npm test`, each stage as the beginning and as the end of some, all of them by
 * `npm run test:long`. What is expected is written out here and not asked of the code.
 */

const STEPS: readonly StepName[] = [
  ...(['intended', 'waiting', 'ordered', 'details_received', 'checked', 'installation_planning'] as const),
  ...(['installation_scheduled', 'installation_waiting', 'installation_finished', 'installed'] as const),
  'activated',
];
const ALL: readonly StageName[] = [...STEPS, 'pre_installed', 'cancelled', 'blocked', 'blocked_wim'];

/** Columns as in `ALL`; `+`: may follow. A block has the row of the step that it lies on. */
const TABLE: Readonly<Record<StepName | 'pre_installed' | 'cancelled', string>> = {
  intended: /*              */ '. + + + + + + + + + + + + + +',
  waiting: /*               */ '. . + + + + + + + + + + + + +',
  ordered: /*               */ '. . . + + + + + + + + + + + +',
  details_received: /*      */ '. . . . + + + + + + + + + + +',
  checked: /*               */ '. . . . . + + + + + + + + + +',
  installation_planning: /* */ '. . . . . . + + + + + + + + +',
  installation_scheduled: /**/ '. . . . . . . + + + + + + + +',
  installation_waiting: /*  */ '. . . . . . . . + + + + + + +',
  installation_finished: /* */ '. . . . . . . . . + + + + + +',
  installed: /*             */ '. . . . . . . . . . + + + + +',
  activated: /*             */ '. . . . . . . . . . . . . . .',
  pre_installed: /*         */ '. . . . . . . . . . . . . . .',
  cancelled: /*             */ '. . . . . . . . . . . . . . .',
};

const PUBLIC: Readonly<Record<StepName | 'pre_installed' | 'cancelled', string>> = {
  intended: 'created',
  waiting: 'created',
  ordered: 'placed',
  details_received: 'check_submitted',
  checked: 'check_reviewed',
  installation_planning: 'check_reviewed',
  installation_scheduled: 'scheduled',
  installation_waiting: 'scheduled',
  installation_finished: 'installed',
  installed: 'installed',
  activated: 'activated',
  pre_installed: 'cancelled',
  cancelled: 'cancelled',
};

const REASONS: Readonly<Partial<Record<StageName, string>>> = {
  pre_installed: 'pre_existing',
  cancelled: 'customer_request',
  blocked: 'check_missing',
  blocked_wim: 'grid_operator_registration',
};

type Block = 'blocked' | 'blocked_wim';
const isBlock = (stage: StageName): stage is Block => stage === 'blocked' || stage === 'blocked_wim';
const internal = (stage: StageName) => (stage === 'details_received' ? 'ordered' : stage);
const named = ({ stage, step }: Position) => (isBlock(stage) ? `${stage} on ${step}` : stage);

const OPEN = STEPS.slice(0, -1);
const POSITIONS: readonly Position[] = [
  ...STEPS.map((step) => ({ stage: step, step })),
  ...(['pre_installed', 'cancelled'] as const).map((stage) => ({ stage, step: null })),
  ...OPEN.flatMap((step) => (['blocked', 'blocked_wim'] as const).map((stage) => ({ stage, step }))),
];

function isAllowed({ stage, step }: Position, to: StageName): boolean {
  const row = isBlock(stage) ? (step ?? 'cancelled') : stage;
  return stage !== to && TABLE[row].split(' ')[ALL.indexOf(to)] === '+';
}

/** A step that the order has passed, so that it was entered before. */
function isBehind(from: Position, to: StageName): boolean {
  const [is, was] = [from.step, to].map((name) => STEPS.findIndex((step) => step === name));
  return was !== undefined && was >= 0 && was < (is ?? 0) && !isAllowed(from, to);
}

/** Where an allowed move leads to. */
function arrival(from: Position, to: StageName): Position {
  if (isBlock(to)) return { stage: to, step: from.step };
  return { stage: to, step: to === 'pre_installed' || to === 'cancelled' ? null : to };
}

const publicOf = ({ stage, step }: Position) => PUBLIC[isBlock(stage) ? (step ?? 'cancelled') : stage];

function topicsOf(from: Position, to: Position): string[] {
  if (isBlock(to.stage)) return ['meter_order.blocked'];
  return publicOf(from) === publicOf(to) ? [] : [`meter_order.${publicOf(to)}`];
}

type Json = Record<string, unknown>;

let orders: Orders;
/** As many as try to move to one stage: for each stage they are put where these begin. */
const pool: Order[] = [];
beforeAll(async () => {
  orders = await Orders.start();
  const most = Math.max(...ALL.map((to) => triedTo(to).length));
  for (const from of POSITIONS.slice(0, most)) pool.push(await orders.order(from));
});
afterAll(() => orders?.close());

async function shown(version: string): Promise<ReadonlyMap<unknown, Json>> {
  const { body } = await (await orders.client(version)).get<{ items: Json[] }>('/meter-orders?limit=100');
  return new Map(body.items.map((item) => [item.id, item]));
}

/** By order: what was told, and what the audit log has. */
async function traces() {
  const events = await storedRows<{ id: string; texts: string[] }>(
    orders.api,
    `SELECT context ->> 'meter_order' AS id, array_agg(topic ORDER BY position) AS texts FROM events GROUP BY 1`,
  );
  const acts = await storedRows<{ id: string; texts: string[] }>(
    orders.api,
    `SELECT object_id AS id, array_agg(concat_ws(' ', act, 'by', staff, 'with', route, 'because', reason, result) ORDER BY id) AS texts
       FROM audit_log WHERE starts_with(act, 'meter_order.') GROUP BY 1`,
  );
  const textsOf = (rows: typeof events) => new Map(rows.map(({ id, texts }) => [id, texts]));
  return { events: textsOf(events), acts: textsOf(acts) };
}

/** Who tries to move to this stage. */
const triedTo = (to: StageName) => sampled(POSITIONS, 11, ALL.indexOf(to));

test('the code allows what the table of this test allows', () => {
  for (const from of POSITIONS) {
    for (const to of ALL) {
      expect([named(from), to, mayFollow(from, to)]).toEqual([named(from), to, isAllowed(from, to)]);
    }
  }
});

test('the tables of this test have every stage of the code, in its order', () => {
  expect(STAGE_NAMES).toEqual(ALL);
  for (const row of Object.values(TABLE)) expect(row.split(' ')).toHaveLength(ALL.length);
  expect(POSITIONS).toHaveLength(33);
});

describe.each(ALL)('to %s', (to) => {
  let before: { edison: ReadonlyMap<unknown, Json>; traces: Awaited<ReturnType<typeof traces>> };
  let after: typeof before & { curie: ReadonlyMap<unknown, Json> };
  const outcomes = new Map<string, { exitCode: number; stderr: string }>();
  let tried: { order: Order; from: Position }[];
  beforeAll(async () => {
    tried = triedTo(to).map((from, index) => ({ order: pool[index] as Order, from }));
    await orders.put(tried);
    before = { edison: await shown(EDISON), traces: await traces() };
    const results = await orders.run(tried.map(({ order, from }) => commandTo(order, from, to)));
    for (const [index, result] of results.entries()) outcomes.set(tried[index]?.order.id ?? '', result);
    after = { edison: await shown(EDISON), curie: await shown(CURIE), traces: await traces() };
  });

  test.each(triedTo(to).map((from) => [named(from), isAllowed(from, to), from] as const))(
    'from %s: %s',
    (_name, allowed, from) => {
      const id = tried.find((place) => place.from === from)?.order.id ?? '';
      const added = (kind: 'events' | 'acts') =>
        (after.traces[kind].get(id) ?? []).slice((before.traces[kind].get(id) ?? []).length);
      const { exitCode, stderr } = outcomes.get(id) ?? { exitCode: -1, stderr: '' };
      const command = to === 'details_received' ? 'details-received' : 'move';
      const line = `meter_order.move by ada with meter-orders ${command} because told by the partner`;
      /* Another visit is said where one is or was. */
      if ((from.stage === to || from.step === to || isBehind(from, to)) && to !== 'installation_scheduled') {
        expect([exitCode, stderr]).toEqual([0, '']);
        expect(after.edison.get(id)).toEqual(before.edison.get(id));
        expect([added('events'), added('acts')]).toEqual([[], [`${line} unchanged`]]);
        return;
      }
      if (!allowed) {
        expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`: ${to} cannot follow`)]);
        expect(after.edison.get(id)).toEqual(before.edison.get(id));
        expect([added('events'), added('acts')]).toEqual([[], []]);
        return;
      }
      expect([exitCode, stderr]).toEqual([0, '']);
      const reached = arrival(from, to);
      expect(after.edison.get(id)).toMatchObject({ status: internal(reached.stage) });
      expect(after.edison.get(id)?.updated_at).not.toBe(before.edison.get(id)?.updated_at);
      expect(after.curie.get(id)).toMatchObject({ status: publicOf(reached), ...milestones(from, reached) });
      expect(added('events')).toEqual(topicsOf(from, reached));
      expect(added('acts')).toEqual([`${line} done`]);
    },
  );
});

/** What an order has passed keeps its instant, what it reaches has a new one, and what it skips has none. */
function milestones(from: Position, { stage, step }: Position): Json {
  const now = expect.stringMatching(/^(?!2026-01-15)2\d{3}-/);
  const rank = (name: StepName | null) => (name === null ? -1 : STEPS.indexOf(name));
  const had = (name: StepName) => rank(from.step) >= rank(name);
  const isMounting = stage === 'installation_finished' || stage === 'installed';
  const isVisit = stage === 'installation_scheduled';
  const ends = stage === 'pre_installed' || stage === 'cancelled';
  return {
    appointment_at: isVisit ? now : had('installation_scheduled') ? STAMP : null,
    installed_at: had('installation_finished') ? STAMP : isMounting ? now : null,
    activated_at: step === 'activated' ? now : null,
    cancelled_at: ends ? now : null,
    cancelled_reason: ends ? REASONS[stage] : null,
    blocked_at: isBlock(stage) ? now : null,
    blocked_reason: isBlock(stage) ? REASONS[stage] : null,
  };
}
