import { type ListedDocument, listDocumentsOfContracts } from '../../billing/invoices/queries.ts';
import { findIssuer, type IssuerRow } from '../../billing/issuers/queries.ts';
import { listOutstandingBills, type OutstandingBill } from '../../billing/payments/service.ts';
import { newestReadingDay } from '../../contracts/meter-readings/service.ts';
import { listStatesOfMeters } from '../../contracts/meters/queries.ts';
import {
  findSubscription,
  listSubscriptions,
  type SubscriptionRow,
} from '../../contracts/subscriptions/queries.ts';
import { withdrawalFor } from '../../contracts/subscriptions/service.ts';
import { type AddressRow, listAddresses } from '../../identity/addresses/queries.ts';
import { findCustomer } from '../../identity/customers/queries.ts';
import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { isId } from '../../platform/ids.ts';
import { newestRows } from '../../platform/interface/newest-first.ts';
import { berlinDayAt, berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { listPlanNames } from '../../tariffs/plans/queries.ts';
import type { VisitTrace } from '../sign-in/offer.ts';
import {
  type ContractPageName,
  contractPath,
  dayText,
  isNeverSupplied,
  lastDayBefore,
  moneyText,
  monthText,
  PortalFailure,
  type PortalSite,
  type Visit,
} from './pages.ts';
import { hasPrices } from './prices.ts';
import type { Visitor } from './session.ts';
import type { Texts } from './texts.ts';

/** More than anybody has; the page is not endless. */
const CONTRACTS_MAX = 100;
/** Enough for every invoice of one contract, or for the last year of a hundred contracts. */
const INVOICES_MAX = 1_200;

/** So many are seen at once; older ones are opened with a click. */
const NEWEST_INVOICES = 12;

interface Contract {
  id: string;
  number: string | null;
  plan: string;
  type: SubscriptionRow['type'];
  status: SubscriptionRow['status'];
  /** Two lines of an envelope; null for contracts that came from elsewhere without one. */
  address: { street: string; city: string } | null;
  /** First and last day of supply; null where it is not known yet, or has no end. */
  firstDay: CalendarDay | null;
  lastDay: CalendarDay | null;
  isNeverSupplied: boolean;
  takesReadings: boolean;
  mayWithdraw: boolean;
  /** Of the customer's declaration; null where he made none. */
  receipt: 'ended' | 'withdrawn' | null;
  /** Newest first. */
  invoices: ListedDocument[];
  /** Older ones are left out. */
  hasOlderInvoices: boolean;
}

interface Overview {
  name: string;
  /** What is owed, by the id of the document. */
  outstanding: ReadonlyMap<string, OutstandingBill>;
  contracts: Contract[];
}

/** The contracts of the visitor with their invoices, and the way to all that can be done about them. */
export function overviewPage({ deps, path, page }: PortalSite, noContract: string): void {
  page('', async ({ visitor, t, trace }) => {
    const today = berlinDayAt(deps.clock.nowMilliseconds());
    const { name, contracts, outstanding } = await overviewOf(deps, visitor, { trace, today });
    if (contracts.length === 0) return { to: noContract };
    /* The customer's rights do not reach who bills. */
    const { organization } = visitor;
    const issuer = await deps.database.inOrganization({ organization }, (connection) =>
      findIssuer(connection, organization),
    );
    const shownInvoice = invoiceTexts(t, path, { outstanding, issuer });
    const shown = contracts.map(({ firstDay, lastDay, invoices, ...contract }) => ({
      ...contract,
      ...shownDays(t, { ...contract, firstDay, lastDay }),
      ways: waysOf({ ...contract, firstDay, lastDay, invoices }).map((way) => ({
        words: t.ways[wayName(way, contract)],
        address: contractPath(path, contract.id, way),
      })),
      invoiceLists: [
        { invoices: invoices.slice(0, NEWEST_INVOICES).map(shownInvoice), isOlder: false },
        { invoices: invoices.slice(NEWEST_INVOICES).map(shownInvoice), isOlder: true },
      ].filter((list) => list.invoices.length > 0),
    }));
    return { template: 'overview', title: t.overviewTitle, values: { name, contracts: shown } };
  });
}

/** What there is to see and to do about a contract. */
function waysOf({
  type,
  status,
  isNeverSupplied: isUnsupplied,
  takesReadings,
  mayWithdraw,
  receipt,
}: Contract): ContractPageName[] {
  const isOver = status === 'ended' || isUnsupplied;
  return [
    ...(hasPrices({ type, status }) ? (['prices'] as const) : []),
    'usage',
    ...(takesReadings ? (['reading'] as const) : []),
    ...(isOver ? [] : (['terminate'] as const)),
    ...(mayWithdraw && !isOver ? (['withdraw'] as const) : []),
    ...(receipt === null ? [] : (['ended'] as const)),
  ];
}

function wayName(way: ContractPageName, { type, receipt }: Pick<Contract, 'type' | 'receipt'>) {
  if (way === 'usage' && type === 'feed_in') return 'fedIn';
  return way === 'ended' && receipt !== null ? receipt : way;
}

function shownDays(
  t: Texts,
  { status, firstDay, lastDay, isNeverSupplied: isUnsupplied }: Omit<Contract, 'invoices'>,
): { first: string; last: string } {
  if (isUnsupplied) return { first: t.neverSupplied, last: t.neverSupplied };
  return {
    first: firstDay === null ? (status === 'ended' ? t.unknown : t.open) : dayText(t, firstDay),
    last: lastDay === null ? t.unlimited : dayText(t, lastDay),
  };
}

/** The document of an invoice, for who is signed in. */
export function invoicePath(path: string, id: string): string {
  return `${path}/overview/invoices/${id}`;
}

/** How an invoice is written for a customer: what it is called, its month, its amount, and how far it is. */
function invoiceTexts(
  t: Texts,
  path: string,
  { outstanding, issuer }: { outstanding: Overview['outstanding']; issuer: IssuerRow | undefined },
) {
  /* What the customer has to do himself. */
  function hintOf({ amount, is_debited, is_held }: OutstandingBill, number: string): string {
    if (is_debited) return t.debited;
    if (is_held) return t.held;
    if (issuer === undefined) return t.toPay(number);
    const { account_holder, iban } = issuer;
    return t.transfer(moneyText(t, amount), account_holder, iban.replaceAll(/(.{4})(?=.)/g, '$1 '), number);
  }
  return (document: ListedDocument) => {
    const { id, type, invoice_number, month, year, status, total, has_document, taken_over_by } = document;
    const isPaidOut = total.startsWith('-');
    const owed = taken_over_by === null ? outstanding.get(id) : undefined;
    /* Mostly nobody had paid what a reversal is about, so that nothing was paid out. */
    const isSettled = type === 'void' && status === 'paid';
    const state = isSettled ? t.reversalSettled : (isPaidOut ? t.creditStatuses : t.invoiceStatuses)[status];
    /* A debit that is credited may come back: until it no longer can, the bill stays open. */
    const isReceived = status === 'open' && !isPaidOut && taken_over_by === null;
    return {
      name: `${type === 'usage' && isPaidOut ? t.credit : t.invoiceTypes[type]} ${invoice_number}`,
      month: monthText(t, year, month),
      amount: moneyText(t, total),
      status: taken_over_by === null ? state : t.takenOver(taken_over_by),
      due: owed === undefined ? null : t.dueOn(dayText(t, owed.due_on), moneyText(t, owed.amount)),
      hint: owed === undefined ? (isReceived ? t.received : null) : hintOf(owed, invoice_number),
      address: has_document ? invoicePath(path, id) : null,
    };
  };
}

/** The records of the customer of this session, read with the rights of that customer. */
async function overviewOf(
  { database }: Pick<Deps, 'database'>,
  { organization, customer }: Visitor,
  { trace, today }: { trace: VisitTrace; today: CalendarDay },
): Promise<Overview> {
  return await database.inOrganization({ organization, customer }, async (connection) => {
    const row = await findCustomer(connection, organization, customer);
    if (row === undefined) throw new Error(`Customer ${customer} has a session and does not exist`);
    const rows = await newestContracts(connection, organization, customer, CONTRACTS_MAX);
    const contracts = await shownContracts(connection, organization, rows, { type: row.type, today });
    await audit(connection, {
      ...trace,
      organization_id: organization,
      act: 'personal_data.read',
      object_id: customer,
      result: 'done',
    });
    const documents = contracts.flatMap(({ invoices }) => invoices.map(({ id }) => id));
    const owed = await listOutstandingBills(connection, organization, documents);
    const outstanding = new Map(owed.map((bill) => [bill.id, bill]));
    return { outstanding, name: row.company_name ?? `${row.first_name} ${row.last_name}`, contracts };
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

/** The contract of a page, and the name of its plan. That it was looked at is kept, as of a call of the interface. */
export async function contractOf(
  { database }: Pick<Deps, 'database'>,
  { visitor, trace }: Pick<Visit, 'visitor' | 'trace'>,
  id: string,
): Promise<{ contract: SubscriptionRow; plan: string }> {
  const { organization, customer } = visitor;
  return await database.inOrganization(visitor, async (connection) => {
    const contract = isId(id) ? await findSubscription(connection, organization, customer, id) : undefined;
    if (contract === undefined) throw new PortalFailure('not_found', 404);
    const [plan] = await listPlanNames(connection, organization, [contract.plan_id]);
    const read = { act: 'personal_data.read', object_id: contract.id, result: 'done' };
    await audit(connection, { ...trace, organization_id: organization, ...read });
    return { contract, plan: plan?.name ?? '' };
  });
}

function newestContracts(
  connection: Connection,
  organization: string,
  customer: string,
  limit: number,
): Promise<SubscriptionRow[]> {
  return newestRows({}, limit, (list) =>
    listSubscriptions(connection, organization, customer, list, { withFeedIn: true }),
  );
}

/** One query for the plans of all of them, one for their addresses, their invoices and their meters. */
async function shownContracts(
  connection: Connection,
  organization: string,
  rows: readonly SubscriptionRow[],
  { type, today }: { type: string; today: CalendarDay },
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
  const meterIds = rows.map(({ meter_id }) => meter_id);
  const states = Map.groupBy(
    await listStatesOfMeters(connection, organization, meterIds),
    ({ meter_id }) => meter_id,
  );
  const withdrawable = new Set<string>();
  for (const row of rows) {
    if (row.termination_reason === 'WITHDRAWAL') continue;
    if ((await withdrawalFor(connection, organization, row, type, today)) === 'open')
      withdrawable.add(row.id);
  }
  return rows.map((row) => {
    const newest = invoices.get(row.id) ?? [];
    return {
      ...shownContract(row, plans.get(row.plan_id)?.name ?? '', addresses.get(row.address_id ?? '')),
      takesReadings: newestReadingDay(row, states.get(row.meter_id) ?? [], today) !== null,
      mayWithdraw: withdrawable.has(row.id),
      receipt: receiptOf(row),
      invoices: newest.slice(0, invoicesMax),
      hasOlderInvoices: newest.length > invoicesMax,
    };
  });
}

function shownContract(row: SubscriptionRow, plan: string, address: AddressRow | undefined) {
  return {
    id: row.id,
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
    isNeverSupplied: isNeverSupplied(row),
  };
}

function receiptOf({ terminated_at, termination_reason }: SubscriptionRow): Contract['receipt'] {
  if (terminated_at === null) return null;
  return termination_reason === 'WITHDRAWAL' ? 'withdrawn' : 'ended';
}
