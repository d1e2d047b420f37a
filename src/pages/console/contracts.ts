import { linkForTenant } from '../../billing/invoices/files/link.ts';
import { type ListedDocument, listDocumentsOfContracts } from '../../billing/invoices/queries.ts';
import { listRefusals, type RefusalRow } from '../../billing/invoices/runs/queries.ts';
import { listPaymentsOfInvoices } from '../../billing/payments/list.ts';
import { sumsOfInvoices } from '../../billing/payments/service.ts';
import type { MovedSums } from '../../billing/payments/states.ts';
import { listReductionsOfSubscription } from '../../contracts/grid-fee-reductions/queries.ts';
import { listMeterOrdersOfSubscription } from '../../contracts/meter-orders/queries.ts';
import {
  findSubscription,
  listSubscriptions,
  listSubscriptionsKnownAs,
  type SubscriptionRow,
} from '../../contracts/subscriptions/queries.ts';
import { shownSubscription } from '../../contracts/subscriptions/read.ts';
import { SUBSCRIPTION_STATUSES, type Subscription } from '../../contracts/subscriptions/schema.ts';
import {
  type CustomerRow,
  findCustomer,
  findCustomerByEmail,
  listCustomers,
  listCustomersById,
} from '../../identity/customers/queries.ts';
import type { Connection } from '../../platform/database/db.ts';
import { dayText, eurosText, momentText, numberFormat } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { isId } from '../../platform/ids.ts';
import type { ListFilter } from '../../platform/interface/filters.ts';
import type { PagePosition } from '../../platform/interface/pagination.ts';
import { Exact } from '../../platform/money.ts';
import { berlinDayAt, berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { listPlanNames } from '../../tariffs/plans/queries.ts';
import { isNeverSupplied, lastDayBefore } from '../portal/pages.ts';
import { missingOf, statusText } from './bill.ts';
import { contractForms, formsOfContract } from './contract-acts.ts';
import { auditRead } from './forms.ts';
import { addressOfNext, positionOf, ROWS_OF_PAGE } from './lists.ts';
import { CONSOLE_PATH, ConsoleFailure, type ConsoleSite, WORK } from './pages.ts';
import { toldSentence } from './refusals.ts';
import type { Texts } from './texts.ts';
import { deadlineText, documentText, refusalText } from './work/words.ts';

/** An e-mail address has no more characters. */
const FIND_CHARACTERS_MAX = 254;
/** Of a contract its beginning is enough; the number of a bill begins with the whole of it. */
const NUMBER_OF_CONTRACT = /^([A-Z0-9]{1,8}$|[A-Z0-9]{8}(?=-\d+$))/;
/** Who looks for a name that more have types more of it. */
const NAMED_MAX = 200;
/** Enough for ten years of months; the page is not endless. */
const DOCUMENTS_MAX = 120;
const PAYMENTS_MAX = 120;
const REFUSALS_MAX = 50;

interface Search {
  find: string;
  /** Customers whose name has what is looked for. */
  named: readonly string[];
  status: string;
  after: PagePosition | null;
}

/** Contracts of the organization, and all that is known of one: what a caller asks the back office about. */
export function contractPages(site: ConsoleSite): void {
  const { deps, page, link } = site;
  const { clock, database } = deps;
  contractForms(site);
  page('/contracts', async (visit) => {
    const { visitor, t, query } = visit;
    const { organization } = visitor;
    /* No text of the database holds a NUL. */
    const find = textOf(query, 'find').replaceAll('\0', '').trim().slice(0, FIND_CHARACTERS_MAX);
    const status = SUBSCRIPTION_STATUSES.find((known) => known === textOf(query, 'status')) ?? '';
    const look = () =>
      database.inOrganization({ organization }, async (connection) => {
        const named = isName(find) ? await customersNamed(connection, organization, find) : [];
        const search = { find, named, status, after: positionOf(query) };
        const rows = await contractsOf(connection, organization, search);
        const plans = await listPlanNames(
          connection,
          organization,
          rows.map(({ plan_id }) => plan_id),
        );
        const shown = rows.slice(0, ROWS_OF_PAGE);
        const ids = shown.map(({ customer_id }) => customer_id);
        const customers = await listCustomersById(connection, organization, ids);
        await auditRead(connection, visit, ids);
        return {
          ...{
            rows,
            shown,
            hasMore: named.length > NAMED_MAX,
            plans: new Map(plans.map(({ id, name }) => [id, name])),
          },
          names: new Map(customers.map((customer) => [customer.id, nameOf(customer, t)])),
        };
      });
    /* A part that nearly all names have makes the database look at all of them, as such a filter of the interface does. */
    const found = await (isName(find) ? visit.costly(look) : look());
    const { rows, shown, plans, names, hasMore } = found;
    const next = rows.length > shown.length ? (shown.at(-1) ?? null) : null;
    return {
      ...{ template: 'contracts', of: 'contracts' },
      values: {
        ...{ find, status, statuses: SUBSCRIPTION_STATUSES },
        contracts: shown.map((row) => ({
          ...shownContract(row, t),
          plan: plans.get(row.plan_id) ?? row.plan_id,
          customer: names.get(row.customer_id) ?? row.customer_id,
        })),
        next: addressOfNext(next, { find, status }),
        more: hasMore ? t.contract.onlyNewest(numberFormat(t.lang).format(NAMED_MAX)) : null,
      },
    };
  });

  page('/contracts/:id', async (visit) => {
    const { t, visitor, params } = visit;
    const { organization } = visitor;
    const { id = '' } = params;
    const today = berlinDayAt(clock.nowMilliseconds());
    const found = await database.inOrganization({ organization }, async (connection) => {
      const row = isId(id) ? await findSubscription(connection, organization, undefined, id) : undefined;
      if (row === undefined) throw new ConsoleFailure('not_found', 404);
      const documents = await listDocumentsOfContracts(connection, organization, [id], DOCUMENTS_MAX);
      const bills = documents.map((document) => document.id);
      const [plan] = await listPlanNames(connection, organization, [row.plan_id]);
      const refusals = await listRefusals(connection, organization, { subscription: id }, REFUSALS_MAX);
      await auditRead(connection, visit, id);
      return {
        ...{ row, documents, plan: plan?.name ?? row.plan_id },
        customer: await findCustomer(connection, organization, row.customer_id),
        contract: await shownSubscription(connection, organization, row, today),
        orders: await listMeterOrdersOfSubscription(connection, organization, id),
        reductions: await listReductionsOfSubscription(connection, organization, id),
        sums: await sumsOfInvoices(connection, organization, bills),
        payments: await listPaymentsOfInvoices(connection, organization, bills, PAYMENTS_MAX),
        refusals,
        forms: await formsOfContract(connection, organization, row, {
          ...{ today, t, hasRefusals: refusals.length > 0 },
        }),
      };
    });
    const { row, documents, sums, orders, reductions } = found;
    const restricted = momentText(found.customer?.restricted_at ?? null, t.lang);
    const bills = documents.map((document) => shownBill(document, sums.get(document.id), t));
    const numbers = new Map(documents.map(({ id: bill, invoice_number }) => [bill, invoice_number]));
    return {
      ...{ template: 'contract', of: 'contracts', title: t.contract.title(row.number ?? id) },
      values: {
        ...{ bills, household: row.household_id },
        facts: [
          ...factsOf(found.contract, row, found.plan, t),
          ...(restricted === null ? [] : [[t.contract.restricted, restricted]]),
        ],
        balance: balanceOf(documents, sums, t),
        newest: bills.length === DOCUMENTS_MAX ? numberFormat(t.lang).format(DOCUMENTS_MAX) : null,
        orders: [
          ...orders.map(({ id: order, product, status }) => ({
            ...{ what: product, status: t.work.stages[status], address: `${WORK}/meter-orders/${order}` },
          })),
          ...reductions.map(({ id: order, type, status }) => ({
            ...{ what: type, status: t.work.reductionStates[status], address: `${WORK}/reductions/${order}` },
          })),
        ],
        ...{ forms: found.forms, refused: refusedRows(found.refusals, today, t) },
        correction: documents.length === 0 ? null : `${CONSOLE_PATH}/contracts/${id}/correction`,
        payments: found.payments.map((payment) => ({
          ...{ id: payment.id, reason: payment.return_reason },
          entry: payment.bank_entry_id && `${CONSOLE_PATH}${WORK}/payments/${payment.bank_entry_id}`,
          ...{ way: t.contract.ways[payment.way], status: t.contract.paymentStatuses[payment.status] },
          bill: numbers.get(payment.invoice_id) ?? payment.invoice_id,
          amount: eurosText(payment.direction === 'in' ? payment.amount : `-${payment.amount}`, t),
          day: dayOrNone(payment.booked_on ?? payment.execute_on, '–', t),
        })),
      },
    };
  });

  /* The link behind it is over in an hour, the page is read for longer: it is made at the click. */
  link('/contracts/:id/documents/:invoice', async (visit) => {
    const { organization } = visit.visitor;
    const { invoice = '' } = visit.params;
    const to = isId(invoice) ? await linkForTenant(deps, { organization }, invoice) : undefined;
    if (to === undefined) throw new ConsoleFailure('not_found', 404);
    await database.inOrganization({ organization }, (connection) => auditRead(connection, visit, invoice));
    return to;
  });
}

/** One more than a page has. Of what is typed the form tells what it is. */
async function contractsOf(
  connection: Connection,
  organization: string,
  { find, named, status, after }: Search,
): Promise<SubscriptionRow[]> {
  const listed = (row: SubscriptionRow | undefined) => (row === undefined ? [] : [row]);
  const filters: ListFilter[] = status === '' ? [] : [equals('status', status)];
  const list = { limit: ROWS_OF_PAGE, after, filters };
  if (find.startsWith('sub_')) {
    return isId(find) ? listed(await findSubscription(connection, organization, undefined, find)) : [];
  }
  if (find.startsWith('cus_')) filters.push(equals('customer', find));
  else if (find.startsWith('dom_')) filters.push(equals('household', find));
  else if (find.includes('@')) {
    const customer = await findCustomerByEmail(connection, organization, find);
    if (customer === undefined) return [];
    filters.push(equals('customer', customer.id));
  } else if (find !== '') {
    const number = NUMBER_OF_CONTRACT.exec(find.toUpperCase())?.[1] ?? null;
    return await listSubscriptionsKnownAs(connection, organization, { number, customers: named }, list);
  }
  return await listSubscriptions(connection, organization, undefined, list, { withFeedIn: true });
}

const isName = (find: string) => find !== '' && !find.includes('@') && !/^(sub|cus|dom)_/.test(find);

/** The newest ones with this in their name, and one more. A part of a word is looked for by its three-letter pieces. */
async function customersNamed(
  connection: Connection,
  organization: string,
  value: string,
): Promise<string[]> {
  const operator = value.length < 3 ? 'starts_with' : 'contains';
  const filters: ListFilter[] = [{ field: 'name', operator, value, type: 'string' }];
  const page = { limit: NAMED_MAX, after: null, filters };
  const customers = await listCustomers(connection, organization, page);
  return customers.flatMap(({ id, erased_at }) => (erased_at === null ? [id] : []));
}

function nameOf(customer: CustomerRow, t: Texts): string {
  if (customer.erased_at !== null) return t.contract.erased;
  return customer.company_name ?? `${customer.first_name} ${customer.last_name}`;
}

function equals(field: string, value: string): ListFilter {
  return { field, operator: 'eq', value, type: 'string' };
}

function shownContract(row: SubscriptionRow, t: Texts) {
  return {
    ...{ id: row.id, name: row.number ?? row.id, address: `${CONSOLE_PATH}/contracts/${row.id}` },
    ...{ type: t.contract.types[row.type], status: t.contract.statuses[row.status] },
    ...(isNeverSupplied(row) ? { begins: '–', ends: '–' } : daysOf(row, t)),
  };
}

function factsOf(contract: Subscription, row: SubscriptionRow, plan: string, t: Texts): string[][] {
  const { customer, meter, address, billing_address, payment_method } = contract;
  const name =
    customer.type === 'company' ? customer.company_name : `${customer.first_name} ${customer.last_name}`;
  const words = t.contract;
  const never = words.neverSupplied;
  const { begins, ends } = isNeverSupplied(row) ? { begins: never, ends: never } : daysOf(row, t);
  return [
    [words.number, row.id],
    [t.status, words.statuses[row.status]],
    [words.plan, `${plan}, ${words.types[row.type]}`],
    [t.customer, `${name}, ${customer.email}`],
    [t.address, address === null ? t.noAddress : placeText(address)],
    [words.billingAddress, placeText(billing_address)],
    [words.meter, meter.number],
    [words.paymentMethod, `${payment_method.sepa_debit.iban}, ${payment_method.sepa_debit.account_holder}`],
    [words.signedUp, momentText(row.created_at, t.lang) ?? ''],
    [words.confirmed, momentText(row.confirmed_at, t.lang) ?? words.notYet],
    [words.begins, begins],
    [words.terminated, momentText(row.terminated_at, t.lang) ?? words.notYet],
    [words.lastDay, ends],
  ];
}

function placeText(place: { street: string; house_number: string; zip: string; city: string }): string {
  return `${place.street} ${place.house_number}, ${place.zip} ${place.city}`;
}

/** The first and the last day of supply, as the portal shows them. */
function daysOf({ start_at, end_at }: SubscriptionRow, t: Texts) {
  return {
    begins: dayOrNone(start_at === null ? null : berlinDayOf(start_at), t.contract.open, t),
    ends: dayOrNone(end_at === null ? null : lastDayBefore(end_at), t.contract.unlimited, t),
  };
}

function dayOrNone(day: string | null, otherwise: string, t: Texts): string {
  return day === null ? otherwise : dayText(day, t.lang);
}

function shownBill(document: ListedDocument, sums: MovedSums | undefined, t: Texts) {
  const { id, subscription_id, type, invoice_number, month, year, total, has_document } = document;
  return {
    ...{ number: invoice_number, type: t.contract.invoiceTypes[type], month: `${month}/${year}` },
    status: statusText(document, sums, t),
    ...{ amount: eurosText(total, t), missing: eurosText(missingOf(document, sums), t) },
    page: `${CONSOLE_PATH}/contracts/${subscription_id}/bills/${id}`,
    file: has_document ? `${CONSOLE_PATH}/contracts/${subscription_id}/documents/${id}` : null,
  };
}

/** Documents that are due and missing, as the view `rows` shows them. */
function refusedRows(refusals: readonly RefusalRow[], today: CalendarDay, t: Texts) {
  return {
    ...{ caption: t.work.lists.refused.title, none: t.work.lists.refused.none },
    columns: [
      ...[t.work.document, t.work.deadline, t.work.why, t.work.missingThing].map((words) => ({ words })),
    ],
    rows: refusals.map((row) => ({
      ...{ name: documentText(row, t), address: null },
      cells: [deadlineText(row, today, t), refusalText(row.code, t), toldSentence(row.detail, t)],
    })),
  };
}

/** Of the bills that are shown. */
function balanceOf(
  documents: readonly ListedDocument[],
  sums: ReadonlyMap<string, MovedSums>,
  t: Texts,
): string[][] {
  const left = (document: ListedDocument) => new Exact(missingOf(document, sums.get(document.id)));
  const open = documents.map(left);
  const givenUp = documents.filter(({ status }) => status === 'uncollectible').map(left);
  const sum = (parts: InstanceType<typeof Exact>[]) =>
    parts.reduce((total, part) => total.plus(part), new Exact(0)).toFixed(2);
  return [
    [t.contract.toReceive, eurosText(sum(open.filter((part) => part.gt(0))), t)],
    ...(givenUp.some((part) => part.gt(0))
      ? [[t.contract.givenUp, eurosText(sum(givenUp.filter((part) => part.gt(0))), t)]]
      : []),
    [t.contract.toPay, eurosText(sum(open.filter((part) => part.lt(0)).map((part) => part.abs())), t)],
  ];
}
