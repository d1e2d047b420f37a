import fc from 'fast-check';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { runs } from '../../setup/tier.ts';
import { type Fixture, fillTable, startFixture } from './fixture.ts';

/* Forecasts, deliveries, payments and reminders: random rows of the tables, and what the views say of them, computed without the views. */
let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
  /* Past triggers and references: rows as they are found in the tables, however they came there. */
  await fixture.admin.query("SET session_replication_role = 'replica'");
  await fixture.admin.query('UPDATE organizations SET forecast_enabled = true');
});
afterAll(() => fixture?.close());

type Row = Record<string, unknown>;
const ask = async (text: string, values: unknown[] = []) =>
  (await fixture.analyst.query<Row>(text, values)).rows;
const fill = (table: string, rows: readonly Row[]) => fillTable(fixture.admin, table, rows);
async function empty(...tables: string[]): Promise<void> {
  for (const table of tables) await fixture.admin.query(`DELETE FROM ${table}`);
}
const near = (value: number) => expect.closeTo(value, 6);
const by = (name: string) => (a: Row, b: Row) => (String(a[name]) < String(b[name]) ? -1 : 1);
const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });

const DAYS = ['2026-03-29', '2026-10-25'];
const dayStart = (day: string) => DateTime.fromISO(day, { zone: 'Europe/Berlin' });
const hoursOf = (day: string) => {
  const [begin, end] = [dayStart(day).toMillis(), dayStart(day).plus({ days: 1 }).toMillis()];
  return Array.from({ length: (end - begin) / 3_600_000 }, (_, hour) => begin + hour * 3_600_000);
};
/** Of the hours of a day: one value, four, some of the four or none. */
const anyCurve = fc.array(
  fc.record({
    quarters: fc.subarray([0, 1, 2, 3]),
    isHour: fc.boolean(),
    values: fc.tuple(...[0, 1, 2, 3].map(() => fc.integer({ min: -500, max: 3_000 }))),
  }),
  { minLength: 25, maxLength: 25 },
);
const intervalsOf = (day: string, curve: typeof anyCurve extends fc.Arbitrary<infer Value> ? Value : never) =>
  hoursOf(day).flatMap((start, hour) => {
    const { isHour = false, quarters = [], values = [] } = curve[hour] ?? {};
    if (isHour) return [{ start, minutes: 60, amount: values[0] ?? 0 }];
    return quarters.map((at) => ({ start: start + at * 900_000, minutes: 15, amount: values[at] ?? 0 }));
  });
const anyForecasts = fc.record({
  prices: fc.tuple(anyCurve, anyCurve),
  captures: fc.array(
    fc.record({
      source: fc.constantFrom('model:one', 'model:two', 'energyforecast'),
      at: fc.constantFrom('2026-03-01T08:00:00Z', '2026-03-01T09:00:00Z', '2026-03-01T10:00:00Z'),
      days: fc.subarray(DAYS, { minLength: 1 }),
      isComplete: fc.boolean(),
      curves: fc.tuple(anyCurve, anyCurve),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  frozen: fc.tuple(...DAYS.map(() => fc.record({ turn: fc.nat(7), isLate: fc.boolean() }))),
});

test('forecasts are the frozen curve of a day and the newest whole one of each source, beside what came', async () => {
  for (const { prices, captures, frozen } of fc.sample(anyForecasts, runs(10))) {
    await empty(
      'price_forecast_frozen',
      'price_forecast_values',
      'price_forecast_days',
      'price_forecast_captures',
      'spot_prices',
    );
    const stored = DAYS.map((day, at) => intervalsOf(day, prices[at] ?? []));
    await fill(
      'spot_prices',
      DAYS.flatMap((day, at) =>
        (stored[at] ?? []).map(({ start, minutes, amount }) => ({
          ...{ zone: 'DE-LU', interval_start: new Date(start), minutes, delivery_on: day, amount },
          ...{ source: 'tests', revision: 1 },
        })),
      ),
    );
    const made = captures.map((capture, at) => ({ ...capture, id: 1_000 + at }));
    const common = ({ source, at }: (typeof made)[number]) => ({ source, zone: 'DE-LU', captured_at: at });
    await fill(
      'price_forecast_captures',
      made.map((forecast) => ({
        id: forecast.id,
        ...common(forecast),
        payload_hash: `\\x${'00'.repeat(32)}`,
      })),
    );
    await fill(
      'price_forecast_days',
      made.flatMap((forecast) =>
        forecast.days.map((day) => ({
          ...{
            capture_id: forecast.id,
            ...common(forecast),
            delivery_on: day,
            complete: forecast.isComplete,
          },
        })),
      ),
    );
    await fill(
      'price_forecast_values',
      made.flatMap(({ id, days, curves }) =>
        days.flatMap((day) =>
          intervalsOf(day, curves[DAYS.indexOf(day)] ?? []).map(({ start, minutes, amount }) => ({
            ...{ capture_id: id, interval_start: new Date(start), minutes, amount },
          })),
        ),
      ),
    );
    const chosen = DAYS.flatMap((day, at) => {
      const of = made.filter(({ days }) => days.includes(day));
      const forecast = of[(frozen[at]?.turn ?? 0) % Math.max(of.length, 1)];
      return forecast === undefined ? [] : [{ ...forecast, day, isLate: frozen[at]?.isLate ?? false }];
    });
    await fill(
      'price_forecast_frozen',
      chosen.map(({ id, day, isLate }) => ({
        ...{ zone: 'DE-LU', delivery_on: day, capture_id: id, frozen_at: new Date(0), late: isLate },
      })),
    );
    const cameIn = (at: number, start: number, minutes: number): number | null => {
      const inside = (stored[at] ?? []).filter(
        (price) => price.start < start + minutes * 60_000 && price.start + price.minutes * 60_000 > start,
      );
      const known = inside.reduce((sum, price) => sum + Math.min(price.minutes, minutes), 0);
      if (known < minutes) return null;
      return inside.reduce((sum, { amount }) => sum + amount, 0) / inside.length;
    };
    const needed = DAYS.flatMap((day, at) => {
      const whole = made.filter(({ days, isComplete }) => isComplete && days.includes(day));
      const newest = [...Map.groupBy(whole, ({ source }) => source).values()].map((of) =>
        of.reduce((last, forecast) => (forecast.at >= last.at ? forecast : last)),
      );
      const rows = [
        ...chosen
          .filter((forecast) => forecast.day === day)
          .map((forecast) => ({ ...forecast, kind: 'frozen' })),
        ...newest.map((forecast) => ({ ...forecast, kind: 'newest', isLate: null })),
      ];
      return rows.flatMap(({ kind, source, isLate, curves, at: capturedAt }) =>
        intervalsOf(day, curves[at] ?? []).map(({ start, minutes, amount }) => {
          const came = cameIn(at, start, minutes);
          return {
            ...{ day, kind, source, start: new Date(start), minutes, eur: amount },
            ...{
              came: came === null ? null : near(came),
              captured_at: new Date(capturedAt),
              is_late: isLate,
            },
          };
        }),
      );
    });
    const place = (row: Row) => `${row.day} ${row.kind} ${row.source} ${(row.start as Date).toISOString()}`;
    const found = await ask(
      `SELECT delivery_day::text AS day, kind, source, start, minutes, eur_mwh::float8 AS eur, came_eur_mwh::float8 AS came,
              captured_at, is_late
         FROM price_forecasts WHERE delivery_day = ANY ($1)`,
      [DAYS],
    );
    const sorted = (rows: Row[]) => rows.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
    expect(
      sorted(found),
      JSON.stringify({ captures: made.map(({ curves: _, ...capture }) => capture), frozen }),
    ).toEqual(sorted(needed));
  }
});

const anyInstant = fc
  .integer({ min: 0, max: 86_400_000 })
  .map((at) => new Date(Date.parse('2026-10-24T12:00Z') + at));
const anyDelivery = fc.record({
  isOwn: fc.boolean(),
  hasEvent: fc.boolean(),
  topic: fc.constantFrom('subscription.created', 'invoice.created'),
  state: fc.constantFrom('pending', 'delivered', 'failed', 'cancelled'),
  createdAt: anyInstant,
  attempts: fc.tuple(fc.nat(13), fc.nat(13)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
  lastAttemptAt: nullable(anyInstant),
  at: anyInstant,
  status: nullable(fc.constantFrom(200, 404, 500)),
});

test('deliveries show the attempts in all, the time that they took and the topic; those of an event that is hidden are not there', async () => {
  const { own, other } = fixture;
  const drawn = fc.sample(anyDelivery, runs(50));
  const rows = drawn.map((delivery) => ({
    ...delivery,
    organization: delivery.isOwn ? own.organization : other.organization,
    ...{ event: newId('evt'), endpoint: newId('whe') },
  }));
  await empty('event_deliveries');
  await fill(
    'events',
    rows
      .filter(({ hasEvent }) => hasEvent)
      .map(({ organization, event, topic, createdAt }, at) => ({
        ...{
          organization_id: organization,
          id: event,
          topic,
          timestamp: createdAt,
          context: {},
          position: 1_000_000 + at,
        },
      })),
  );
  await fill(
    'event_deliveries',
    rows.map(({ organization, event, endpoint, state, createdAt, attempts, lastAttemptAt, at, status }) => ({
      ...{
        organization_id: organization,
        event_id: event,
        endpoint_id: endpoint,
        state,
        created_at: createdAt,
      },
      ...{
        attempts: attempts[0],
        attempts_in_all: attempts[1],
        last_attempt_at: lastAttemptAt,
        last_status: status,
      },
      next_at: state === 'pending' ? at : null,
      delivered_at: state === 'delivered' ? at : null,
      kept_from: createdAt,
    })),
  );
  const found = await ask(
    `SELECT event, topic, endpoint, state, created_at, attempts, last_attempt_at, delivered_at, took_seconds, last_status, next_at
       FROM webhook_deliveries ORDER BY event`,
  );
  expect(found).toEqual(
    rows
      .filter(({ isOwn, hasEvent }) => isOwn && hasEvent)
      .sort(by('event'))
      .map(({ event, topic, endpoint, state, createdAt, attempts, lastAttemptAt, at, status }) => ({
        ...{
          event,
          topic,
          endpoint,
          state,
          created_at: createdAt,
          attempts: attempts[1],
        },
        ...{ last_attempt_at: lastAttemptAt, last_status: status },
        delivered_at: state === 'delivered' ? at : null,
        took_seconds: state === 'delivered' ? near((at.getTime() - createdAt.getTime()) / 1_000) : null,
        next_at: state === 'pending' ? at : null,
      })),
  );
});

const anyDay = fc.constantFrom('2026-03-29', '2026-10-25', '2026-12-31');
const anyPayment = fc.record({
  turn: fc.nat(3),
  direction: fc.constantFrom('in', 'out'),
  way: fc.constantFrom('bank_transfer', 'entered'),
  status: fc.constantFrom('credited', 'settled', 'returned'),
  cents: fc.integer({ min: 1, max: 1_000_000 }),
  executeOn: nullable(anyDay),
  days: fc.tuple(anyDay, anyDay),
  reason: fc.constantFrom('AC04', 'NARR'),
  createdAt: anyInstant,
});
const anyStep = fc.record({
  turn: fc.nat(3),
  level: fc.integer({ min: 1, max: 2 }),
  cents: fc.integer({ min: 1, max: 1_000_000 }),
  on: anyDay,
  mail: fc.constantFrom('planned', 'handed_over', 'dropped'),
});

test('payments and reminders are those of documents of persons who were not erased, reminders once their mail left', async () => {
  const { admin, own } = fixture;
  const invoices = (
    await admin.query<Row>(
      'SELECT organization_id, id, customer_id, subscription_id FROM invoices ORDER BY organization_id = $1 DESC, id',
      [own.organization],
    )
  ).rows;
  const hidden = invoices[0]?.id;
  await admin.query('UPDATE invoices SET restricted_at = now() WHERE id = $1', [hidden]);
  await empty('payments', 'dunning_steps');
  const of = (turn: number) => invoices[turn] ?? {};
  const isShown = ({ turn }: { turn: number }) =>
    of(turn).organization_id === own.organization && of(turn).id !== hidden;
  const payments = fc.sample(anyPayment, runs(40)).map((payment) => ({ ...payment, id: newId('pay') }));
  const common = (turn: number) => ({
    ...{
      organization_id: of(turn).organization_id,
      customer_id: of(turn).customer_id,
      invoice_id: of(turn).id,
    },
  });
  await fill(
    'payments',
    payments.map((payment) => ({
      ...{
        ...common(payment.turn),
        id: payment.id,
        direction: payment.direction,
        way: payment.way,
        amount: payment.cents / 100,
      },
      ...{
        status: payment.status,
        execute_on: payment.executeOn,
        booked_on: payment.days[0],
        final_on: payment.days[1],
      },
      return_reason: payment.status === 'returned' ? payment.reason : null,
      ...{ created_at: payment.createdAt, updated_at: payment.createdAt },
    })),
  );
  expect(
    await ask(
      `SELECT payment, invoice, customer, contract, direction, way, amount_eur::float8 AS eur, status, execute_on::text,
              booked_on::text, final_on::text, return_reason, created_at
         FROM payments ORDER BY payment`,
    ),
  ).toEqual(
    payments
      .filter(isShown)
      .sort(by('id'))
      .map((payment) => ({
        ...{ payment: payment.id, invoice: of(payment.turn).id, customer: of(payment.turn).customer_id },
        ...{
          contract: of(payment.turn).subscription_id,
          direction: payment.direction,
          way: payment.way,
          eur: payment.cents / 100,
        },
        ...{
          status: payment.status,
          execute_on: payment.executeOn,
          booked_on: payment.days[0],
          final_on: payment.days[1],
        },
        ...{
          return_reason: payment.status === 'returned' ? payment.reason : null,
          created_at: payment.createdAt,
        },
      })),
  );
  const drawn = fc.sample(anyStep, runs(40));
  const steps = [...new Map(drawn.map((step) => [`${of(step.turn).id} ${step.level}`, step])).entries()].sort(
    ([a], [b]) => (a < b ? -1 : 1),
  );
  await fill(
    'dunning_steps',
    steps.map(([, { turn, level, cents, on, mail }]) => ({
      ...{ ...common(turn), level, amount: cents / 100, reminded_on: on, mail, created_at: new Date(0) },
    })),
  );
  expect(
    await ask(
      `SELECT invoice, level, customer, contract, amount_eur::float8 AS eur, reminded_on::text AS on
         FROM reminders ORDER BY invoice, level`,
    ),
  ).toEqual(
    steps
      .filter(([, step]) => isShown(step) && step.mail === 'handed_over')
      .map(([, { turn, level, cents, on }]) => ({
        ...{
          invoice: of(turn).id,
          level,
          customer: of(turn).customer_id,
          contract: of(turn).subscription_id,
        },
        ...{ eur: cents / 100, on },
      })),
  );
});
