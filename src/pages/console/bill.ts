import { HOLD_CAUSES } from '../../billing/dunning/queries.ts';
import { dunningOf, resumeDunning, stopDunning } from '../../billing/dunning/staff.ts';
import {
  findInvoice,
  findReceiver,
  type InvoiceRow,
  type ListedDocument,
} from '../../billing/invoices/queries.ts';
import { settledFor, sumsOfInvoices } from '../../billing/payments/service.ts';
import { enterPayment, enterRefund, mostToPayBack } from '../../billing/payments/staff.ts';
import { type MovedSums, missing, NOTHING_MOVED, paidOutTooMuch } from '../../billing/payments/states.ts';
import { dayText, eurosText } from '../../platform/http/pages/chart.ts';
import { isId } from '../../platform/ids.ts';
import { Exact } from '../../platform/money.ts';
import { berlinDayAt, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { type ActField, type ActForm, actOf, amountIn, auditRead, choiceIn, optionalDayIn } from './forms.ts';
import { CONSOLE_PATH, ConsoleFailure, type ConsoleSite, type FormBack, type Visit } from './pages.ts';
import type { Texts } from './texts.ts';

/** One bill: what is missing of it, its reminders, and what a back office enters about it. */
export function billPages({ deps, page, form }: ConsoleSite): void {
  const { clock, database } = deps;

  page('/contracts/:id/bills/:invoice', async (visit) => {
    const { t, visitor, params } = visit;
    const { organization } = visitor;
    const { id = '', invoice = '' } = params;
    const { bill, sums, settled, taken_over_by } = await database.inOrganization(
      { organization },
      async (connection) => {
        const found = isId(invoice)
          ? await findInvoice(connection, organization, undefined, invoice)
          : undefined;
        if (found === undefined || found.subscription_id !== id) throw new ConsoleFailure('not_found', 404);
        await auditRead(connection, visit, invoice);
        const moved = await sumsOfInvoices(connection, organization, [invoice]);
        const settled = await settledFor(connection, organization, invoice);
        const receiver = await findReceiver(connection, organization, invoice);
        const closing =
          receiver === invoice ? undefined : await findInvoice(connection, organization, undefined, receiver);
        const taken_over_by = closing?.invoice_number ?? null;
        return { bill: found, sums: moved.get(invoice) ?? NOTHING_MOVED, settled, taken_over_by };
      },
    );
    const dunning = await dunningOf(deps, organization, invoice);
    const words = t.contract;
    const left = missingOf({ ...bill, taken_over_by }, sums);
    const reminders = dunning.reminders.map((step) => {
      const [level = '', day = '', mail = ''] = step.split(':');
      return words.reminderOn(level, dayText(day, t.lang), words.reminderStates[mail] ?? '');
    });
    return {
      ...{ template: 'item', of: 'contracts', title: words.billTitle(bill.invoice_number) },
      values: {
        facts: [
          { name: words.number, value: id, address: `${CONSOLE_PATH}/contracts/${id}` },
          { name: words.document, value: `${words.invoiceTypes[bill.type]} ${bill.month}/${bill.year}` },
          { name: t.status, value: statusText({ ...bill, taken_over_by }, sums, t) },
          { name: words.amount, value: eurosText(bill.total, t) },
          { name: words.missing, value: eurosText(left, t) },
          { name: words.dueOn, value: dayText(dunning.due_on, t.lang) },
          { name: words.reminders, value: reminders.join(', ') || words.noReminders },
          ...(dunning.held === null ? [] : [{ name: words.stopped, value: holdText(dunning.held, t) }]),
        ],
        forms: formsOf(bill, sums, {
          ...{ t, settled, isHeld: dunning.held !== null, today: berlinDayAt(clock.nowMilliseconds()) },
        }),
      },
    };
  });

  const toBill: FormBack = ({ params: { id = '', invoice = '' } }) => `/contracts/${id}/bills/${invoice}`;
  const acting = (visit: Visit) =>
    [deps, visit.visitor.organization, visit.params.invoice ?? '', actOf(deps, visit)] as const;

  for (const [act, enter] of [
    ['pay', enterPayment],
    ['refund', enterRefund],
  ] as const) {
    form(`/contracts/:id/bills/:invoice/${act}`, toBill, async (visit) => {
      const [amount, on] = [amountIn(visit, 'amount'), optionalDayIn(visit, 'on')];
      const entered = { ...(amount !== undefined && { amount }), ...(on !== undefined && { on }) };
      await enter(entered, ...acting(visit));
      return undefined;
    });
  }

  form('/contracts/:id/bills/:invoice/stop', toBill, async (visit) => {
    await stopDunning(choiceIn(visit, 'cause', HOLD_CAUSES), ...acting(visit));
    return undefined;
  });

  form('/contracts/:id/bills/:invoice/resume', toBill, async (visit) => {
    await resumeDunning(...acting(visit));
    return undefined;
  });
}

type BillState = Pick<ListedDocument, 'status' | 'total' | 'taken_over_by'>;

/**
 * The amount of a bill that is still to come in or to be paid out. One that was given up is owed as before; of a prepayment
 * the bill that took it over asks for the rest. A debit that is credited has come in, though the bank may take it back.
 */
export function missingOf(
  { status, total, taken_over_by }: BillState,
  { credited }: MovedSums = NOTHING_MOVED,
): string {
  const isOwed = status === 'open' || (status === 'uncollectible' && taken_over_by === null);
  return isOwed ? missing(total, credited) : '0.00';
}

export function statusText(bill: BillState, sums: MovedSums | undefined, t: Texts): string {
  const { status, taken_over_by } = bill;
  if (taken_over_by !== null) return t.contract.takenOver(taken_over_by);
  const isReceived = status === 'open' && missingOf(bill, sums) === '0.00';
  return isReceived ? t.contract.received : t.contract.invoiceStatuses[status];
}

function formsOf(
  bill: InvoiceRow,
  sums: MovedSums,
  {
    t,
    settled,
    isHeld,
    today,
  }: {
    t: Texts;
    /** With what came in for it on the bill that took it over; without what may still come back. */
    settled: string;
    isHeld: boolean;
    today: CalendarDay;
  },
): ActForm[] {
  const words = t.contract;
  const made = (act: string, title: string, fields: readonly ActField[], hint?: string): ActForm => ({
    ...{ act, words: title, fields },
    ...(hint !== undefined && { hint }),
    action: `${CONSOLE_PATH}/contracts/${bill.subscription_id}/bills/${bill.id}/${act}`,
  });
  const paid = (most: string): ActField[] => [
    { name: 'amount', label: words.amountInEuros, type: 'text', value: most },
    { name: 'on', label: words.paidOn, type: 'date', value: today },
  ];
  const isOwed = bill.status === 'open' || bill.status === 'uncollectible';
  const received = new Exact(settled).minus(sums.settled).plus(sums.credited).toFixed(2);
  const left = isOwed ? missing(bill.total, received) : '0.00';
  const toCome = new Exact(left).gt(0) ? left : paidOutTooMuch(bill, sums);
  const payBack = mostToPayBack(bill, sums);
  const causes = HOLD_CAUSES.map((cause) => [cause, words.holdCauses[cause]] as const);
  const cause: ActField = { name: 'cause', label: words.holdCause, type: 'select', options: causes };
  return [
    ...(new Exact(toCome).gt(0) ? [made('pay', words.pay, paid(toCome), words.payHint)] : []),
    ...(new Exact(payBack).gt(0) ? [made('refund', words.refund, paid(payBack), words.refundHint)] : []),
    ...(isHeld ? [made('resume', words.resume, [])] : []),
    ...(bill.status === 'open' && !isHeld ? [made('stop', words.stop, [cause], words.stopHint)] : []),
  ];
}

const holdText = (cause: string, t: Texts) =>
  Object.entries(t.contract.holdCauses).find(([known]) => known === cause)?.[1] ?? cause;
