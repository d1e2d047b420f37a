import { runBilling } from '../../../src/billing/invoices/runs/run.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import {
  berlinMidnight,
  berlinMilliseconds,
  quarterHoursOf,
} from '../../../src/platform/time/berlin-calendar.ts';
import { jobWorkers } from '../../../workers/index.ts';
import { type Contract, type Metered, startMetered } from '../../contracts/usage/metered.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { workJobs } from '../../setup/work-jobs.ts';

export interface StoredBill {
  id: string;
  subscription_id: string;
  type: string;
  invoice_number: string;
  ledger_number: number;
  period: string;
  period_number: number;
  status: string;
  usage: number | null;
  deducted: number;
  total: number;
  is_final: boolean;
}

export interface Refusal {
  subscription_id: string;
  type: string;
  period: string;
  code: string;
  detail: string;
  deadline: string | null;
}

export interface Billed extends Metered {
  /** The same price in all quarter hours of some days, EUR/MWh, or what each of them has by its start. */
  price(from: string, until: string, amount: number | ((start: number) => number)): Promise<void>;
  /** The same energy in all quarter hours of some days, from the metering operator. */
  supply(contract: Contract, from: string, until: string, kwh?: number): Promise<void>;
  /** Bills from long ago on where no other first day is given. */
  issuer(billsFrom?: string): Promise<void>;
  /** What the daily tick does at the clock's instant, with the work that it asks for. */
  bill(): Promise<void>;
  /** What waits in the queue of the worker process. */
  work(): Promise<void>;
  bills(contract?: Pick<Contract, 'id'>): Promise<StoredBill[]>;
  refusals(contract?: Pick<Contract, 'id'>): Promise<Refusal[]>;
}

const BILLING = jobWorkers.filter(({ definition }) =>
  ['bill-portion', 'ask-corrections', 'correct-bills'].includes(definition.name),
);

/** Reference data of 2026, an issuer, and the ZIP of all households served. Other jobs than these workers' fail. */
export async function startBilled(
  instant: string,
  workers: typeof jobWorkers = BILLING,
  options: Parameters<typeof startMetered>[1] = {},
): Promise<Billed> {
  const metered = await startMetered(instant, { ...options, alone: true });
  const { api, organization, clock } = metered;
  const { deps } = api;
  await storedRows(
    api,
    `INSERT INTO zip_areas (zip, operator, concession_class, share, valid_from, source)
     VALUES ('20354', 'netz-leipzig', 'T4', 1, '2026-01-01', 'tests')`,
  );
  let ticks = 0;
  const billed: Billed = {
    ...metered,
    price: async (from, until, amount) => {
      const starts = quarterHoursOf(berlinMilliseconds(from), berlinMilliseconds(until)).map(
        ({ begins }) => begins,
      );
      const amounts = starts.map(typeof amount === 'number' ? () => amount : amount);
      await withDatabaseClient(api.database.adminUrl, async (admin) => {
        /* Without the revisions of a source behind them. */
        await admin.query('SET session_replication_role = replica');
        await admin.query(
          `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
           SELECT 'DE-LU', start, 15, (start AT TIME ZONE 'Europe/Berlin')::date, amount, 'smard', 1
             FROM unnest($1::timestamptz[], $2::numeric[]) AS priced (start, amount)`,
          [starts.map((start) => new Date(start)), amounts],
        );
      });
    },
    supply: async ({ id, place }, from, until, kwh = 0.1) => {
      const values = [organization, place.customer, id, berlinMidnight(from), berlinMidnight(until), kwh];
      await storedRows(
        api,
        `WITH kept AS (
           INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
           SELECT $1, $2, $3, start, $6, 'metering_operator'
             FROM generate_series($4::timestamptz, $5::timestamptz - interval '15 minutes', '15 minutes') AS start
           RETURNING *)
         INSERT INTO usage_days (organization_id, customer_id, subscription_id, day, kwh, quarter_hours)
         SELECT $1, $2, $3, (interval_start AT TIME ZONE 'Europe/Berlin')::date, sum(kwh), count(*)
           FROM kept GROUP BY 4`,
        values,
      );
    },
    issuer: async (billsFrom = '2000-01-01') => {
      await storedRows(
        api,
        `INSERT INTO issuers (organization_id, name, street, house_number, zip, city, contact_name, email, phone, vat_id,
           supplier_code, iban, account_holder, creditor_id, bills_from)
         VALUES ($1, 'Strom GmbH', 'Weg', '1', '20354', 'Hamburg', 'Service', 'service@example.org', '+49 40 1', 'DE123456788',
           '9900000000001', 'DE89370400440532013000', 'Strom GmbH', 'DE98ZZZ09999999999', $2)
         ON CONFLICT DO NOTHING`,
        [organization, billsFrom],
      );
    },
    bill: async () => {
      const signal = new AbortController().signal;
      /* Each tick is another one, also while the clock stands. */
      ticks += 1;
      const dueAt = new Date(clock.nowMilliseconds() + ticks).toISOString();
      await runBilling(deps, { dueAt, signal, log: deps.log });
      await billed.work();
    },
    work: () => workJobs(api, workers),
    bills: (contract) =>
      storedRows<StoredBill>(
        api,
        `SELECT id, subscription_id, type, invoice_number, ledger_number::int, period_number, status, usage_kwh::float8 AS usage,
                deducted::float8, total::float8, is_final,
                (period_start AT TIME ZONE 'Europe/Berlin')::date || ' ' || (period_end AT TIME ZONE 'Europe/Berlin')::date AS period
           FROM invoices WHERE organization_id = $1 AND ($2::text IS NULL OR subscription_id = $2) ORDER BY ledger_number`,
        [organization, contract?.id ?? null],
      ),
    refusals: (contract) =>
      storedRows<Refusal>(
        api,
        `SELECT subscription_id, type, period_start || ' ' || period_end AS period, code, detail, deadline::text
           FROM billing_refusals WHERE organization_id = $1 AND ($2::text IS NULL OR subscription_id = $2)
          ORDER BY period_start, type`,
        [organization, contract?.id ?? null],
      ),
  };
  return billed;
}
