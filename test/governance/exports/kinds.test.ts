import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXPORT_NAMES, type ExportName } from '../../../src/config/export-names.ts';
import { exportKind, LIST_DAYS } from '../../../src/governance/exports/kinds.ts';
import { newId } from '../../../src/platform/ids.ts';
import { addDays } from '../../../src/platform/time/berlin-calendar.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { csvRows, type ExportWorld, exportWorld } from './fixture.ts';

/* What holds for each kind of rows, and those that happen now and then: portions by instants in place of keys. */
let world: ExportWorld;
const day = '2026-10-25';
const span = `>= '2026-10-24T22:00Z' AND < '2026-10-25T23:00Z'`.split(' AND ');

beforeAll(async () => {
  world = await exportWorld();
  await insertReferenceRows(world);
  const { admin, a, b } = world;
  for (const { organization, households, customers, keys } of [a, b]) {
    const [contract] = await world.rows<{ id: string; plan_id: string }>(
      'SELECT id, plan_id FROM subscriptions WHERE organization_id = $1 AND household_id = $2',
      [organization, households[0]],
    );
    for (const [subscription, at] of [
      [null, '2026-10-24T21:59:59.999999Z'],
      [null, '2026-10-24T22:00Z'],
      [contract?.id, '2026-10-25T22:59:59.999999Z'],
      [null, '2026-10-25T23:00Z'],
    ]) {
      await admin.query(
        `INSERT INTO leads (organization_id, id, plan_id, details, subscription_id, subscribed_at, created_at)
         VALUES ($1, $2, $3, '{"customer": {"email": "hidden@example.org"}}', $4::text,
                 CASE WHEN $4 IS NOT NULL THEN $5::timestamptz END, $5)`,
        [organization, newId('lead'), contract?.plan_id, subscription, at],
      );
    }
    /* Seven at each instant, so that pages end among equal ones. */
    await admin.query(
      `INSERT INTO events (organization_id, id, topic, timestamp, context)
       SELECT $1, 'evt_' || left(md5(n || $1), 24), 'subscription.created',
              '2026-10-24T21:00Z'::timestamptz + n / 7 * interval '111.000001 seconds', '{}' FROM generate_series(1, 6000) AS n`,
      [organization],
    );
    await admin.query(
      `INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, created_at, state, next_at, delivered_at, last_status)
       SELECT e.organization_id, e.id, w.id, e.timestamp, 'delivered', NULL, e.timestamp + interval '2.5 seconds', 204
         FROM events AS e JOIN webhook_endpoints AS w ON w.organization_id = e.organization_id
        WHERE e.organization_id = $1 AND e.timestamp < '2026-10-24T22:30Z'`,
      [organization],
    );
    await admin.query(
      `INSERT INTO dunning_steps (organization_id, customer_id, invoice_id, level, amount, reminded_on, mail, created_at)
       SELECT organization_id, customer_id, id, 2, 119, $2, 'handed_over', now() FROM invoices WHERE organization_id = $1`,
      [organization, day],
    );
    const { rows } = await admin.query(
      `INSERT INTO assets (organization_id, customer_id, household_id, id, type, external_id, max_power_kw, bidirectional)
       VALUES ($1, $2, $3, $4, 'wallbox', '=box', 11, true) RETURNING key`,
      [organization, customers[0], households[0], newId('ast')],
    );
    await admin.query(
      `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
       SELECT $1, at, 3, 3, 900, 0.25, 0
         FROM unnest('{2026-10-24T21:30Z,2026-10-25T00:45Z,2026-10-25T22:45Z,2026-10-26T12:00Z}'::timestamptz[],
                     ARRAY[interval '1 hour', interval '30 minutes', interval '9 days', interval '1 hour']) AS stay (begins, length),
              generate_series(begins, begins + length - interval '1 minute', interval '15 minutes') AS at
       ON CONFLICT DO NOTHING`,
      [rows[0].key],
    );
    await admin.query('UPDATE assets SET created_at = $2 WHERE key = ANY ($1)', [keys, '2026-10-25T08:00Z']);
    for (const table of ['customers', 'households', 'subscriptions', 'meter_orders', 'grid_fee_reductions'])
      await admin.query(`UPDATE ${table} SET created_at = $2 WHERE organization_id = $1`, [
        organization,
        '2026-10-25T08:00Z',
      ]);
  }
  await admin.query('ANALYZE');
});
afterAll(() => world?.close());

const read = async (what: ExportName, given: object = {}) =>
  await csvRows((await world.run({ what, from: day, to: addDays(day, 1), ...given })).file);

test.each(EXPORT_NAMES)(
  'columns of %s have the types of its view, and exact numbers stay exact',
  async (what) => {
    const { view, key, columns, isFunction } = exportKind(what);
    /* Products and quotients, whose digits have no end. */
    const computed = ['retail_cost_days', 'retail_cost'].includes(what) ? ['number'] : [];
    const types: Record<string, readonly string[]> = {
      text: ['text'],
      'text[]': ['words'],
      'timestamp with time zone': ['instant'],
      'timestamp without time zone': ['clock_time'],
      'time without time zone': ['time_of_day'],
      date: ['day'],
      boolean: ['yes_no'],
      'double precision': ['number'],
      integer: ['integer'],
      smallint: ['integer'],
      bigint: ['integer'],
      numeric: ['exact', 'eur', 'eur_mwh', 'ct_kwh', 'kwh', ...computed],
    };
    const { organization } = world.a;
    await world.admin.query('SELECT make_analyst_schema($1)', [organization]);
    const typesOf = async (from: string) => {
      const { fields } = await world.admin.query(`SELECT * FROM analytics_${organization}.${from} LIMIT 0`);
      const rows = await world.rows<{ name: string; type: string }>(
        'SELECT name, format_type(oid, NULL) AS type FROM unnest($1::text[], $2::oid[]) AS f (name, oid)',
        [fields.map(({ name }) => name), fields.map(({ dataTypeID }) => dataTypeID)],
      );
      return new Map(rows.map(({ name, type }) => [name, type]));
    };
    const of = {
      v: await typesOf(isFunction ? `${view}(now(), now())` : view),
      k: key === undefined ? new Map<string, string>() : await typesOf(key.view),
    };
    const wrong = columns.filter(
      (column) => !types[of[column.of].get(column.name) ?? '']?.includes(column.type),
    );
    expect(wrong).toEqual([]);
  },
);

test('each view of analysts can be exported as CSV and as Parquet, with all rows of its days or of the list', async () => {
  const { organization } = world.a;
  const days = { from: '2026-11-30', to: '2026-12-02' } as const;
  await world.admin.query('SELECT make_analyst_schema($1)', [organization]);
  await world.admin.query(
    "INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, '2026-11-30T12:00Z', 1)",
    [world.a.keys[0]],
  );
  const views = await world.rows<{ view: string }>(
    "SELECT viewname AS view FROM pg_views WHERE schemaname = 'analytics' ORDER BY 1",
  );
  const emptyLists: string[] = [];
  for (const { view } of views) {
    const what = EXPORT_NAMES.find((name) => exportKind(name).view === view);
    if (what === undefined) throw new Error(`No export shows the view ${view}`);
    const { at, isDay, isForecast } = exportKind(what);
    if (isForecast) continue;
    const [from, to] = isDay ? [days.from, days.to] : ['2026-11-29T23:00Z', '2026-12-01T23:00Z'];
    const within = at === undefined ? 'true' : `${at} >= '${from}' AND ${at} < '${to}'`;
    const [found] = await world.rows<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM analytics_${organization}.${view} WHERE ${within}`,
    );
    const span = at === undefined ? LIST_DAYS : days;
    const csv = await world.run({ what, ...span });
    const parquet = await world.run({ what, ...span, format: 'parquet' });
    const counts = [(await csvRows(csv.file)).length, csv.report.rows, parquet.report.rows];
    expect([view, counts]).toEqual([view, [found?.rows, found?.rows, found?.rows]]);
    if (at === undefined && found?.rows === 0) emptyLists.push(view);
  }
  expect(emptyLists).toEqual([]);
});

test('months are exported once, where their first day is one of the days', async () => {
  await world.admin.query(
    `INSERT INTO asset_days (asset_id, day, quarter_hours, samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT $1, day, 96, 96, 86400, 1.5, 0 FROM unnest('{2026-10-31,2026-11-01,2026-11-30,2026-12-01}'::date[]) AS day`,
    [world.a.keys[0]],
  );
  const months = async (from: string, to: string) =>
    (await read('energy_months', { from, to })).map(({ month, consumed_kwh }) => [
      month,
      Number(consumed_kwh),
    ]);
  expect(await months('2026-10-15', '2026-12-02')).toEqual([
    ['2026-11-01', 3],
    ['2026-12-01', 1.5],
  ]);
  expect(await months('2026-10-01', '2026-10-02')).toEqual([['2026-10-01', 1.5]]);
  expect(await months('2026-11-02', '2026-12-01')).toEqual([]);
});

test('I22 no kind of export holds an id of another organization', async () => {
  const ids = new Set(
    (
      await world.rows<{ id: string }>(
        `SELECT id FROM assets WHERE organization_id = $1 UNION ALL SELECT id FROM subscriptions WHERE organization_id = $1
          UNION ALL SELECT id FROM invoices WHERE organization_id = $1 UNION ALL SELECT id FROM leads WHERE organization_id = $1
          UNION ALL SELECT id FROM webhook_endpoints WHERE organization_id = $1
          UNION ALL SELECT id FROM households WHERE organization_id = $1 UNION ALL SELECT id FROM events WHERE organization_id = $1`,
        [world.b.organization],
      )
    ).map(({ id }) => id),
  );
  for (const what of EXPORT_NAMES.filter((name) => exportKind(name).key !== undefined)) {
    for (const from of [day, '2026-12-01']) {
      const rows = await read(what, { from, to: addDays(from, 1) });
      expect([what, rows.flatMap((row) => Object.values(row)).filter((value) => ids.has(value))]).toEqual([
        what,
        [],
      ]);
    }
  }
});

test('records and what happened to them are those of the day on which they were made, midnights of Berlin apart', async () => {
  for (const [what, at, order] of [
    ['leads', 'created_at', 'created_at, lead'],
    ['events', 'timestamp', 'timestamp, event'],
    ['webhook_deliveries', 'created_at', 'created_at, event, endpoint'],
    ['customers', 'created_at', 'created_at, customer'],
    ['households', 'created_at', 'created_at, household'],
    ['assets', 'created_at', 'created_at, asset'],
    ['never_sent_assets', 'created_at', 'created_at, asset'],
    ['contracts', 'created_at', 'created_at, contract'],
    ['meter_orders', 'created_at', 'created_at, meter_order'],
    ['grid_fee_reductions', 'created_at', 'created_at, grid_fee_reduction'],
    ['reminders', 'reminded_on', 'invoice, level'],
  ] as const) {
    const within =
      at === 'reminded_on' ? `${at} = '${day}'` : span.map((bound) => `${at} ${bound}`).join(' AND ');
    const inView = await world.rows<{ id: string }>(
      `SELECT ${order.split(', ').at(-1)}::text AS id FROM analytics.${what}
        WHERE organization_id = $1 AND ${within} ORDER BY ${order}`,
      [world.a.organization],
    );
    expect([what, inView.length > 0]).toEqual([what, true]);
    const rows = await read(what);
    expect([what, rows.map((row) => row[order.split(', ').at(-1) ?? ''])]).toEqual([
      what,
      inView.map(({ id }) => id),
    ]);
  }
  const leads = await read('leads');
  expect(leads.map((row) => [row.outcome, row.household])).toEqual([
    ['open', ''],
    ['signed', world.a.households[0]],
  ]);
  expect(JSON.stringify(leads)).not.toContain('hidden@');
  expect(await read('leads', { household: world.a.households[0] })).toEqual(leads.slice(1));
  const [contract] = await read('contracts', { household: world.a.households[0] });
  expect(contract).toMatchObject({ household: world.a.households[0], type: 'consumption' });
  expect(await read('customers')).not.toEqual([]);
  expect(JSON.stringify(await read('customers'))).not.toContain('@');
  expect((await read('webhook_deliveries'))[0]).toMatchObject({
    took_seconds: '2.5',
    last_status: '204',
    next_at: '',
  });
});

test('what happens now and then is read in portions of its own rows, each by the index of its instants', async () => {
  let portions = 0;
  const onProgress = () => {
    portions += 1;
  };
  const events = await read('events', { onProgress });
  expect(events.length).toBeGreaterThan(5_000);
  /* 10, 20, 40 … rows; one portion for a day without any, however many keys there are. */
  expect(portions).toBeLessThan(13);
  for (const what of EXPORT_NAMES.filter((name) => exportKind(name).byInstant)) {
    portions = 0;
    await read(what, { from: '2026-05-01', to: '2026-05-02', onProgress });
    expect([what, portions]).toEqual([what, 1]);
    /* As if there were a million rows in each table: in a small one nothing is quicker than to read all of it. */
    const { view, at } = exportKind(what);
    await world.admin.query(
      `BEGIN; SET LOCAL enable_bitmapscan = off;
       UPDATE pg_class SET reltuples = 1e6, relpages = 1
        WHERE relname IN ('customers', 'households', 'assets', 'subscriptions', 'meter_orders', 'grid_fee_reductions', 'invoices',
                          'invoice_lines', 'payments', 'dunning_steps', 'leads', 'events', 'event_deliveries')`,
    );
    const plan = await world.rows<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT ${at} FROM analytics_${world.a.organization}.${view}
        WHERE ${at} >= '2026-05-01' AND ${at} < '2026-05-02' ORDER BY ${at} LIMIT 10`,
    );
    await world.admin.query('ROLLBACK');
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
      new RegExp(`Index Cond: .*organization_id = .*\\W${at}"? >= .*\\W${at}"? <`),
    );
  }
});

test('an export by instants that was stopped among equal ones goes on there', async () => {
  const whole = await read('events');
  const stopping = new AbortController();
  const file = `${world.folder}/stopped-events.csv`;
  const given = { what: 'events', from: day, to: addDays(day, 1), file } as const;
  const stopped = await world.run({
    ...given,
    signal: stopping.signal,
    onProgress: ({ rows }) => {
      if (rows > 1_000) stopping.abort();
    },
  });
  expect(stopped.report.isComplete).toBe(false);
  await world.run(given);
  expect(await csvRows(file)).toEqual(whole);
});

test('charging sessions are those that begin on a day, whole or with their first seven days, whatever span is asked for', async () => {
  const sessions = async (from: string, to: string) =>
    (await read('charging_sessions', { from, to })).map((row) => [
      ...[row.delivery_day, row.local_time, row.utc_offset_hours, row.ended_at, Number(row.charged_kwh)],
    ]);
  const expected = [
    ['2026-10-24', '2026-10-24 23:30:00', '2', '2026-10-24 22:30:00+00', 1],
    ['2026-10-25', '2026-10-25 02:45:00', '2', '2026-10-25 01:15:00+00', 0.5],
    ['2026-10-25', '2026-10-25 23:45:00', '1', '2026-11-01 22:45:00+00', 168],
  ];
  expect(await sessions('2026-10-24', '2026-11-06')).toEqual(expected);
  expect(await sessions(day, addDays(day, 1))).toEqual(expected.slice(1));
  expect(await sessions('2026-10-26', '2026-11-06')).toEqual([]);
  expect((await read('charging_sessions')).map((row) => row.external_id)).toEqual(['=box', '=box']);
});

test('the calendar says which states have a holiday', async () => {
  const [row] = await read('calendar', { from: '2026-10-31', to: '2026-11-01' });
  expect(row).toMatchObject({ holiday: 'Reformation Day', holiday_states: 'BB HB HH MV NI SH SN ST TH' });
});
