import fc from 'fast-check';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { runs } from '../../setup/tier.ts';
import { type Fixture, fillTable, startFixture } from './fixture.ts';

/* Fees and the full cost of days of random tables with gaps and ties, around both changes of the clock, computed without the views. */
let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.close());

type Row = Record<string, unknown>;
const near = (value: number | null) => (value === null ? null : expect.closeTo(value, 6));

const ZIPS = ['20354', '37073'];
/** In the order of the alphabet of the database: `-` comes before letters. */
const OPERATORS = ['a-netz', 'ab-netz', 'b'];
const LEVIES = ['stromsteuer', 'offshore', 'besondere_netznutzung', 'kwkg'];
const DAYS = ['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-24', '2026-10-25', '2026-10-26'];
const SPANS = [DAYS.slice(0, 3), DAYS.slice(3)];
const midnight = (day: string) => DateTime.fromISO(day, { zone: 'Europe/Berlin' });
const after = (day: string) => midnight(day).plus({ days: 1 });
const QUARTER_HOURS = SPANS.flatMap(([first = '', , last = '']) => {
  const [begin, end] = [midnight(first).toMillis(), after(last).toMillis()];
  return Array.from({ length: (end - begin) / 900_000 }, (_, at) => begin + at * 900_000);
});

interface Period {
  from: string;
  to: string | null;
}

/** Periods one behind the other, some of them left out. */
const anyPeriods = (dates: readonly string[], begin: string): fc.Arbitrary<Period[]> =>
  fc
    .tuple(
      fc.subarray([...dates]),
      fc.array(fc.nat(9), { minLength: dates.length + 1, maxLength: dates.length + 1 }),
    )
    .map(([cuts, drawn]) =>
      [begin, ...cuts]
        .map((from, at, all) => ({ from, to: all[at + 1] ?? null }))
        .filter((_, at) => drawn[at] !== 0),
    );
/** Rows of each key with values of their own. */
const anyRows = <Value>(keys: readonly string[], value: fc.Arbitrary<Value>) =>
  fc
    .tuple(
      ...keys.map((key) =>
        fc
          .tuple(
            anyPeriods(DAYS, '2026-01-01'),
            fc.array(value, { minLength: DAYS.length + 1, maxLength: DAYS.length + 1 }),
          )
          .map(([periods, values]) =>
            periods.map((period, at) => ({ key, ...period, ...(values[at] as Value) })),
          ),
      ),
    )
    .map((rows) => rows.flat());
const anyCents = fc.nat(2_000).map((cents) => cents / 100);
const anyClock = fc
  .nat(95)
  .map((slot) => DateTime.fromObject({ hour: slot >> 2, minute: (slot % 4) * 15 }).toFormat('HH:mm'));
const anyWindow = fc.tuple(anyClock, anyClock).filter(([from, until]) => from !== until);

const anyWorld = fc.record({
  areas: anyRows(
    ZIPS.flatMap((zip) => OPERATORS.map((operator) => `${zip} ${operator}`)),
    fc.record({ share: fc.constantFrom(0.3, 0.5, 0.5), concession: fc.constantFrom('T1', 'T2') }),
  ),
  names: anyRows(OPERATORS, fc.record({ name: fc.constantFrom('One', 'Two') })),
  fees: anyRows(
    OPERATORS,
    fc.record({ base: anyCents, working: anyCents, module2: fc.option(anyCents), provisional: fc.boolean() }),
  ),
  bands: anyRows(
    OPERATORS,
    fc.record({
      ct: fc.tuple(anyCents, anyCents, anyCents),
      quarters: fc.subarray([1, 2, 3, 4], { minLength: 1 }),
      low: anyWindow,
      high: anyWindow,
    }),
  ),
  concession: anyRows(['T1', 'T2'], fc.record({ ct: anyCents })),
  vat: anyRows([''], fc.record({ rate: fc.constantFrom(0.16, 0.19) })),
  levies: anyRows(LEVIES, fc.record({ ct: anyCents })),
  terms: anyRows([''], fc.record({ margin: anyCents })),
  smart: anyPeriods(DAYS, '2026-02-01'),
  reductions: fc
    .tuple(
      fc.subarray(QUARTER_HOURS, { minLength: 2, maxLength: 6 }),
      fc.array(fc.constantFrom(null, 'enwg-14a-module-2', 'enwg-14a-module-3'), {
        minLength: 6,
        maxLength: 6,
      }),
    )
    .map(([cuts, types]) =>
      cuts.flatMap((from, at) => {
        const type = types[at] ?? null;
        return type === null ? [] : [{ from, until: cuts[at + 1] ?? null, type }];
      }),
    ),
  supply: fc.record({
    from: fc.constantFrom(...DAYS.slice(0, 3)),
    to: fc.constantFrom(null, ...DAYS.slice(4)),
  }),
  slots: fc.array(
    fc.record({
      kwh: fc.option(
        fc.nat(3_000).map((value) => value / 1_000),
        { freq: 9 },
      ),
      price: fc.integer({ min: -5_000, max: 30_000 }).map((value) => value / 100),
      /** Of the first of an hour: whether its price is one of the hour. */
      kind: fc.constantFrom('quarters', 'quarters', 'hour', 'none'),
      lacks: fc.nat(19).map((value) => value === 0),
      source: fc.constantFrom('tests', 'tests', 'tests', 'synthetic'),
    }),
    { minLength: QUARTER_HOURS.length, maxLength: QUARTER_HOURS.length },
  ),
});
type World = typeof anyWorld extends fc.Arbitrary<infer Value> ? Value : never;

const holds = (day: string) => (period: Period) =>
  period.from <= day && (period.to === null || period.to > day);
const rowOf = <Dated extends Period & { key: string }>(rows: readonly Dated[], key: string, day: string) =>
  rows.find((row) => row.key === key && holds(day)(row));

function feesOf(world: World, zip: string, day: string) {
  const [area] = world.areas
    .filter((row) => row.key.startsWith(zip) && holds(day)(row))
    .sort((a, b) => b.share - a.share || (a.key < b.key ? -1 : 1));
  if (area === undefined) return undefined;
  const [, operator = ''] = area.key.split(' ');
  const fee = rowOf(world.fees, operator, day);
  const levies = LEVIES.map((code) => rowOf(world.levies, code, day)?.ct);
  return {
    operator,
    base: fee?.base ?? null,
    ct: fee?.working ?? null,
    module2: fee === undefined ? null : (fee.module2 ?? Math.round(40 * fee.working) / 100),
    concession: rowOf(world.concession, area.concession, day)?.ct ?? null,
    levies: levies.includes(undefined) ? null : levies.reduce<number>((sum, ct) => sum + (ct ?? 0), 0),
    vat: rowOf(world.vat, '', day)?.rate ?? null,
  };
}

function bandPrice(world: World, operator: string, at: number, ordinary: number | null): number | null {
  const local = DateTime.fromMillis(at, { zone: 'Europe/Berlin' });
  const day = local.toISODate() ?? '';
  if (!world.bands.some(({ key, from }) => key === operator && from <= day)) return ordinary;
  const row = rowOf(world.bands, operator, day);
  if (row === undefined) return null;
  const clock = local.toFormat('HH:mm');
  const isIn = ([from, until]: [string, string]) =>
    from < until ? clock >= from && clock < until : clock >= from || clock < until;
  if (!row.quarters.includes(local.quarter)) return row.ct[1];
  return isIn(row.low) ? row.ct[0] : isIn(row.high) ? row.ct[2] : row.ct[1];
}

/** The market price of each quarter hour, and what is stored of it: one of an hour is there for all four. */
function pricesOf({ slots }: World) {
  const stored: { at: number; minutes: number; amount: number; source: string }[] = [];
  const found = new Map<number, { ct: number; source: string }>();
  for (const [index, at] of QUARTER_HOURS.entries()) {
    const [first, own] = [slots[index - (index % 4)], slots[index]];
    const slot = first?.kind === 'hour' ? first : own;
    if (slot === undefined || first?.kind === 'none' || slot.lacks) continue;
    const { price, source } = slot;
    found.set(at, { ct: price / 10, source });
    if (slot === own) stored.push({ at, minutes: first?.kind === 'hour' ? 60 : 15, amount: price, source });
  }
  return { stored, found };
}

function marginOn({ terms }: World, day: string): number | null {
  const begun = terms.filter(({ from }) => from <= day);
  return (begun.at(-1) ?? terms[0])?.margin ?? null;
}

function costOf(world: World, day: string): Row | undefined {
  const fees = feesOf(world, ZIPS[0] as string, day);
  const { found } = pricesOf(world);
  const own = QUARTER_HOURS.flatMap((at, index) => {
    const kwh = world.slots[index]?.kwh ?? null;
    const isOfDay = at >= midnight(day).toMillis() && at < after(day).toMillis();
    const isSupplied = day >= world.supply.from && (world.supply.to === null || day < world.supply.to);
    return kwh !== null && isOfDay && isSupplied && world.smart.some(holds(day)) ? [{ at, kwh }] : [];
  });
  if (own.length === 0) return undefined;
  const sums = { kwh: 0, market: 0, margin: 0, grid: 0, levies: 0 };
  let priced = 0;
  const sources = new Set<string>();
  for (const { at, kwh } of own) {
    const price = found.get(at);
    if (price !== undefined) sources.add(price.source);
    const reduction = world.reductions.find(
      ({ from, until }) => at >= from && (until === null || at < until),
    );
    const ordinary = fees?.ct ?? null;
    let grid = ordinary;
    if (reduction?.type === 'enwg-14a-module-2') grid = fees?.module2 ?? null;
    if (reduction?.type === 'enwg-14a-module-3') grid = bandPrice(world, fees?.operator ?? '', at, ordinary);
    const margin = marginOn(world, day);
    const { concession = null, levies = null, vat = null } = fees ?? {};
    if (price === undefined || grid === null || margin === null || concession === null) continue;
    if (levies === null || vat === null) continue;
    const factor = (kwh * (1 + vat)) / 100;
    priced += 1;
    sums.kwh += kwh;
    sums.market += price.ct * factor;
    sums.margin += margin * factor;
    sums.grid += grid * factor;
    sums.levies += (concession + levies) * factor;
  }
  const known = (value: number) => (priced === 0 ? null : near(value));
  return {
    day,
    kwh: known(sums.kwh),
    gross: known(sums.market + sums.margin + sums.grid + sums.levies),
    market: known(sums.market),
    margin: known(sums.margin),
    grid: known(sums.grid),
    levies: known(sums.levies),
    quarter_hours: own.length,
    priced,
    synthetic: sources.size === 0 ? null : sources.has('synthetic'),
  };
}

async function store(world: World, contract: Row): Promise<void> {
  const { admin } = fixture;
  const fill = (table: string, rows: readonly Row[]) => fillTable(admin, table, rows);
  const dated = ({ from, to }: Period) => ({ valid_from: from, valid_to: to, source: 'tests' });
  const organization = fixture.own.organization;
  await admin.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
  await admin.query(
    `DELETE FROM zip_areas; DELETE FROM grid_operators; DELETE FROM grid_fees; DELETE FROM grid_fee_schedules; DELETE FROM vat_rates;
     DELETE FROM concession_fees; DELETE FROM levies; DELETE FROM plan_terms; DELETE FROM meter_changes; DELETE FROM spot_prices;
     DELETE FROM grid_fee_reductions; DELETE FROM usage_quarter_hours`,
  );
  await fill(
    'zip_areas',
    world.areas.map(({ key, share, concession, ...period }) => {
      const [zip, operator] = key.split(' ');
      return { zip, operator, share, concession_class: concession, ...dated(period) };
    }),
  );
  await fill(
    'grid_operators',
    world.names.map((row) => ({ operator: row.key, name: row.name, ...dated(row) })),
  );
  await fill(
    'grid_fees',
    world.fees.map((row) => ({
      ...{ operator: row.key, base_eur_year_net: row.base, working_ct_net: row.working },
      ...{ module_2_ct_net: row.module2, provisional: row.provisional, ...dated(row) },
    })),
  );
  await fill(
    'grid_fee_schedules',
    world.bands.map(({ key, ct, quarters, low, high, ...period }) => ({
      ...{ operator: key, low_ct_net: ct[0], standard_ct_net: ct[1], high_ct_net: ct[2] },
      ...{ quarters: quarters.join(';'), low_windows: low.join('-'), high_windows: high.join('-') },
      ...{ share_of_year: 1, ...dated(period) },
    })),
  );
  await fill(
    'vat_rates',
    world.vat.map((row) => ({ rate: row.rate, ...dated(row) })),
  );
  await fill(
    'concession_fees',
    world.concession.map((row) => ({ class: row.key, ct_net: row.ct, ...dated(row) })),
  );
  await fill(
    'levies',
    world.levies.map((row) => ({ code: row.key, ct_net: row.ct, ...dated(row) })),
  );
  const of = {
    organization_id: organization,
    customer_id: contract.customer_id,
    subscription_id: contract.id,
  };
  for (const { from, to, margin } of world.terms)
    await admin.query(
      'INSERT INTO plan_terms (organization_id, plan_id, valid_from, valid_to, base_fee_net, margin_ct_net) VALUES ($1, $2, $3, $4, 5, $5)',
      [organization, contract.plan_id, from, to, margin],
    );
  await admin.query("UPDATE meters SET type = 'analog' WHERE id = $1", [contract.meter_id]);
  for (const { from, to } of world.smart)
    for (const [day, type] of [
      [from, 'smart'],
      [to, 'analog'],
    ])
      if (day !== null)
        await admin.query(
          `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, type) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (organization_id, meter_id, valid_from) DO UPDATE SET type = excluded.type`,
          [organization, contract.customer_id, contract.meter_id, day, type],
        );
  for (const { from, until, type } of world.reductions)
    await admin.query(
      `INSERT INTO grid_fee_reductions (organization_id, id, customer_id, subscription_id, type, status, valid_from, valid_until)
       VALUES ($1, $2, $3, $4, $5, CASE WHEN $7::timestamptz IS NULL THEN 'activated' ELSE 'ended' END, $6, $7)`,
      [
        organization,
        newId('gfr'),
        of.customer_id,
        of.subscription_id,
        type,
        new Date(from),
        until === null ? null : new Date(until),
      ],
    );
  await admin.query('UPDATE subscriptions SET start_at = $2, confirmed_at = $2, end_at = $3 WHERE id = $1', [
    contract.id,
    midnight(world.supply.from).toJSDate(),
    world.supply.to === null ? null : midnight(world.supply.to).toJSDate(),
  ]);
  await admin.query(
    `INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
     SELECT $1, $2, $3, to_timestamp(at / 1000), kwh, 'metering_operator' FROM unnest($4::float8[], $5::numeric[]) AS s (at, kwh)
      WHERE kwh IS NOT NULL`,
    [...Object.values(of), QUARTER_HOURS, world.slots.map(({ kwh }) => kwh)],
  );
  const { stored } = pricesOf(world);
  await admin.query(
    `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
     SELECT 'DE-LU', to_timestamp(at / 1000), minutes, (to_timestamp(at / 1000) AT TIME ZONE 'Europe/Berlin')::date, amount, source, 1
       FROM unnest($1::float8[], $2::integer[], $3::numeric[], $4::text[]) AS s (at, minutes, amount, source)`,
    [
      stored.map(({ at }) => at),
      stored.map(({ minutes }) => minutes),
      stored.map(({ amount }) => amount),
      stored.map(({ source }) => source),
    ],
  );
  await admin.query('COMMIT');
}

test('fees of days and the full cost of contracts are those of the tables, whatever gaps and ties they have', async () => {
  const { admin, analyst, own } = fixture;
  const { rows } = await admin.query<Row>(
    'SELECT id, customer_id, plan_id, meter_id FROM subscriptions WHERE organization_id = $1 ORDER BY id LIMIT 1',
    [own.organization],
  );
  for (const world of fc.sample(anyWorld, runs(4))) {
    await store(world, rows[0] ?? {});
    const { slots: _, ...shown } = world;
    const text = JSON.stringify(shown);
    const fees = await analyst.query(
      `SELECT delivery_day::text AS day, zip, grid_operator AS operator, grid_base_net_eur_year::float8 AS base,
              grid_net_ct_kwh::float8 AS ct, grid_module_2_net_ct_kwh::float8 AS module2, concession_net_ct_kwh::float8 AS concession,
              levies_net_ct_kwh::float8 AS levies, vat_share::float8 AS vat
         FROM fee_days WHERE delivery_day = ANY ($1) ORDER BY delivery_day, zip`,
      [DAYS],
    );
    expect(fees.rows, text).toEqual(
      DAYS.flatMap((day) =>
        ZIPS.flatMap((zip) => {
          const found = feesOf(world, zip, day);
          if (found === undefined) return [];
          return [{ day, zip, ...found, module2: near(found.module2), levies: near(found.levies) }];
        }),
      ),
    );
    const sheets = await analyst.query(
      `SELECT grid_operator AS operator, valid_from::text AS from, name, module_2_net_ct_kwh::float8 AS module2,
              is_provisional AS provisional
         FROM grid_fees ORDER BY 1, 2`,
    );
    expect(sheets.rows, text).toEqual(
      world.fees.map(({ key, from, working, module2, provisional }) => ({
        ...{ operator: key, from, provisional, name: rowOf(world.names, key, from)?.name ?? null },
        module2: near(module2 ?? Math.round(40 * working) / 100),
      })),
    );
    const cost = await analyst.query(
      `SELECT delivery_day::text AS day, kwh::float8, gross_eur::float8 AS gross, market_gross_eur::float8 AS market,
              margin_gross_eur::float8 AS margin, grid_gross_eur::float8 AS grid, levies_gross_eur::float8 AS levies,
              quarter_hours, priced_quarter_hours AS priced, is_synthetic AS synthetic
         FROM retail_cost_days WHERE delivery_day = ANY ($1) AND contract = $2 ORDER BY 1`,
      [DAYS, rows[0]?.id],
    );
    expect(cost.rows, text).toEqual(DAYS.flatMap((day) => costOf(world, day) ?? []));
  }
});
