import type { DraftInvoice } from '../../src/billing/invoices/calculate/draft.ts';
import { issueInvoices } from '../../src/billing/invoices/issue/issue.ts';
import { holdInvoice, movePaid } from '../../src/billing/invoices/issue/move.ts';
import type { IssuedInvoice } from '../../src/billing/invoices/issue/queries.ts';
import { BillingRefused } from '../../src/billing/invoices/refusal.ts';
import { newPaymentId } from '../../src/billing/invoices/schema.ts';
import { insertPayments } from '../../src/billing/payments/queries.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Connection } from '../../src/platform/database/db.ts';
import { Exact } from '../../src/platform/money.ts';
import { addMonths } from '../../src/platform/time/berlin-calendar.ts';
import { factsOfSample } from '../billing/invoices/documents/sample-facts.ts';
import { createHousehold, createOrganization, createSubscription, type FactoryDeps } from './factories.ts';

export interface BilledContract {
  organization: string;
  customer: string;
  subscription: string;
  number: string;
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
let made = 0;

/** A contract with a number, which documents need; of a new organization where none is given. */
export async function createBilledContract(
  deps: FactoryDeps,
  given: { organization?: string } = {},
): Promise<BilledContract> {
  const organization = given.organization ?? (await createOrganization(deps));
  const place = await createHousehold(deps, organization);
  made += 1;
  const number = `${LETTERS[made % LETTERS.length]}7P${String(made).padStart(5, '0')}`;
  const { id } = await createSubscription(deps, organization, place, { number, status: 'active' });
  return { organization, customer: place.customer, subscription: id, number };
}

/** A bill of December 2026 over 119 EUR, unless something else is given; `month` counts from then on. */
export function draftOf(
  { customer, subscription }: BilledContract,
  { month = 0, ...given }: Partial<DraftInvoice> & { month?: number } = {},
): DraftInvoice {
  const from = addMonths('2026-12-01', month);
  const period = { from, until: addMonths(from, 1) };
  const type = given.type ?? 'usage';
  return {
    type,
    subscription,
    customer,
    period,
    periodNumber: month + 1,
    usageKwh: type === 'usage' ? '431.6' : null,
    lines: [
      {
        kind: type === 'prepayment' ? 'prepayment' : 'energy',
        from: period.from,
        until: period.until,
        band: null,
        quantity: '431.6',
        unit: 'kWh',
        unitPrice: '0.2317',
        net: '100.00',
        vatRate: '0.19',
        figures: [
          {
            name: 'price',
            value: '0.2317',
            unit: 'EUR/kWh net',
            source: 'tests',
            table: null,
            key: null,
            validFrom: null,
          },
        ],
      },
    ],
    sums: {
      net: '100.00',
      taxes: [{ rate: '0.19', net: '100.00', tax: '19.00' }],
      tax: '19.00',
      deducted: '0.00',
      total: '119.00',
    },
    isEstimated: false,
    isFinal: false,
    dueOn: '2027-01-26',
    facts: factsOfSample(),
    run: null,
    namedRows: [],
    ...given,
  };
}

/** Issues one document and returns it as issued; anything else is a mistake of the test. */
export async function issueDocument(
  deps: FactoryDeps,
  contract: BilledContract,
  given: Parameters<typeof draftOf>[1] = {},
): Promise<IssuedInvoice> {
  const [answer] = await issue(deps, contract.organization, [draftOf(contract, given)]);
  if (answer === undefined || !('invoice_number' in answer))
    throw new Error(`Not issued: ${answer && outcomeOf(answer)}`);
  return answer;
}

type Answer = Awaited<ReturnType<typeof issueInvoices>>[number];

/** `issued`, `already_billed`, or why it was refused. */
export function outcomeOf(answer: Answer): string {
  if (answer instanceof BillingRefused) return answer.code;
  return 'existing' in answer ? 'already_billed' : 'issued';
}

export function issue(
  { database, clock }: FactoryDeps,
  organization: string,
  drafts: readonly DraftInvoice[],
): Promise<Answer[]> {
  return database.inOrganization({ organization }, (connection) =>
    issueInvoices(connection, organization, drafts, clock),
  );
}

/** What a document is about is paid, or paid out, by one payment; then it is paid. */
export async function payInFull(
  connection: Connection,
  organization: string,
  id: string,
  clock: Pick<Clock, 'now'>,
) {
  const { customer_id, total } = await holdInvoice(connection, organization, id);
  const [amount, now] = [new Exact(total), clock.now().toISOString()];
  const direction = amount.isNegative() ? 'out' : 'in';
  await insertPayments(connection, organization, [
    {
      ...{ id: newPaymentId(), customer_id, invoice_id: id, direction, way: 'entered', status: 'settled' },
      ...{ amount: amount.abs().toFixed(2), booked_on: now.slice(0, 10), created_at: now, updated_at: now },
    },
  ]);
  return await movePaid(connection, organization, id, clock);
}
