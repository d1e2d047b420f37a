import { type RawBuilder, sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { auditLook, type StaffAct } from '../../platform/staff-act.ts';
import { type BankEntryRow, findEntry } from './entry-queries.ts';
import { billNumbersIn } from './match.ts';
import { sumsOfInvoices } from './queries.ts';
import { missing, NOTHING_MOVED } from './states.ts';

/* Which bills a movement may be for. A person decides: nothing is booked by a suggestion. */

/** What speaks for a bill, the best first. */
const SUGGESTION_REASONS = ['bill_number', 'contract_number', 'account', 'amount', 'name'] as const;
type SuggestionReason = (typeof SUGGESTION_REASONS)[number];

export interface SuggestedBill {
  readonly id: string;
  readonly invoice_number: string;
  readonly subscription_id: string;
  readonly status: string;
  readonly total: string;
  /** EUR that are still to come in, or to be paid out. */
  readonly missing: string;
  readonly customer_name: string;
  readonly reasons: readonly SuggestionReason[];
}

/** Of each movement, and of each reason. */
const SUGGESTIONS_MAX = 5;
/** Words of one movement that are looked up as numbers of contracts. */
const WORDS_MAX = 30;

const CONTRACT_NUMBERS = /(?<![A-Z0-9])[A-Z0-9]{8}(?![A-Z0-9])/g;

type Movement = Pick<
  BankEntryRow,
  'id' | 'amount' | 'end_to_end_id' | 'return_reason' | 'name' | 'iban' | 'text'
>;

/** For each movement the bills that it may pay, or that it paid out. Each look is a few rows of an index. */
export async function suggestBills(
  connection: Connection,
  organization: string,
  movements: readonly Movement[],
): Promise<ReadonlyMap<string, readonly SuggestedBill[]>> {
  const clues = movements.filter(({ return_reason }) => return_reason === null).map(cluesOf);
  if (clues.length === 0) return new Map();
  const likely = await listLikelyBills(connection, organization, clues);
  const ids = [...new Set(likely.map(({ id }) => id))];
  if (ids.length === 0) return new Map();
  const bills = new Map((await listBills(connection, organization, ids)).map((bill) => [bill.id, bill]));
  const sums = await sumsOfInvoices(connection, organization, ids);
  const suggested = (id: string, places: readonly number[]): SuggestedBill[] => {
    const bill = bills.get(id);
    if (bill === undefined) return [];
    const { credited } = sums.get(id) ?? NOTHING_MOVED;
    const left = bill.status === 'voided' ? '0.00' : missing(bill.total, credited);
    return [{ ...bill, missing: left, reasons: reasonsOf(places) }];
  };
  const byEntry = Map.groupBy(likely, ({ entry }) => entry);
  return new Map(
    [...byEntry].map(([entry, rows]) => [entry, rows.flatMap(({ id, places }) => suggested(id, places))]),
  );
}

/** The number of a bill begins with that of its contract: it is told once. */
function reasonsOf(places: readonly number[]): SuggestionReason[] {
  const reasons = places.flatMap((place) => SUGGESTION_REASONS[place] ?? []);
  return reasons.includes('bill_number') ? reasons.filter((reason) => reason !== 'contract_number') : reasons;
}

/** The same for one movement, for the command line. They name customers: who looked is kept, as the console keeps it. */
export function suggestionsFor(
  database: Database,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<readonly SuggestedBill[]> {
  return database.inOrganization({ organization }, async (connection) => {
    const entry = isId(id) ? await findEntry(connection, organization, id) : undefined;
    if (entry === undefined) throw notFound();
    const bills = (await suggestBills(connection, organization, [entry])).get(id) ?? [];
    await auditLook(connection, act, organization, [id, ...bills.map((bill) => bill.id)]);
    return bills;
  });
}

interface Clues {
  readonly entry: string;
  readonly amount: string;
  readonly iban: string | null;
  readonly bills: readonly string[];
  readonly contracts: readonly string[];
  readonly names: readonly string[];
}

function cluesOf({ id, amount, end_to_end_id, name, iban, text }: Movement): Clues {
  const said = [end_to_end_id, text];
  const words = said.flatMap((part) => part?.toUpperCase().match(CONTRACT_NUMBERS) ?? []);
  return {
    ...{ entry: id, amount, iban, names: namesOf(name) },
    bills: billNumbersIn(...said).slice(0, WORDS_MAX),
    contracts: [...new Set(words)].slice(0, WORDS_MAX),
  };
}

/** Banks write `Voss, Käthe` as well as `Käthe Voss`. In the form that names are kept in. */
function namesOf(name: string | null): string[] {
  if (name === null) return [];
  const plain = name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
  const [last = '', first = '', ...more] = plain.split(/, ?/);
  return first !== '' && more.length === 0 ? [plain, `${first} ${last}`] : [plain];
}

interface LikelyBill {
  readonly entry: string;
  readonly id: string;
  /** Of reasons. */
  readonly places: readonly number[];
}

async function listLikelyBills(
  connection: Connection,
  organization: string,
  clues: readonly Clues[],
): Promise<LikelyBill[]> {
  /* Money that came in is for a debt, money that went out for a credit of the customer. */
  const newestOf = (
    owner: 'customer_id' | 'subscription_id',
    owners: RawBuilder<unknown>,
    place: number,
  ) => sql`
    SELECT bill.id, ${place}::integer AS place FROM (${owners} LIMIT ${SUGGESTIONS_MAX}) AS owner
     CROSS JOIN LATERAL (
       SELECT i.id FROM invoices AS i
        WHERE i.organization_id = ${organization} AND ${sql.ref(`i.${owner}`)} = owner.id
          AND i.status IN ('open', 'uncollectible') AND (i.total > 0) = (clues.amount > 0)
        ORDER BY i.created_at DESC, i.id DESC LIMIT ${SUGGESTIONS_MAX}) AS bill`;
  const ofContracts = newestOf(
    'subscription_id',
    sql`SELECT id FROM subscriptions WHERE organization_id = ${organization} AND number = ANY (clues.contracts)`,
    1,
  );
  const ofAccount = newestOf(
    'customer_id',
    sql`SELECT DISTINCT customer_id AS id FROM payment_methods
         WHERE organization_id = ${organization} AND iban = clues.iban`,
    2,
  );
  const ofNames = newestOf(
    'customer_id',
    sql`SELECT id FROM customers WHERE organization_id = ${organization} AND name_lower = ANY (clues.names)`,
    4,
  );
  const { rows } = await sql<LikelyBill>`
    SELECT clues.entry, likely.id, likely.places
      FROM json_to_recordset(${JSON.stringify(clues)}::json)
             AS clues (entry text, amount numeric, iban text, bills text[], contracts text[], names text[])
     CROSS JOIN LATERAL (
       SELECT found.id, array_agg(DISTINCT found.place ORDER BY found.place) AS places
         FROM ((SELECT i.id, 0 AS place FROM invoices AS i
                 WHERE i.organization_id = ${organization} AND i.invoice_number = ANY (clues.bills)
                 LIMIT ${SUGGESTIONS_MAX})
               UNION ALL (${ofContracts}) UNION ALL (${ofAccount}) UNION ALL (${ofNames})
               UNION ALL
               (SELECT b.id, 3 FROM list_open_bills_of_total(clues.amount, ${SUGGESTIONS_MAX}) AS b)) AS found
        GROUP BY found.id
        ORDER BY min(found.place), count(DISTINCT found.place) DESC, found.id
        LIMIT ${SUGGESTIONS_MAX}) AS likely
     ORDER BY clues.entry, likely.places[1], cardinality(likely.places) DESC, likely.id`.execute(connection);
  return rows;
}

async function listBills(connection: Connection, organization: string, ids: readonly string[]) {
  const { rows } = await sql<Omit<SuggestedBill, 'missing' | 'reasons'>>`
    SELECT i.id, i.invoice_number, i.subscription_id, i.status, i.total::text AS total,
           CASE WHEN c.company_name IS NULL THEN c.first_name || ' ' || c.last_name ELSE c.company_name END AS customer_name
      FROM invoices AS i
      JOIN customers AS c ON c.organization_id = ${organization} AND c.id = i.customer_id
     WHERE i.organization_id = ${organization} AND i.id = ANY (${[...ids]}::text[])`.execute(connection);
  return rows;
}
