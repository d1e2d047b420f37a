import { DateTime } from 'luxon';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAsset } from '../../setup/factories.ts';
import { sumAllQuarterHours } from '../../setup/quarter-hours.ts';
import { runs } from '../../setup/tier.ts';
import {
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
} from '../../telemetry/snapshots/snapshot-api.ts';
import { Accounts } from './account.ts';

/*
 * Energy by day and month, and gap-filled: computed once more from the quarter hours, by day in Berlin, over both changes of the
 * clock, with gaps, with quarter hours that are covered in part, with devices that are silent for a day, and with a second roof
 * that ends within a quarter hour of a day on which the first one is silent.
 */

const SPANS = [
  ['2026-03-27', '2026-04-02'],
  ['2026-10-23', '2026-10-28'],
  ['2026-11-01', '2026-11-03'],
] as const;
const TYPES = [
  'inverter',
  'solar',
  'battery',
  'wallbox',
  'heat_pump',
  'household_net',
  'household_residual',
] as const;
type Type = (typeof TYPES)[number];

const FIGURES = [
  ...['grid_import_kwh', 'grid_export_kwh', 'solar_kwh', 'battery_charge_kwh', 'battery_discharge_kwh'],
  ...['wallbox_kwh', 'wallbox_fed_kwh', 'heat_pump_kwh', 'consumption_kwh', 'residual_kwh'],
] as const;
type Row = Record<string, number | string | null>;

interface Sum {
  type: Type;
  household: string;
  asset: string;
  start: number;
  seconds: number;
  consumed: number;
  fed: number;
}

let service: SnapshotApi;
let accounts: Accounts;
let analyst: pg.Client;
let homes: SnapshotHousehold[];
const sums: Sum[] = [];
/** When the second roof of a household ended. */
const endedRoofs = new Map<string, { asset: string; until: number }>();

const berlin = (at: number) => DateTime.fromMillis(at, { zone: 'Europe/Berlin' });
const midnight = (day: string) => DateTime.fromISO(day, { zone: 'Europe/Berlin' }).toMillis();
const dayOf = (at: number) => berlin(at).toFormat('yyyy-MM-dd');
const lengthOf = (begin: number, step: 'hour' | 'day' | 'month') =>
  (berlin(begin)
    .plus({ [`${step}s`]: 1 })
    .toMillis() -
    begin) /
  1_000;

beforeAll(async () => {
  service = await startSnapshotApi({});
  homes = await Promise.all(Array.from({ length: runs(2) }, () => service.addHousehold()));
  let state = 7;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  for (const [index, home] of homes.entries()) {
    const roof = { ...home, address: null };
    const second = await createAsset(service.api.deps, service.organization, roof, { type: 'solar' });
    const ended = Date.parse(`2026-10-${26 + (index % 2)}T10:07:30Z`);
    const decommissioned_at = new Date(ended).toISOString();
    await service.client.post(`/assets/${second.id}/decommission`, { decommissioned_at });
    endedRoofs.set(home.household, { asset: second.id, until: ended });
    keys.set(second.id, second.key);
    for (const [from, until] of SPANS) {
      for (let start = midnight(from); start < midnight(until); start += 900_000) {
        if (start <= ended && random() > 0.05) {
          const energy = { seconds: 900, consumed: 0, fed: random() };
          sums.push({
            type: 'solar',
            household: home.household,
            asset: second.id,
            start,
            ...energy,
          });
        }
        for (const type of TYPES) {
          const isSilent = berlin(start).day % 5 === (index + TYPES.indexOf(type)) % 6 || random() < 0.05;
          if (isSilent) continue;
          const seconds = random() < 0.1 ? 450.5 : 900;
          const [consumed, fed] = [random(), random()];
          const { id: asset, key } = home.assets[type];
          sums.push({ type, household: home.household, asset, start, seconds, consumed, fed });
          keys.set(asset, key);
        }
      }
    }
  }
  await service.admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT a, to_timestamp(b / 1000), 1, 0, c, d, e
       FROM unnest($1::bigint[], $2::float8[], $3::float8[], $4::float8[], $5::float8[]) AS s (a, b, c, d, e)`,
    [
      sums.map(({ asset }) => keys.get(asset)),
      ...(['start', 'seconds', 'consumed', 'fed'] as const).map((name) => sums.map((sum) => sum[name])),
    ],
  );
  await sumAllQuarterHours(service.api.database, service.clock);
  accounts = new Accounts(service.api.database);
  analyst = await accounts.connect((await accounts.make(service.organization)).address);
});
afterAll(async () => {
  await accounts?.close();
  await service?.close();
});

const keys = new Map<string, number>();
const near = (value: number | null | undefined) =>
  typeof value === 'number' ? expect.closeTo(value, 6) : (value ?? null);
const add = (rows: readonly (number | null)[]) =>
  rows.every((value) => value === null)
    ? null
    : rows.reduce<number>((total, value) => total + (value ?? 0), 0);
const total = (rows: readonly Sum[], what: 'consumed' | 'fed' | 'seconds') =>
  rows.length === 0 ? null : rows.reduce((all, row) => all + row[what], 0);

/** What a household's sums of some quarter hours say, by the rule of household_energy; `seconds`: their length from `begin` on. */
function householdRow(
  household: string,
  rows: readonly Sum[],
  begin: number,
  seconds: number,
): Record<(typeof FIGURES)[number] | 'share', number | null> {
  const { assets } = homes.find((home) => home.household === household) as SnapshotHousehold;
  const second = endedRoofs.get(household);
  const bySender = Map.groupBy(rows, ({ asset }) => asset);
  /* Each device that was in use all the time sent something. */
  const has = (type: Type) =>
    bySender.has(assets[type].id) &&
    (type !== 'solar' ||
      second === undefined ||
      second.until < begin + seconds * 1_000 ||
      bySender.has(second.asset));
  const of = (type: Type) => (has(type) ? rows.filter((row) => row.type === type) : []);
  const [solar, charge, discharge] = [
    total(of('solar'), 'fed'),
    total(of('battery'), 'consumed'),
    total(of('battery'), 'fed'),
  ];
  const [imported, exported] = [total(of('household_net'), 'consumed'), total(of('household_net'), 'fed')];
  const isKnown = imported !== null && solar !== null && charge !== null;
  const used = isKnown ? imported - (exported ?? 0) + solar + (discharge ?? 0) - charge : null;
  const [car, carFed, heat] = [
    total(of('wallbox'), 'consumed'),
    total(of('wallbox'), 'fed'),
    total(of('heat_pump'), 'consumed'),
  ];
  const residual = of('household_residual');
  const measured = has('household_residual')
    ? (total(residual, 'consumed') ?? 0) - (total(residual, 'fed') ?? 0)
    : null;
  const computed = used === null || car === null || heat === null ? null : used - car + (carFed ?? 0) - heat;
  const isHeard = (['household_net', 'solar', 'battery', 'wallbox', 'heat_pump'] as const).every(has);
  const covered = [...bySender.values()]
    .filter(([row]) => row?.type !== 'inverter')
    .map((own) => total(own, 'seconds') ?? 0);
  return {
    ...{ grid_import_kwh: imported, grid_export_kwh: exported, solar_kwh: solar },
    ...{
      battery_charge_kwh: charge,
      battery_discharge_kwh: discharge,
      wallbox_kwh: car,
      wallbox_fed_kwh: carFed,
    },
    ...{ heat_pump_kwh: heat, consumption_kwh: used, residual_kwh: measured ?? computed },
    share: isHeard ? Math.min(1, Math.min(...covered) / seconds) : 0,
  };
}

/** Days of a household by their midnights. */
function householdDays(household: string) {
  const own = sums.filter((sum) => sum.household === household);
  return new Map(
    [...Map.groupBy(own, ({ start }) => midnight(dayOf(start)))].map(([begin, rows]) => [
      begin,
      {
        seconds: lengthOf(begin, 'day'),
        ...householdRow(household, rows, begin, lengthOf(begin, 'day')),
      },
    ]),
  );
}

const ask = async (text: string, values: unknown[] = []): Promise<Row[]> =>
  (await analyst.query<Row>(text, values)).rows;

test('energy by day and month of assets is what their quarter hours add up to', async () => {
  for (const home of homes) {
    for (const type of TYPES) {
      const own = sums.filter(({ asset }) => asset === home.assets[type].id);
      const days = await ask(
        `SELECT to_char(delivery_day, 'YYYY-MM-DD') AS day, consumed_kwh, fed_kwh, quarter_hours, covered_share
           FROM energy_days WHERE asset = $1 ORDER BY delivery_day`,
        [home.assets[type].id],
      );
      expect(days).toEqual(
        [...Map.groupBy(own, ({ start }) => dayOf(start))].map(([day, rows]) => ({
          ...{ day, consumed_kwh: near(total(rows, 'consumed')), fed_kwh: near(total(rows, 'fed')) },
          quarter_hours: rows.length,
          covered_share: near((total(rows, 'seconds') ?? 0) / lengthOf(midnight(day), 'day')),
        })),
      );
      const months = await ask(
        `SELECT to_char(month, 'YYYY-MM-DD') AS month, consumed_kwh, fed_kwh, days, covered_share
           FROM energy_months WHERE asset = $1 AND month >= '2026-03-01' ORDER BY energy_months.month`,
        [home.assets[type].id],
      );
      expect(months).toEqual(
        [...Map.groupBy(own, ({ start }) => `${dayOf(start).slice(0, 7)}-01`)].map(([month, rows]) => ({
          ...{ month, consumed_kwh: near(total(rows, 'consumed')), fed_kwh: near(total(rows, 'fed')) },
          days: new Set(rows.map(({ start }) => dayOf(start))).size,
          covered_share: near((total(rows, 'seconds') ?? 0) / lengthOf(midnight(month), 'month')),
        })),
      );
    }
  }
});

test('energy by day and month of households follows the rule of their quarter hours', async () => {
  for (const { household } of homes) {
    const needed = householdDays(household);
    const days = await ask(
      `SELECT to_char(delivery_day, 'YYYY-MM-DD') AS day, ${FIGURES}, covered_share
         FROM household_energy_days WHERE household = $1 ORDER BY delivery_day`,
      [household],
    );
    expect(days).toEqual(
      [...needed].map(([begin, { share, seconds, ...figures }]) => ({
        day: dayOf(begin),
        ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, near(value)])),
        covered_share: near(share),
      })),
    );
    expect(days.some(({ covered_share }) => covered_share === 0)).toBe(true);
    const months = await ask(
      `SELECT to_char(month, 'YYYY-MM-DD') AS month, ${FIGURES}, days, covered_share
         FROM household_energy_months WHERE household = $1 ORDER BY household_energy_months.month`,
      [household],
    );
    expect(months).toEqual(
      [...Map.groupBy(needed, ([begin]) => `${dayOf(begin).slice(0, 7)}-01`)].map(([month, rows]) => ({
        month,
        ...Object.fromEntries(FIGURES.map((name) => [name, near(add(rows.map(([, day]) => day[name])))])),
        days: rows.length,
        covered_share: near(
          (add(rows.map(([, { share, seconds }]) => (share ?? 0) * seconds)) ?? 0) /
            lengthOf(midnight(month), 'month'),
        ),
      })),
    );
  }
});

/** Beginnings of steps from one instant to another, the first one whole. */
function stepsOf(step: 'quarter hour' | 'hour' | 'day' | 'month', begins: number, ends: number) {
  const found: [begin: number, seconds: number][] = [];
  if (step === 'quarter hour') {
    for (let at = Math.floor(begins / 900_000) * 900_000; at < ends; at += 900_000) found.push([at, 900]);
    return found;
  }
  for (let at = berlin(begins).startOf(step).toMillis(); at < ends; at += lengthOf(at, step) * 1_000) {
    found.push([at, lengthOf(at, step)]);
  }
  return found;
}

test.each([
  ['quarter hour', '2026-10-24T21:10:00Z', '2026-10-25T03:00:00Z', 0.9],
  ['quarter hour', '2026-10-26T09:30:00Z', '2026-10-26T10:45:00Z', 0.1],
  ['hour', '2026-03-28T21:10:00Z', '2026-03-29T23:00:00Z', 0],
  ['hour', '2026-10-24T20:30:00Z', '2026-10-26T02:00:01Z', 0.5],
  ['day', '2026-03-26T10:00:00Z', '2026-04-04T22:00:00Z', 0.92],
  ['day', '2026-10-22T22:00:00Z', '2026-10-27T23:00:00Z', 0],
  ['month', '2026-02-28T23:00:00Z', '2026-11-30T23:00:00Z', 0.05],
] as const)(
  'each %s from %s to %s has a row, and is null below the share of %d',
  async (step, begins, ends, least) => {
    const rows = await ask(
      `SELECT household, extract(epoch FROM start)::float8 * 1000 AS at, ${FIGURES}, covered_share
       FROM household_energy_filled($1, $2, $3, $4) ORDER BY household, start`,
      [begins, ends, step, least],
    );
    const needed = homes
      .map(({ household }) => household)
      .sort()
      .flatMap((household) => {
        const own = sums.filter((sum) => sum.household === household);
        const small = Map.groupBy(own, ({ start }) => start);
        const parts =
          step === 'day' || step === 'month'
            ? householdDays(household)
            : new Map(
                [...small].map(([at, of]) => [at, { seconds: 900, ...householdRow(household, of, at, 900) }]),
              );
        return stepsOf(step, Date.parse(begins), Date.parse(ends)).map(([at, seconds]) => {
          const inside = [...parts].filter(([begin]) => begin >= at && begin < at + seconds * 1_000);
          const share = inside.reduce(
            (all, [, part]) => all + ((part.share ?? 0) * part.seconds) / seconds,
            0,
          );
          const isShown = inside.length > 0 && share >= least;
          const figures = FIGURES.map((name) => [
            name,
            near(isShown ? add(inside.map(([, part]) => part[name])) : null),
          ]);
          return { household, at, ...Object.fromEntries(figures), covered_share: near(share) };
        });
      });
    expect(rows).toEqual(needed);
    expect(rows.some(({ grid_import_kwh }) => grid_import_kwh === null)).toBe(true);
  },
);

test('a step that there is not is refused with what there is', async () => {
  await expect(
    ask("SELECT * FROM household_energy_filled('2026-10-01', '2026-10-02', 'fortnight')"),
  ).rejects.toThrow('step is quarter hour, hour, day or month, not fortnight');
});
