import { type ListedDocument, listDocumentsOfContracts } from '../../billing/invoices/queries.ts';
import { listSubscriptions, type SubscriptionRow } from '../../contracts/subscriptions/queries.ts';
import { type AddressRow, listAddresses } from '../../identity/addresses/queries.ts';
import { findCustomer } from '../../identity/customers/queries.ts';
import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import {
  addDays,
  berlinDayOf,
  type CalendarDay,
  isBerlinMidnight,
} from '../../platform/time/berlin-calendar.ts';
import { listPlanNames } from '../../tariffs/plans/queries.ts';
import type { VisitTrace } from '../sign-in/offer.ts';
import type { Visitor } from './session.ts';

/** More than anybody has; the page is not endless. */
const CONTRACTS_MAX = 100;
/** Enough for every invoice of one contract, or for the last year of a hundred contracts. */
const INVOICES_MAX = 1_200;

export interface Contract {
  number: string | null;
  plan: string;
  type: SubscriptionRow['type'];
  status: SubscriptionRow['status'];
  /** Two lines of an envelope; null for contracts that came from elsewhere without one. */
  address: { street: string; city: string } | null;
  /** First and last day of supply; null where it is not known yet, or has no end. */
  firstDay: CalendarDay | null;
  lastDay: CalendarDay | null;
  /** Newest first. */
  invoices: ListedDocument[];
  /** Older ones are left out. */
  hasOlderInvoices: boolean;
}

export interface Overview {
  name: string;
  contracts: Contract[];
}

/** What the customer of this session has; read with the rights of that one customer. */
export async function overviewOf(
  { database }: Pick<Deps, 'database'>,
  { organization, customer }: Visitor,
  trace: VisitTrace,
): Promise<Overview> {
  return await database.inOrganization({ organization, customer }, async (connection) => {
    const row = await findCustomer(connection, organization, customer);
    if (row === undefined) throw new Error(`Customer ${customer} has a session and does not exist`);
    const rows = await newestContracts(connection, organization, customer, CONTRACTS_MAX);
    const contracts = await shownContracts(connection, organization, rows);
    await audit(connection, {
      ...trace,
      organization_id: organization,
      act: 'personal_data.read',
      object_id: customer,
      result: 'done',
    });
    return { name: row.company_name ?? `${row.first_name} ${row.last_name}`, contracts };
  });
}

export async function hasContract(
  { database }: Pick<Deps, 'database'>,
  { organization, customer }: Visitor,
): Promise<boolean> {
  const rows = await database.inOrganization({ organization, customer }, (connection) =>
    newestContracts(connection, organization, customer, 1),
  );
  return rows.length > 0;
}

async function newestContracts(
  connection: Connection,
  organization: string,
  customer: string,
  limit: number,
): Promise<SubscriptionRow[]> {
  const list = { limit, after: null, filters: [] };
  const rows = await listSubscriptions(connection, organization, customer, list, { withFeedIn: true });
  return rows.slice(0, limit);
}

/** One query for the plans of all of them, one for their addresses, and one for their invoices. */
async function shownContracts(
  connection: Connection,
  organization: string,
  rows: readonly SubscriptionRow[],
): Promise<Contract[]> {
  const planIds = rows.map((row) => row.plan_id);
  const addressIds = rows.flatMap((row) => row.address_id ?? []);
  const plans = new Map(
    (await listPlanNames(connection, organization, planIds)).map((plan) => [plan.id, plan]),
  );
  const addresses = new Map(
    (await listAddresses(connection, organization, addressIds)).map((address) => [address.id, address]),
  );
  const invoicesMax = Math.floor(INVOICES_MAX / Math.max(1, rows.length));
  const ids = rows.map(({ id }) => id);
  const invoices = Map.groupBy(
    await listDocumentsOfContracts(connection, organization, ids, invoicesMax + 1),
    (invoice) => invoice.subscription_id,
  );
  return rows.map((row) => {
    const newest = invoices.get(row.id) ?? [];
    return {
      ...shownContract(row, plans.get(row.plan_id)?.name ?? '', addresses.get(row.address_id ?? '')),
      invoices: newest.slice(0, invoicesMax),
      hasOlderInvoices: newest.length > invoicesMax,
    };
  });
}

function shownContract(row: SubscriptionRow, plan: string, address: AddressRow | undefined) {
  return {
    number: row.number,
    plan,
    type: row.type,
    status: row.status,
    address:
      address === undefined
        ? null
        : {
            street: `${address.street} ${address.house_number}`,
            city: `${address.zip} ${address.city}`,
          },
    firstDay: row.start_at === null ? null : berlinDayOf(row.start_at),
    lastDay: row.end_at === null ? null : lastDayBefore(row.end_at),
  };
}

/** Supply ends at the midnight behind its last day; a refused contract ends at the moment of its refusal. */
function lastDayBefore(end: string): CalendarDay {
  const day = berlinDayOf(end);
  return isBerlinMidnight(end) ? addDays(day, -1) : day;
}
