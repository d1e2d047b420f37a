import { type Selectable, sql } from 'kysely';
import { DELIVERY_ADDRESS_ID } from '../../../contracts/subscriptions/queries.ts';
import type { Connection } from '../../../platform/database/db.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { openRuns } from '../../../platform/jobs/waiting-runs.ts';
import { berlinMidnight, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { RateSum } from '../calculate/types.ts';
import { askCorrectionsJob, correctBillsJob } from '../jobs.ts';
import { CORRECTED } from '../queries.ts';

type Invoice = Selectable<Tables['invoices']>;

/** A bill that holds. */
export interface HeldBill
  extends Pick<
    Invoice,
    | 'id'
    | 'customer_id'
    | 'invoice_number'
    | 'period_number'
    | 'status'
    | 'is_final'
    | 'is_estimated'
    | 'issued_at'
  > {
  readonly taxes: readonly RateSum[];
  /** It closed a year of advance payment and named the instalment that follows. */
  readonly names_instalment: boolean;
  readonly from: CalendarDay;
  readonly until: CalendarDay;
}

/** The bills of a contract that were not reversed, ascending by their days. */
export async function listBillsOfContract(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<HeldBill[]> {
  const { rows } = await sql<HeldBill>`
    SELECT id, customer_id, invoice_number, period_number, status, is_final, is_estimated, issued_at, taxes,
           facts #>> '{nextInstalment,from}' IS NOT NULL AS names_instalment,
           (period_start AT TIME ZONE 'Europe/Berlin')::date AS "from",
           (period_end AT TIME ZONE 'Europe/Berlin')::date AS until
      FROM invoices
     WHERE organization_id = ${organization} AND subscription_id = ${subscription}
       AND type = 'usage' AND status <> 'voided'
     ORDER BY period_start`.execute(connection);
  return rows;
}

export async function isClosed(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<boolean> {
  const exitSummary = await connection
    .selectFrom('invoices')
    .select('id')
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('type', '=', 'exit_summary')
    .where('status', '<>', 'voided')
    .executeTakeFirst();
  return exitSummary !== undefined;
}

/**
 * When the last tick of the schedule began whose look is done: what came in since is looked at. Each look goes back to it, so
 * that it does the work of those before it that were given up. Before the first one everything is looked at that came in behind
 * a document. Null: there is none of both.
 */
export async function findInstantOfLastLook(
  connection: Connection,
  organization: string,
): Promise<string | null> {
  const { rows } = await sql<{ looked_at: string }>`
    SELECT created_at AS looked_at FROM billing_runs
     WHERE organization_id = ${organization} AND due_at IS NOT NULL
       AND id NOT IN (SELECT payload ->> 'run' FROM (${openRuns(organization, [askCorrectionsJob])}) AS look)
     ORDER BY due_at DESC LIMIT 1`.execute(connection);
  if (rows[0] !== undefined) return rows[0].looked_at;
  const first = await connection
    .selectFrom('invoices')
    .select('created_at')
    .where('organization_id', '=', organization)
    .where('restricted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return first?.created_at ?? null;
}

/** Contracts of which a correction could not be made before, by id: it was refused, or its run was given up since the last look. */
export async function listOpenCorrections(
  connection: Connection,
  organization: string,
  { since, after, rowsMax }: { since: string; after: string; rowsMax: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT subscription_id AS id FROM billing_refusals
     WHERE organization_id = ${organization} AND type IN ('correction', 'exit_summary') AND subscription_id > ${after}
     UNION
    SELECT id FROM (${contractsOfRuns(organization, { states: ['failed'], failedSince: since })}) AS contract
     WHERE id > ${after}
     ORDER BY 1 LIMIT ${rowsMax}`.execute(connection);
  return rows.map(({ id }) => id);
}

/** Contracts of runs of corrections that are not done. A look asks again for those that were given up before it. */
export function contractsOfRuns(organization: string, which: Parameters<typeof openRuns>[2]) {
  return sql<{ id: string }>`
    SELECT jsonb_array_elements_text(payload -> 'contracts') AS id
      FROM (${openRuns(organization, [correctBillsJob], which)}) AS run`;
}

/** What was said of corrections of a contract is said anew. */
export async function deleteCorrectionRefusals(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<void> {
  await connection
    .deleteFrom('billing_refusals')
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('type', 'in', ['correction', 'exit_summary'])
    .execute();
}

/** A bill, and what its energy was read from. */
export interface BilledUsage {
  /** Id of the document. */
  readonly invoice: string;
  readonly subscription: string;
  readonly meter: string;
  readonly from: CalendarDay;
  /** Exclusive. */
  readonly until: CalendarDay;
  readonly issuedAt: string;
}

interface Portion {
  /** Contracts behind this id. */
  readonly after: string;
  readonly rowsMax: number;
  /** Only contracts of this customer. */
  readonly customer?: string;
}

const ofCustomer = (organization: string, { customer }: Portion) =>
  customer === undefined
    ? sql``
    : sql`AND id IN (SELECT id FROM subscriptions WHERE organization_id = ${organization} AND customer_id = ${customer})`;

/** Some contracts by id. `last`: the one behind which the next page begins; null: there is none. */
export interface ContractPage {
  readonly contracts: readonly string[];
  readonly last: string | null;
}

/**
 * Contracts, by id, of which something came in since an instant that their bills depend on and that is theirs alone: quarter
 * hours of a frozen month, a reading of their meter, another device, and what `bills_changed_at` notes. Each of them is a
 * range of an index by time.
 */
export async function listContractsChangedSince(
  connection: Connection,
  organization: string,
  since: string,
  portion: Portion,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH changed_meters AS (
      SELECT meter_id FROM meter_readings
       WHERE organization_id = ${organization} AND created_at >= ${since}::timestamptz
      UNION
      SELECT meter_id FROM meter_readings
       WHERE organization_id = ${organization} AND withdrawn_at >= ${since}::timestamptz
      UNION
      SELECT meter_id FROM meter_changes
       WHERE organization_id = ${organization} AND updated_at >= ${since}::timestamptz
      UNION
      SELECT id FROM meters
       WHERE organization_id = ${organization} AND first_type_changed_at >= ${since}::timestamptz
    ), changed AS (
      SELECT subscription_id AS id FROM settled_usage_months
       WHERE organization_id = ${organization} AND changed_at >= ${since}::timestamptz
      UNION
      SELECT id FROM subscriptions
       WHERE organization_id = ${organization} AND bills_changed_at >= ${since}::timestamptz
      UNION
      SELECT contract.id
        FROM changed_meters
       CROSS JOIN LATERAL (
               SELECT id FROM subscriptions
                WHERE organization_id = ${organization} AND meter_id = changed_meters.meter_id) AS contract
    )
    SELECT id FROM changed
     WHERE id > ${portion.after} ${ofCustomer(organization, portion)} ORDER BY id LIMIT ${portion.rowsMax}`.execute(
    connection,
  );
  return rows.map(({ id }) => id);
}

/** Whether prices came in since an instant, or were replaced, of days before another one: of later days there is no bill. */
export async function findPriceChanges(
  connection: Connection,
  organization: string,
  since: string,
  before: CalendarDay,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM price_changes
     WHERE changed_at >= ${since}::timestamptz AND first_day < ${before}::date
       AND (organization_id IS NULL OR organization_id = ${organization})
     LIMIT 1`.execute(connection);
  return rows.length > 0;
}

/** By what a contract finds changes of prices that may concern it. Where no operator was named, the grid operator is it. */
const KEYS = sql`
  SELECT ARRAY['', contract.plan_id, place.zip]
         || ARRAY(SELECT metering_operator FROM meter_changes AS measured
                   WHERE measured.organization_id = contract.organization_id AND measured.meter_id = contract.meter_id)
         || ARRAY(SELECT operator FROM zip_areas AS area WHERE area.zip = place.zip) AS all_of_them`;

/** Of changes with one of these keys. */
const CONCERNS = sql`
  (change.organization_id IS NULL OR change.organization_id = contract.organization_id)
  AND (change.contract_type IS NULL OR change.contract_type = contract.type)
  AND (change.commissioned_from IS NULL OR (contract.plant_commissioned_on >= change.commissioned_from
                                            AND contract.plant_commissioned_on < change.commissioned_until))`;

const PLACE = sql`
  JOIN households AS household
    ON (household.organization_id, household.id) = (contract.organization_id, contract.household_id)
  LEFT JOIN addresses AS place
    ON place.organization_id = contract.organization_id AND place.id = ${DELIVERY_ADDRESS_ID}`;

/**
 * Looks at the next contracts by id. Gives those that have a bill for days whose prices changed since an instant, and
 * the last contract that was looked at; null: no contract is left. A contract meets only the changes of its own zip, plan and
 * operators, and those of everybody. Where energy moves between days, its bills of other days count as well.
 */
export async function listRepricedContracts(
  connection: Connection,
  organization: string,
  { since, before }: { since: string; before: CalendarDay },
  portion: Portion,
  margin: string,
): Promise<ContractPage> {
  const { rows } = await sql<{ contracts: string[]; last: string | null }>`
    WITH contract AS MATERIALIZED (
      SELECT * FROM subscriptions
       WHERE organization_id = ${organization} AND id > ${portion.after} ${ofCustomer(organization, portion)}
       ORDER BY id LIMIT ${portion.rowsMax}
    ), named AS MATERIALIZED (
      SELECT DISTINCT contract.id, key
        FROM contract ${PLACE} CROSS JOIN LATERAL (${KEYS}) AS keys CROSS JOIN LATERAL unnest(all_of_them) AS key
    ), changes AS MATERIALIZED (
      SELECT organization_id, contract_type, commissioned_from, commissioned_until, key, moves_energy,
             unnest(range_agg(daterange(first_day, end_day))) AS days, max(changed_at) AS changed_at
        FROM price_changes
       WHERE changed_at >= ${since}::timestamptz AND first_day < least(end_day, ${before}::date)
         AND key IN (SELECT key FROM named)
       GROUP BY 1, 2, 3, 4, 5, 6
    ), repriced AS (
      SELECT DISTINCT contract.id
        FROM changes AS change JOIN named USING (key) JOIN contract USING (id)
       WHERE ${CONCERNS}
         AND EXISTS (
               SELECT FROM invoices AS bill
                WHERE bill.organization_id = ${organization} AND bill.subscription_id = contract.id
                  AND bill.type = 'usage' AND bill.status <> 'voided'
                  AND (change.moves_energy
                       OR daterange((bill.period_start AT TIME ZONE 'Europe/Berlin')::date,
                                    (bill.period_end AT TIME ZONE 'Europe/Berlin')::date) && change.days)
                  AND bill.issued_at <= change.changed_at + ${margin}::interval))
    SELECT (SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM repriced) AS contracts,
           (SELECT max(id) FROM contract) AS last`.execute(connection);
  return rows[0] ?? { contracts: [], last: null };
}

/**
 * Those of some bills that may be others by now. A reading that came in, or was withdrawn, changes the days between the real
 * readings next to it: estimates between them count for what it leaves of them. Another load profile does so as readings within
 * its days would: what lies between two readings is one sum, and its days outside get the rest.
 */
export async function listChangedBills(
  connection: Connection,
  organization: string,
  billed: readonly BilledUsage[],
  margin: string,
): Promise<ReadonlySet<string>> {
  const column = (member: keyof BilledUsage) => billed.map((bill) => bill[member]);
  const { rows } = await sql<{ invoice: string }>`
    SELECT bill.invoice
      FROM unnest(${column('invoice')}::text[], ${column('subscription')}::text[], ${column('meter')}::text[],
                  ${column('from')}::date[], ${column('until')}::date[], ${column('issuedAt')}::timestamptz[])
             AS bill (invoice, subscription, meter, first, until, issued_at)
      JOIN subscriptions AS contract
        ON contract.organization_id = ${organization} AND contract.id = bill.subscription ${PLACE},
           LATERAL (SELECT bill.issued_at - ${margin}::interval AS at) AS seen,
           LATERAL (${KEYS} OFFSET 0) AS keys
     WHERE (contract.bills_changed_at >= seen.at AND contract.bills_changed_from < bill.until)
        OR EXISTS (
             SELECT FROM price_changes AS change
              WHERE change.changed_at >= seen.at AND change.first_day < bill.until AND change.end_day > bill.first
                AND change.key = ANY (keys.all_of_them) AND ${CONCERNS})
        OR EXISTS (
             SELECT FROM settled_usage_months AS settled
              WHERE settled.organization_id = ${organization} AND settled.subscription_id = bill.subscription
                AND settled.month >= date_trunc('month', bill.first::timestamp)::date AND settled.month < bill.until
                AND settled.changed_at >= seen.at)
        OR EXISTS (
             SELECT FROM meters AS meter
              WHERE meter.organization_id = ${organization} AND meter.id = bill.meter
                AND meter.first_type_changed_at >= seen.at)
        OR EXISTS (
             SELECT FROM meter_changes AS change
              WHERE change.organization_id = ${organization} AND change.meter_id = bill.meter
                AND change.valid_from < bill.until AND change.updated_at >= seen.at)
        OR EXISTS (
             SELECT FROM (
                    SELECT register, read_on AS first, read_on AS last
                      FROM meter_readings
                     WHERE organization_id = ${organization} AND meter_id = bill.meter
                       AND (created_at >= seen.at OR withdrawn_at >= seen.at)
                     UNION ALL
                    SELECT closing.register, change.first_day + 1, change.end_day - 1
                      FROM price_changes AS change
                      JOIN meter_readings AS closing
                        ON closing.organization_id = ${organization} AND closing.meter_id = bill.meter
                       AND closing.read_on > greatest(change.first_day, bill.first)
                     WHERE change.moves_energy AND change.changed_at >= seen.at
                       AND change.key = ANY (keys.all_of_them) AND ${CONCERNS}) AS young
              WHERE NOT EXISTS (
                      SELECT FROM meter_readings AS before
                       WHERE before.organization_id = ${organization} AND before.meter_id = bill.meter
                         AND before.register = young.register AND before.type <> 'grid_estimation'
                         AND before.withdrawn_at IS NULL
                         AND before.read_on >= bill.until AND before.read_on < young.first)
                AND NOT EXISTS (
                      SELECT FROM meter_readings AS behind
                       WHERE behind.organization_id = ${organization} AND behind.meter_id = bill.meter
                         AND behind.register = young.register AND behind.type <> 'grid_estimation'
                         AND behind.withdrawn_at IS NULL
                         AND behind.read_on <= bill.first AND behind.read_on > young.last))`.execute(
    connection,
  );
  return new Set(rows.map(({ invoice }) => invoice));
}

/** Of some periods the contracts that have a bill behind theirs. */
export async function listBilledBehind(
  connection: Connection,
  organization: string,
  periods: readonly { readonly id: string; readonly until: string }[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT period.id
      FROM unnest(${periods.map(({ id }) => id)}::text[], ${periods.map(({ until }) => until)}::timestamptz[])
             AS period (id, until)
      JOIN invoices AS bill
        ON bill.organization_id = ${organization} AND bill.subscription_id = period.id
       AND bill.type = 'usage' AND bill.status <> 'voided' AND bill.period_start >= period.until`.execute(
    connection,
  );
  return rows.map(({ id }) => id);
}

/** Bills of some contracts that may still be corrected: as issued with the last look at them, or the last correction. */
export async function listBilledUsage(
  connection: Connection,
  organization: string,
  contracts: readonly string[],
  { keptSince, lookedAt }: { keptSince: CalendarDay; lookedAt: string },
): Promise<BilledUsage[]> {
  const { rows } = await sql<BilledUsage>`
    SELECT bill.id AS invoice, contract.id AS subscription, contract.meter_id AS meter,
           greatest(bill.issued_at, ${lookedAt}::timestamptz, (SELECT max(issued_at) FROM invoices
             WHERE (organization_id, subscription_id, type, void_reason) = (${organization}, contract.id, 'void', ${CORRECTED})
               AND NOT EXISTS (SELECT FROM billing_refusals WHERE type = 'correction' AND (organization_id, subscription_id, period_start)
                   = (${organization}, contract.id, (bill.period_start AT TIME ZONE 'Europe/Berlin')::date)))) AS "issuedAt",
           (bill.period_start AT TIME ZONE 'Europe/Berlin')::date AS "from",
           (bill.period_end AT TIME ZONE 'Europe/Berlin')::date AS until
      FROM subscriptions AS contract
      JOIN invoices AS bill ON bill.organization_id = ${organization} AND bill.subscription_id = contract.id
       AND bill.type = 'usage' AND bill.status <> 'voided'
       AND (bill.status = 'open' OR bill.period_start >= ${berlinMidnight(keptSince)}::timestamptz)
     WHERE contract.organization_id = ${organization} AND contract.id = ANY (${[...contracts]}::text[])
       AND NOT EXISTS (SELECT FROM invoices WHERE organization_id = ${organization} AND subscription_id = contract.id
                          AND type = 'exit_summary' AND status <> 'voided')
     ORDER BY contract.id, bill.period_start`.execute(connection);
  return rows;
}
