import type pg from 'pg';
import { type Connection, type Database, openDatabase } from '../../src/platform/database/db.ts';
import { berlinMidnight, type CalendarDay } from '../../src/platform/time/berlin-calendar.ts';
import { addDays, freezeInstant, gridOf, startsOf } from '../../src/spot-prices/calendar.ts';
import { contentHashOf, insertCapture } from '../../src/spot-prices/forecast/capture.ts';
import { insertFrozenForecast } from '../../src/spot-prices/forecast/queries.ts';
import { type BilledMonth, seedGround, seedQuarterHours, storeContracts } from '../billing/seed.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { connect } from '../surroundings/connect.ts';
import { storePrices } from '../surroundings/price-days.ts';
import { ASSETS_PER_HOUSEHOLD, type SeededHousehold, storeFleet } from '../surroundings/seed.ts';
import type { Surroundings } from '../surroundings/service.ts';

/*
 * A supplier's history, which grows into the past while its newest days stay as they are: so a question about them has the same
 * answer at each size, and what it costs more is due to what is stored. Households send once a quarter hour, some of them once a
 * minute. Sums are written with the values, as the job would write them: a power that stays alike for a quarter hour is its sum.
 */

/** One household in so many sends once a minute. */
const BY_MINUTE_EVERY = 8;
const CONTRACTS = 1_000;
const CONTRACTS_AT_ONCE = 5;
/** With a smart meter and final quarter hours. */
const SMART_CONTRACTS = 100;
const EVENTS_A_DAY = 1_000;
const LEADS_A_DAY = 40;
/** The back office is asked about the last months: at each size they are there. */
const OFFICE_DAYS_MIN = 100;
const PORTION_DAYS = 7;
/** That store at once. */
const CONNECTIONS = 8;

export interface HistoryPlace {
  surroundings: Surroundings;
  fleet: readonly SeededHousehold[];
  /** The first day that is not stored. */
  end: CalendarDay;
}

/** Of all assets of a fleet together. */
export function rowsOfDay(households: number): number {
  const byMinute = Math.ceil(households / BY_MINUTE_EVERY);
  return ASSETS_PER_HOUSEHOLD * (byMinute * 1_440 + (households - byMinute) * 96);
}

export class History {
  readonly #place: HistoryPlace;
  readonly #keys: readonly number[];
  readonly #databases: readonly pg.Client[];
  readonly #service: Database;
  #begin: CalendarDay;
  #officeBegin: CalendarDay;

  private constructor(
    place: HistoryPlace,
    keys: readonly number[],
    databases: readonly pg.Client[],
    service: Database,
  ) {
    this.#place = place;
    this.#keys = keys;
    this.#databases = databases;
    this.#service = service;
    this.#begin = place.end;
    this.#officeBegin = place.end;
  }

  /** With the fleet and the contracts, and nothing that they did. `days`: how many of them will be stored at most. */
  static async open(place: HistoryPlace, days: number, cleanup: Cleanup): Promise<History> {
    const { surroundings, fleet, end } = place;
    const { database: admin, organization, environment } = surroundings;
    const keys = await storeFleet(admin, organization, fleet);
    const first = `${addDays(end, -Math.max(days, OFFICE_DAYS_MIN)).slice(0, 8)}01` as CalendarDay;
    const service = openDatabase({
      ...{ url: environment?.DATABASE_URL ?? '', applicationName: 'voltstream-load', connectionsMax: 1 },
      onError: () => {},
    });
    cleanup.add(() => service.close());
    await seedGround(service, admin, organization, { first: end, end });
    await storeContracts(admin, organization, { first, end }, { from: 0, until: CONTRACTS });
    const clients = [admin];
    while (clients.length < CONNECTIONS) {
      const client = await connect(surroundings.databaseUrl, 'The database of the run does not answer');
      cleanup.add(() => client.end());
      clients.push(client);
    }
    for (const client of clients) {
      /* The service's own writes passed the checks between tables. */
      await client.query('SET session_replication_role = replica');
      await client.query("SET synchronous_commit = off; SET work_mem = '128MB'");
    }
    await admin.query(OFFICE, [organization, first]);
    await admin.query('UPDATE organizations SET forecast_enabled = true WHERE id = $1', [organization]);
    for (const name of ['asset_snapshots', 'asset_quarter_hours', 'asset_days', 'usage_quarter_hours']) {
      await admin.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`);
    }
    await admin.query('UPDATE quarter_hour_progress SET summed_until = $1, days_summed_until = $2', [
      ...[berlinMidnight(end), end],
    ]);
    return new History(place, [...keys.values()], clients, service);
  }

  /** Stores the days before those that are stored, until there are so many. */
  async growTo(days: number): Promise<void> {
    const { end } = this.#place;
    const begin = addDays(end, -days);
    let portionEnd = this.#begin;
    await this.#onAll(async (client) => {
      while (portionEnd > begin) {
        const [from, to] = [laterOf(begin, addDays(portionEnd, -PORTION_DAYS)), portionEnd];
        portionEnd = from;
        for (const statement of [SUMS, SNAPSHOTS, DAYS]) {
          await client.query(statement, [this.#keys, berlinMidnight(from), berlinMidnight(to)]);
        }
      }
    });
    const officeBegin = earlierOf(begin, addDays(end, -OFFICE_DAYS_MIN));
    if (officeBegin < this.#officeBegin)
      await this.#growOffice({ first: officeBegin, end: this.#officeBegin });
    [this.#begin, this.#officeBegin] = [begin, officeBegin];
    await this.#settle();
  }

  async #growOffice(span: BilledMonth): Promise<void> {
    const { database, organization } = this.#place.surroundings;
    const instants: [string, string] = [berlinMidnight(span.first), berlinMidnight(span.end)];
    let contract = 0;
    await this.#onAll(async (client) => {
      while (contract < SMART_CONTRACTS) {
        const from = contract;
        contract += CONTRACTS_AT_ONCE;
        await seedQuarterHours(client, organization, span, { from, until: contract });
      }
    });
    await storePrices(database, instants);
    for (const statement of [INVOICES, LINES, PAYMENTS, REMINDERS]) {
      await database.query(statement, [organization, span.first, span.end]);
    }
    await database.query(EVENTS, [organization, ...instants]);
    await database.query(LEADS, [organization, ...instants]);
    for (let day = span.first; day < span.end; day = addDays(day, 1))
      await this.#service.asService((connection) => storeForecasts(connection, day));
  }

  /** Does the work of autovacuum beforehand: else its processor time would count as that of a question. */
  async #settle(): Promise<void> {
    const { rows } = await this.#place.surroundings.database.query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND (n.nspname = 'public' OR c.relname LIKE '\\_hyper\\_%chunk')
          AND NOT EXISTS (SELECT FROM timescaledb_information.hypertables AS h WHERE h.hypertable_name = c.relname)
        ORDER BY c.relpages DESC`,
    );
    const waiting = rows.map(({ name }) => name);
    await this.#onAll(async (client) => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        await client.query(`VACUUM (ANALYZE) ${name}`);
      }
    });
    await this.#place.surroundings.database.query('ANALYZE asset_snapshots, asset_quarter_hours');
  }

  async #onAll(work: (client: pg.Client) => Promise<void>): Promise<void> {
    await Promise.all(this.#databases.map(work));
  }
}

/** Two curves of one source: one before the gate closure of the day, which is frozen, and one behind it. */
async function storeForecasts(connection: Connection, deliveryOn: CalendarDay): Promise<void> {
  const [zone, source, frozenAt] = ['DE-LU' as const, 'load', freezeInstant(deliveryOn)];
  for (const [hours, level] of [
    [-1, 95],
    [1, 100],
  ] as const) {
    const grid = gridOf(deliveryOn);
    const points = startsOf(grid).map((start) => ({
      start,
      eurMwh: String(Math.round(level + 60 * Math.sin(start / 7_000_000))),
    }));
    const days = [{ deliveryOn, minutes: grid.minutes, points }];
    const capture = await insertCapture(connection, {
      ...{ source, zone, fetchId: null, issuedAt: null, inputs: null, days },
      capturedAt: frozenAt + hours * 3_600_000,
      payloadHash: contentHashOf(source, days),
    });
    if (hours < 0) {
      await insertFrozenForecast(connection, {
        zone,
        deliveryOn,
        captureId: capture.id,
        frozenAt,
        late: false,
      });
    }
  }
}

const laterOf = (left: CalendarDay, right: CalendarDay) => (left > right ? left : right);
const earlierOf = (left: CalendarDay, right: CalendarDay) => (left < right ? left : right);

/* The power of an asset of each type by the time of day (Berlin) and year, and the share of the single asset in it. */
const SUMS = `
  WITH quarter_hours AS (
    SELECT start, extract(hour FROM start AT TIME ZONE 'Europe/Berlin')::integer AS hour, extract(doy FROM start)::integer AS doy,
           greatest(0, sin((extract(epoch FROM start)::float8 - 21600) / 86400 * 2 * pi()))
             * (0.6 - 0.4 * cos(extract(doy FROM start)::float8 / 365 * 2 * pi())) AS sun,
           1 + 0.5 * sin(extract(epoch FROM start)::float8 / 5000) AS wave
      FROM generate_series($2::timestamptz, $3::timestamptz - interval '15 minutes', interval '15 minutes') AS start
  ), types AS MATERIALIZED (
    SELECT start, type, doy, type = 'wallbox' AND (hour >= 18 OR hour < 7) AS is_night,
           round((CASE type WHEN 'solar' THEN -8 * sun * wave WHEN 'inverter' THEN -7 * sun * wave
                            WHEN 'battery' THEN CASE WHEN sun > 0.3 THEN 2 ELSE -0.8 END * wave
                            WHEN 'wallbox' THEN CASE WHEN hour BETWEEN 19 AND 22 THEN 11 ELSE 0 END
                            WHEN 'heat_pump' THEN 1.5 * (1 - sun) * wave
                            WHEN 'household_net' THEN 3 * wave - 9 * sun ELSE 0.4 * wave END)::numeric, 2)::float8 AS kw,
           CASE type WHEN 'battery' THEN round((0.2 + 0.7 * sun)::numeric, 2)::float8 END AS charge,
           CASE type WHEN 'wallbox' THEN 0.4 + 0.05 * (hour % 10) END AS vehicle_charge
      FROM quarter_hours
     CROSS JOIN (SELECT DISTINCT type FROM assets WHERE key = ANY ($1::bigint[])) AS kinds
  ), fleet AS MATERIALIZED (
    SELECT key, type, CASE WHEN dense_rank() OVER (ORDER BY household_id) % ${BY_MINUTE_EVERY} = 1 THEN 15 ELSE 1 END AS samples,
           0.5 + 0.125 * (key % 8) AS factor
      FROM assets WHERE key = ANY ($1::bigint[])
  )
  INSERT INTO asset_quarter_hours
    (asset_id, start, samples, connected_samples, first_at, last_at, power_kw_min, power_kw_max, covered_seconds, consumed_kwh,
     fed_kwh, state_of_charge_first, state_of_charge_last, vehicle_state_of_charge_last)
  SELECT a.key, t.start, a.samples, CASE WHEN is_plugged THEN a.samples ELSE 0 END, t.start, t.start + (a.samples - 1) * interval '1 minute',
         power, power, 900, greatest(power, 0) / 4, greatest(-power, 0) / 4, t.charge, t.charge, CASE WHEN is_plugged THEN t.vehicle_charge END
    FROM types AS t
    JOIN fleet AS a ON a.type = t.type
   CROSS JOIN LATERAL (SELECT t.is_night AND (a.key + t.doy) % 3 > 0 AS is_plugged) AS state
   CROSS JOIN LATERAL (SELECT CASE WHEN t.type = 'wallbox' AND NOT is_plugged THEN 0 ELSE t.kw * a.factor END AS power OFFSET 0) AS p`;

const SNAPSHOTS = `
  INSERT INTO asset_snapshots (asset_id, timestamp, power_kw, state_of_charge, connected, vehicle_state_of_charge)
  SELECT q.asset_id, q.start + minute * interval '1 minute', q.power_kw_max, q.state_of_charge_first,
         CASE WHEN a.type = 'wallbox' THEN q.connected_samples > 0 END, q.vehicle_state_of_charge_last
    FROM asset_quarter_hours AS q
    JOIN assets AS a ON a.key = q.asset_id
   CROSS JOIN LATERAL generate_series(0, q.samples - 1) AS minute
   WHERE q.asset_id = ANY ($1::bigint[]) AND q.start >= $2 AND q.start < $3`;

const DAYS = 'SELECT write_days_of_quarter_hours($1, $2, $3)';

/* Ids as those of the contracts: the kind, then the number of the contract and the day. */
const numbered = (prefix: string, number: string) => `'${prefix}_' || lpad(${number}, 24, '0')`;

const OFFICE = `
  WITH contracts AS (
    SELECT s.*, row_number() OVER (ORDER BY s.id) AS n FROM subscriptions AS s WHERE s.organization_id = $1
  ), terms AS (
    INSERT INTO billing_terms (organization_id, customer_id, subscription_id, valid_from, mode, instalment, basis)
    SELECT organization_id, customer_id, id, $2::date, 'advance', 80, 'forecast' FROM contracts
  ), modules AS (
    INSERT INTO grid_fee_reductions (organization_id, id, customer_id, subscription_id, type, status, valid_from)
    SELECT organization_id, ${numbered('gfr', 'n::text')}, customer_id, id, 'enwg-14a-module-' || n % 4, 'activated',
           $2::date::timestamp AT TIME ZONE 'Europe/Berlin'
      FROM contracts WHERE n % 4 IN (2, 3)
  )
  INSERT INTO webhook_endpoints (organization_id, id, url, secret, failing_since)
  SELECT $1, ${numbered('whe', 'n::text')}, 'https://example.org/' || n, '\\x00', CASE n WHEN 1 THEN now() END
    FROM generate_series(1, 10) AS n`;

/* Of each contract a bill for each month that begins in the span. One in fifty stays open. */
const INVOICES = `
  INSERT INTO invoices (organization_id, customer_id, subscription_id, id, type, running_number, invoice_number, ledger_number,
    month, year, period_start, period_end, period_number, status, is_estimated, is_final, usage_kwh, net, tax, deducted, total, taxes,
    due_on, created_at, issued_at, paid_at, facts, retain_until)
  SELECT s.organization_id, s.customer_id, s.id, ${numbered('inv', "b.months || lpad(s.n::text, 6, '0')")}, 'usage', b.months,
         lpad(s.n::text, 8, '0') || '-' || lpad(b.months::text, 3, '0'), b.months * 1000000::bigint + s.n, extract(month FROM b.first),
         extract(year FROM b.first), b.first AT TIME ZONE 'Europe/Berlin', b.until AT TIME ZONE 'Europe/Berlin', b.months,
         CASE WHEN (s.n + b.months) % 50 = 0 THEN 'open' ELSE 'paid' END, false, false, 210, 60, 11.4, 0, 71.4, '[]',
         b.until::date + 21, b.issued_at, b.issued_at, CASE WHEN (s.n + b.months) % 50 > 0 THEN b.issued_at + interval '9 days' END, '{}',
         make_date(extract(year FROM b.issued_at)::integer + 11, 1, 1)
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM subscriptions WHERE organization_id = $1) AS s
   CROSS JOIN (SELECT first, first + interval '1 month' AS until, (first + interval '37 days') AT TIME ZONE 'Europe/Berlin' AS issued_at,
                      (extract(year FROM first) * 12 + extract(month FROM first) - 24000)::integer AS months
                 FROM generate_series(date_trunc('month', $2::date + interval '1 month' - interval '1 day'), $3::date - interval '1 day',
                                      interval '1 month') AS first
                WHERE first + interval '1 month' <= now()) AS b`;

const OF_SPAN = `i.organization_id = $1 AND i.period_start >= $2::date::timestamp AT TIME ZONE 'Europe/Berlin'
                 AND i.period_start < $3::date::timestamp AT TIME ZONE 'Europe/Berlin'`;

const LINES = `
  INSERT INTO invoice_lines (organization_id, customer_id, invoice_id, position, kind, period_from, period_until, quantity, unit,
    unit_price, net, vat_rate, figures)
  SELECT i.organization_id, i.customer_id, i.id, line.position, line.kind, (i.period_start AT TIME ZONE 'Europe/Berlin')::date,
         (i.period_end AT TIME ZONE 'Europe/Berlin')::date, 210, 'kWh', 0.05, 10, 0.19, '[]'
    FROM invoices AS i
   CROSS JOIN unnest(ARRAY['energy', 'margin', 'grid_energy', 'concession_fee', 'electricity_tax', 'base_fee'])
     WITH ORDINALITY AS line (kind, position)
   WHERE ${OF_SPAN}`;

const PAYMENTS = `
  INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on, created_at, updated_at,
    return_reason)
  SELECT i.organization_id, i.customer_id, 'pay' || substr(i.id, 4), i.id, 'in', 'bank_transfer', i.total,
         CASE i.status WHEN 'open' THEN 'returned' ELSE 'settled' END, i.due_on, i.issued_at, i.issued_at,
         CASE i.status WHEN 'open' THEN 'AM04' END
    FROM invoices AS i WHERE ${OF_SPAN}`;

const REMINDERS = `
  INSERT INTO dunning_steps (organization_id, customer_id, invoice_id, level, amount, reminded_on, mail, created_at)
  SELECT i.organization_id, i.customer_id, i.id, 1, i.total, i.due_on + 10, 'handed_over', i.issued_at
    FROM invoices AS i WHERE i.status = 'open' AND ${OF_SPAN}`;

/* Deliveries are kept for 30 days. */
const EVENTS = `
  WITH happened AS (
    SELECT ${numbered('evt', '(extract(epoch FROM at) * 1000)::bigint::text')} AS id, at, row_number() OVER (ORDER BY at) AS n
      FROM generate_series($2::timestamptz, $3::timestamptz - interval '1 second', interval '1 day' / ${EVENTS_A_DAY}) AS at
  ), events AS (
    INSERT INTO events (organization_id, id, topic, timestamp, context)
    SELECT $1, id, (ARRAY['meter_order.created', 'subscription.created', 'invoice.created'])[1 + n % 3], at, '{}' FROM happened
  )
  INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, state, created_at, attempts, attempts_in_all, next_at,
    delivered_at, last_status)
  SELECT $1, id, ${numbered('whe', '(1 + n % 10)::text')}, CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'delivered' END, at, 1, 1, NULL,
         CASE WHEN n % 10 > 0 THEN at + interval '2 seconds' END, CASE WHEN n % 10 = 0 THEN 500 ELSE 200 END
    FROM happened WHERE at >= now() - interval '30 days'`;

/* Those without a contract go after 6 months: one in three became one. */
const LEADS = `
  INSERT INTO leads (organization_id, id, plan_id, details, subscription_id, subscribed_at, created_at)
  SELECT $1, ${numbered('lead', '(extract(epoch FROM at) * 1000)::bigint::text')}, (SELECT id FROM plans WHERE organization_id = $1), '{}',
         CASE WHEN n % 3 = 0 THEN ${numbered('sub', "(n % 1000)::text || '0'")} END, CASE WHEN n % 3 = 0 THEN at + interval '1 day' END, at
    FROM (SELECT at, row_number() OVER (ORDER BY at) AS n
            FROM generate_series($2::timestamptz, $3::timestamptz - interval '1 second', interval '1 day' / ${LEADS_A_DAY}) AS at) AS came
   WHERE n % 3 = 0 OR at >= now() - interval '6 months'`;
