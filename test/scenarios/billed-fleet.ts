import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { berlinMidnight } from '../../src/platform/time/berlin-calendar.ts';
import { startBilled } from '../billing/invoices/billing.ts';
import type { Contract } from '../contracts/usage/metered.ts';
import { createPlan } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';

/** First day of supply of all contracts, and the first day behind the year. */
export const YEAR = { from: '2027-04-01', until: '2028-04-01' } as const;

type Billed = Awaited<ReturnType<typeof startBilled>>;

/** What customers of the fleet are there to show. */
export type Role = 'plain' | 'modules' | 'analog' | 'moving' | 'idle' | 'advance';

export interface Fleet {
  readonly billed: Billed;
  readonly contracts: Readonly<Record<Role, Contract>>;
}

/** Six contracts of one organization, with everything that their year of supply is billed by. */
export async function startFleet(): Promise<Fleet> {
  const billed = await startBilled(berlinMidnight(YEAR.from));
  const { api, organization } = billed;
  await billed.issuer();
  await insertPriceLists(billed);
  await insertSpotPrices(billed);
  const plan = await createPlan(api.deps, organization, {
    terms: [
      {
        ...{ valid_to: '2027-10-15', base_fee_net: '5.00', margin_ct_net: '1.80' },
        ...{ discount_name: 'Start', discount_amount_off: '11.90', discount_duration: 'recurring' },
        discount_duration_in_months: 2,
      },
      { valid_from: '2027-10-15', base_fee_net: '6.45', margin_ct_net: '2.15' },
    ],
  });
  const supplied = (input: Parameters<Billed['contract']>[0] = {}) =>
    billed.contract({
      ...{ plan_id: plan.id, start_at: berlinMidnight(YEAR.from), confirmed_at: '2027-03-10T09:00:00Z' },
      ...{ meter_type: 'smart', ...input },
    });
  const contracts = {
    plain: await supplied(),
    modules: await supplied({ estimated_usage: '6500' }),
    analog: await supplied({ meter_type: 'analog', estimated_usage: '3000' }),
    moving: await supplied({ end_at: berlinMidnight('2027-11-17') }),
    idle: await supplied({ estimated_usage: '100' }),
    advance: await supplied({ estimated_usage: '8000' }),
  };
  const fleet = { billed, contracts };
  await insertEnergy(fleet);
  await insertModules(fleet);
  await storedRows(
    api,
    `INSERT INTO billing_terms (organization_id, customer_id, subscription_id, valid_from, mode, instalment, basis)
     VALUES ($1, $2, $3, $4, 'advance', 95, 'forecast')`,
    [organization, contracts.advance.place.customer, contracts.advance.id, YEAR.from],
  );
  return fleet;
}

/** VAT that changes within a month and at a year, levies and grid fees of two years. */
async function insertPriceLists({ api }: Billed): Promise<void> {
  const statements = [
    `UPDATE vat_rates SET valid_to = '2027-07-16' WHERE valid_to IS NULL`,
    `INSERT INTO vat_rates (rate, valid_from, valid_to, source)
     VALUES (0.16, '2027-07-16', '2028-01-01', 'tests'), (0.19, '2028-01-01', NULL, 'tests')`,
    `INSERT INTO levies (code, ct_net, valid_from, valid_to, source)
     VALUES ('kwkg', 0.461, '2027-01-01', '2028-01-01', 'tests'), ('kwkg', 0.502, '2028-01-01', '2029-01-01', 'tests'),
            ('offshore', 0.988, '2027-01-01', '2028-01-01', 'tests'), ('offshore', 1.013, '2028-01-01', '2029-01-01', 'tests'),
            ('besondere_netznutzung', 1.611, '2027-01-01', '2028-01-01', 'tests'),
            ('besondere_netznutzung', 1.702, '2028-01-01', '2029-01-01', 'tests')`,
    `INSERT INTO grid_fees (operator, base_eur_year_net, working_ct_net, module_1_eur_year_net, module_2_ct_net, provisional,
       valid_from, valid_to, source)
     VALUES ('netz-leipzig', 77.35, 4.41, 100.30, 1.76, false, '2027-01-01', '2028-01-01', 'tests'),
            ('netz-leipzig', 79.90, 4.87, 103.75, 1.95, false, '2028-01-01', '2029-01-01', 'tests')`,
    `INSERT INTO grid_fee_schedules (operator, low_ct_net, standard_ct_net, high_ct_net, quarters, low_windows, high_windows,
       weight_low, weight_standard, weight_high, share_of_year, valid_from, valid_to, source)
     VALUES ('netz-leipzig', 0.88, 4.41, 7.72, '1;4', '00:00-05:00', '17:00-20:15', 0.2, 0.5, 0.3, 0.4986, '2027-01-01', '2028-01-01', 'tests'),
            ('netz-leipzig', 0.97, 4.87, 8.52, '1;4', '00:00-05:00', '16:45-20:15', 0.2, 0.5, 0.3, 0.4986, '2028-01-01', '2029-01-01', 'tests')`,
  ];
  for (const statement of statements) await storedRows(api, statement);
}

/** Another price in each quarter hour, some below zero. */
async function insertSpotPrices({ api }: Billed): Promise<void> {
  await withDatabaseClient(api.database.adminUrl, async (admin) => {
    /* Without the revisions of a source behind them. */
    await admin.query('SET session_replication_role = replica');
    await admin.query(
      `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
       SELECT 'DE-LU', at, 15, (at AT TIME ZONE 'Europe/Berlin')::date,
              ((extract(epoch FROM at)::bigint / 900 * 7919) % 18000)::numeric / 100 - 20, 'smard', 1
         FROM generate_series($1::timestamptz, $2::timestamptz - interval '15 minutes', '15 minutes') AS at`,
      [berlinMidnight('2027-03-01'), berlinMidnight('2028-06-01')],
    );
  });
}

/** Values of the metering operator: what a household uses differs from quarter hour to quarter hour. */
async function insertEnergy({ billed: { api, organization }, contracts }: Fleet): Promise<void> {
  const { plain, modules, moving, idle, advance } = contracts;
  const yearly = [
    { contract: plain, mean: 0.08 },
    { contract: modules, mean: 0.19 },
    { contract: moving, mean: 0.06 },
    { contract: idle, mean: 0.002 },
    { contract: advance, mean: 0.21 },
  ];
  for (const { contract, mean } of yearly) {
    await storedRows(
      api,
      `WITH kept AS (
         INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
         SELECT $1, $2, $3, at,
                round(((extract(epoch FROM at)::bigint / 900 * 104729 + hashtext($3)) % 2000 + 2000)::numeric % 2000 / 1000 * $6::numeric, 5),
                'metering_operator'
           FROM generate_series($4::timestamptz, $5::timestamptz - interval '15 minutes', '15 minutes') AS at
         RETURNING *)
       INSERT INTO usage_days (organization_id, customer_id, subscription_id, day, kwh, quarter_hours)
       SELECT $1, $2, $3, (interval_start AT TIME ZONE 'Europe/Berlin')::date, sum(kwh), count(*) FROM kept GROUP BY 4`,
      [
        ...[organization, contract.place.customer, contract.id],
        ...[berlinMidnight(YEAR.from), berlinMidnight(YEAR.until), mean],
      ],
    );
  }
}

/** Modules 1 and 3 in the middle of June; module 1 alone where next to nothing is used, and with advance payment. */
async function insertModules({ billed: { api, organization }, contracts }: Fleet): Promise<void> {
  const ordered = [
    { contract: contracts.modules, type: 'enwg-14a-module-1', from: '2027-06-11' },
    { contract: contracts.modules, type: 'enwg-14a-module-3', from: '2027-06-11' },
    { contract: contracts.idle, type: 'enwg-14a-module-1', from: YEAR.from },
    { contract: contracts.advance, type: 'enwg-14a-module-1', from: YEAR.from },
  ];
  for (const { contract, type, from } of ordered) {
    await storedRows(
      api,
      `INSERT INTO grid_fee_reductions (organization_id, customer_id, subscription_id, id, type, status, valid_from)
       VALUES ($1, $2, $3, 'gfr_' || left(md5($3 || $4), 24), $4, 'activated', $5)`,
      [organization, contract.place.customer, contract.id, type, berlinMidnight(from)],
    );
  }
}
