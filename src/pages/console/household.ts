import { DateTime } from 'luxon';
import { shownAddress } from '../../identity/addresses/service.ts';
import { shownCustomer } from '../../identity/customers/service.ts';
import { findHousehold } from '../../identity/households/queries.ts';
import { type Chart, chartRows, dayText, numberFormat } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { isId } from '../../platform/ids.ts';
import { newestRows } from '../../platform/interface/newest-first.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import {
  addDays,
  berlinDayAt,
  berlinMidnight,
  berlinMilliseconds,
  type CalendarDay,
  quarterHoursOf,
} from '../../platform/time/berlin-calendar.ts';
import { listAssets } from '../../telemetry/assets/queries.ts';
import { listQuarterHoursOfAssets, type QuarterHourOfAsset } from '../../telemetry/quarter-hours/queries.ts';
import { type FleetAsset, shownAsset, withNewest } from './fleet.ts';
import { auditRead } from './forms.ts';
import { ConsoleFailure, type ConsoleSite } from './pages.ts';
import type { Texts } from './texts.ts';

/** More than a household has: the page is not endless. */
const ASSETS_MAX = 100;

/** Before it nobody measured. */
const FIRST_DAY = '2000-01-01';
const wireDay = wireSchemas.date();

/** Kinds of devices in the order of the chart; an inverter has what its solar modules and batteries have. */
const CHARTED = ['household_net', 'solar', 'battery', 'wallbox', 'heat_pump'] as const;

/** A household with its devices, and what they did on a day. */
export function householdPage({ deps, page }: ConsoleSite): void {
  const { clock, database } = deps;
  page('/households/:id', async (visit) => {
    const { visitor, t, query, params } = visit;
    const { organization } = visitor;
    const { id = '' } = params;
    const now = clock.nowMilliseconds();
    const today = berlinDayAt(now);
    const day = dayOf(query, today);
    const [begins, ends] = [berlinMilliseconds(day), berlinMilliseconds(addDays(day, 1))];
    const found = await database.inOrganization({ organization }, async (connection) => {
      const row = isId(id) ? await findHousehold(connection, organization, undefined, id) : undefined;
      if (row === undefined) throw new ConsoleFailure('not_found', 404);
      const rows = await newestRows({ household: id }, ASSETS_MAX, (list) =>
        listAssets(connection, organization, undefined, list),
      );
      const assets = await withNewest(connection, rows, now);
      const ids = assets.map((asset) => asset.id);
      const span = { from: berlinMidnight(day), until: berlinMidnight(addDays(day, 1)) };
      const sums = await listQuarterHoursOfAssets(connection, ids, span);
      await auditRead(connection, visit, id);
      return {
        ...{ row, assets, sums, customer: await shownCustomer(connection, organization, row.customer_id) },
        address:
          row.address_id === null ? null : await shownAddress(connection, organization, row.address_id),
      };
    });
    const { row, assets, sums, customer, address } = found;
    const name =
      customer.type === 'company' ? customer.company_name : `${customer.first_name} ${customer.last_name}`;
    const title = t.householdTitle(row.display_name ?? id);
    return {
      ...{ template: 'household', of: 'fleet', title },
      chart: powerChart({ assets, sums, begins, ends, day: dayText(day, t.lang) }, t),
      values: {
        ...{ id, day, today, firstDay: FIRST_DAY },
        facts: [
          [t.household, id],
          [t.customer, `${name}, ${customer.email}`],
          [
            t.address,
            address === null
              ? t.noAddress
              : `${address.street} ${address.house_number}, ${address.zip} ${address.city}`,
          ],
        ],
        figures: energyFigures(assets, sums, t),
        assets: assets.map((asset) => shownAsset(asset, t)),
        previous: day > FIRST_DAY ? addDays(day, -1) : null,
        next: day < today ? addDays(day, 1) : null,
      },
    };
  });
}

/** The day that is asked for; today where none is. */
function dayOf(query: unknown, today: CalendarDay): CalendarDay {
  const day = textOf(query, 'day');
  if (day === '') return today;
  if (!wireDay.safeParse(day).success || day < FIRST_DAY || day > today)
    throw new ConsoleFailure('bad_call', 400);
  return day;
}

/** What went through the grid connection. */
function energyFigures(assets: readonly FleetAsset[], sums: readonly QuarterHourOfAsset[], t: Texts) {
  const nets = new Set(assets.filter(({ type }) => type === 'household_net').map(({ id }) => id));
  const ofNet = sums.filter(({ asset }) => nets.has(asset));
  if (ofNet.length === 0) return [];
  const text = (kwh: number) => `${numberFormat(t.lang, 2).format(kwh)} kWh`;
  return [
    [t.imported, text(ofNet.reduce((sum, { consumed_kwh }) => sum + consumed_kwh, 0))],
    [t.exported, text(ofNet.reduce((sum, { fed_kwh }) => sum + fed_kwh, 0))],
  ];
}

interface PowerOfDay {
  assets: readonly FleetAsset[];
  sums: readonly QuarterHourOfAsset[];
  begins: number;
  ends: number;
  /** As people write it. */
  day: string;
}

/** A line for each kind of device that the sums know; of several of a kind their sum. */
function powerChart({ assets, sums, begins, ends, day }: PowerOfDay, t: Texts): Chart {
  const typeOf = new Map(assets.map(({ id, type }) => [id, type]));
  const power = new Map<string, number>();
  for (const { asset, start, covered_seconds, consumed_kwh, fed_kwh } of sums) {
    const kind = `${typeOf.get(asset)} ${DateTime.fromISO(start).toMillis()}`;
    const kilowatts = ((consumed_kwh - fed_kwh) * 3_600) / covered_seconds;
    power.set(kind, (power.get(kind) ?? 0) + kilowatts);
  }
  const kinds = CHARTED.filter((type) => sums.some(({ asset }) => typeOf.get(asset) === type));
  const points = quarterHoursOf(begins, ends).map(({ begins: start }) => ({
    start,
    values: kinds.map((type) => power.get(`${type} ${start}`)?.toFixed(3) ?? null),
  }));
  return {
    ...{ title: t.powerOf(day), unit: 'kW', minutes: 15 },
    note: kinds.length === 0 ? t.noPower : t.powerNote,
    columns: kinds.map((type) => t.types[type]),
    rows: kinds.length === 0 ? [] : chartRows(points, t.lang, 3),
  };
}
