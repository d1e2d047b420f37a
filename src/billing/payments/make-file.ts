import { createHash } from 'node:crypto';
import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { addDays, berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { newPaymentId } from '../invoices/service.ts';
import { bookEntries, type PaymentsDeps } from './book.ts';
import { type DueBill, listDueBills, listDueRefunds } from './due-queries.ts';
import {
  findAccount,
  findFile,
  insertFile,
  isFileWithdrawn,
  type OwnAccount,
  type PaymentFileRow,
} from './file-queries.ts';
import type { PaymentInstructions, PaymentProvider } from './provider.ts';
import { insertPayments, lockInvoices, lockPaymentsOf, type NewPayment } from './queries.ts';
import { accountProblem } from './sepa/accounts.ts';
import { transferBlockId } from './sepa/credit-transfer.ts';
import { debitBlockId } from './sepa/direct-debit.ts';
import { type FileHead, type SequenceType, sumOf, type Transfer } from './sepa/instructions.ts';
import { addTargetDays, isTargetDay } from './target-days.ts';

/** The bank of the payer has the debit one day before; ours wants it a day earlier. */
const LEAD_TARGET_DAYS = 2;
/** Banks take nothing that is further away. */
const AHEAD_DAYS_MAX = 14;
const ID_CHARACTERS = 12;

export interface MadeFile {
  /** Null: there was nothing to ask the bank for. */
  readonly id: string | null;
  readonly execute_on: CalendarDay;
  readonly payments: number;
  readonly sum: string;
  /** Bills that cannot be in it, each with the reason. */
  readonly left_out: readonly string[];
}

interface FileOrder {
  readonly provider: PaymentProvider;
  /** Day on which the bank collects or pays; the first possible one where absent. */
  readonly on?: CalendarDay;
}

type FileRequest = [deps: PaymentsDeps, organization: string, order: FileOrder, act: StaffAct];

/** A file of direct debits for all bills that are due on the day. */
export const makeDebitFile = (...request: FileRequest) => makeFile(debits, ...request);

/** A file of transfers for all amounts in favour of customers. */
export const makeRefundFile = (...request: FileRequest) => makeFile(refunds, ...request);

/**
 * One transaction: the file, its bytes and a payment for each bill, or nothing. A second file at the same time waits, and
 * finds the bills of the first one taken.
 */
async function makeFile(kind: FileKind, ...[deps, organization, order, act]: FileRequest): Promise<MadeFile> {
  /* What an import left that ended early: a bill that was paid is not asked for. */
  await bookEntries(deps, organization);
  return await deps.database.inOrganization({ organization }, async (connection) => {
    await lockPaymentsOf(connection, organization);
    const now = deps.clock.now().toISOString();
    const on = executionDay(berlinDayOf(now), order.on);
    const account = await findAccount(connection, organization);
    const { bills, left_out } = await billsOf(connection, organization, kind, on);
    if (bills.length === 0) return { id: null, execute_on: on, payments: 0, sum: '0.00', left_out };
    const id = newId('pfl');
    const messageId = `VS${berlinDayOf(now).replaceAll('-', '')}-${id.slice(-ID_CHARACTERS).toUpperCase()}`;
    const head = { messageId, createdAt: now, on, owner: account };
    const { instructions, payments } = kind.plan(order.provider, head, account, bills);
    const file = {
      ...{ id, kind: kind.kind, provider: order.provider.name, message_id: messageId, execute_on: on },
      ...{ payments: bills.length, sum: sumOf(bills), created_at: now, ...instructions },
    };
    const sha256 = createHash('sha256').update(instructions.content).digest();
    await insertFile(connection, organization, { ...file, sha256 });
    const rows = payments.map(({ bill, columns }) => ({
      ...{ id: newPaymentId(), customer_id: bill.customer_id, invoice_id: bill.id, amount: bill.amount },
      ...{
        status: 'requested' as const,
        payment_method_id: bill.payment_method_id,
        file_id: id,
        execute_on: on,
      },
      ...columns,
      ...{ created_at: now, updated_at: now },
    }));
    await insertPayments(connection, organization, rows);
    await audit(connection, { ...staffOf(act, organization), act: `payments.${kind.kind}`, object_id: id });
    return { id, execute_on: on, payments: bills.length, sum: file.sum, left_out };
  });
}

/** Held until the commit: a bill that is paid or reversed meanwhile is in no file. */
async function billsOf(
  connection: Connection,
  organization: string,
  kind: FileKind,
  on: CalendarDay,
): Promise<{ bills: DueBill[]; left_out: string[] }> {
  const due = await kind.due(connection, organization, on);
  const left_out: string[] = [];
  if (due.length === 0) return { bills: [], left_out };
  const held = await lockInvoices(
    connection,
    organization,
    due.map(({ id }) => id),
  );
  const open = new Set(held.filter(({ status }) => status === 'open').map(({ id }) => id));
  const bills = due.filter((bill) => {
    const problem = accountProblem(bill.iban) ?? mandateProblem(bill, on);
    if (problem !== null) left_out.push(`${bill.invoice_number}: ${problem}`);
    return problem === null && open.has(bill.id);
  });
  return { bills, left_out };
}

/** One bill must not keep all others out of the file. */
function mandateProblem({ mandate_signed_on: signed }: DueBill, on: CalendarDay): string | null {
  return signed <= on ? null : `the mandate was given on ${signed}, after the collection`;
}

function executionDay(today: CalendarDay, day: CalendarDay | undefined): CalendarDay {
  const first = addTargetDays(today, LEAD_TARGET_DAYS);
  if (day === undefined) return first;
  if (!isTargetDay(day)) throw new Error(`${day} is no day on which banks settle (TARGET calendar)`);
  if (day < first) throw new Error(`${day} is too early: banks want the file two of their days before`);
  if (day > addDays(today, AHEAD_DAYS_MAX)) {
    throw new Error(`${day} is too far away: banks take files ${AHEAD_DAYS_MAX} days ahead`);
  }
  return day;
}

/** The same bytes as when it was made; who takes them out again stands in the audit log. */
export async function paymentFile(
  { database }: Pick<PaymentsDeps, 'database'>,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<PaymentFileRow> {
  return await database.inOrganization({ organization }, async (connection) => {
    const file = isId(id) ? await findFile(connection, organization, id) : undefined;
    if (file === undefined) throw notFound();
    if (await isFileWithdrawn(connection, organization, id)) {
      const message = `${id} was withdrawn: other files have its bills, and the bank would collect or pay them twice`;
      throw conflict([{ code: 'custom', field: 'file', message }]);
    }
    await audit(connection, { ...staffOf(act, organization), act: 'payments.read_file', object_id: id });
    return file;
  });
}

/** Of one file: banks take 100,000, and a transaction of these takes seconds. The next file has the rest. */
const PAYMENTS_MAX = 5_000;
/** The document announces the debit: the scheme wants 14 days where nothing else was agreed. */
const ANNOUNCED_DAYS = 14;

/** What is kept of a payment, beside what all payments of a file have. */
interface PlannedPayment {
  readonly bill: DueBill;
  readonly columns: Pick<NewPayment, 'direction' | 'way' | 'sequence_type' | 'end_to_end_id' | 'block_id'>;
}

interface FilePlan {
  readonly instructions: PaymentInstructions;
  readonly payments: readonly PlannedPayment[];
}

/** What files of debits and of refunds do differently. */
interface FileKind {
  readonly kind: 'debits' | 'refunds';
  due(connection: Connection, organization: string, on: CalendarDay): Promise<DueBill[]>;
  plan(provider: PaymentProvider, head: FileHead, account: OwnAccount, bills: readonly DueBill[]): FilePlan;
}

const debits: FileKind = {
  kind: 'debits',
  due: (connection, organization, on) =>
    listDueBills(connection, organization, {
      on,
      announcedUntil: addDays(on, -ANNOUNCED_DAYS),
      rowsMax: PAYMENTS_MAX,
    }),
  plan: (provider, head, { creditorId }, bills) => {
    const sequences = sequencesOf(bills);
    const all = bills.map((bill, index) => {
      const { mandate_reference: mandateReference, mandate_signed_on: mandateSignedOn } = bill;
      const sequenceType = sequences[index] ?? 'RCUR';
      return {
        bill,
        debit: { ...transferOf(bill, 'bill'), mandateReference, mandateSignedOn, sequenceType },
      };
    });
    return {
      instructions: provider.collect({ ...head, creditorId, debits: all.map(({ debit }) => debit) }),
      payments: all.map(({ bill, debit: { endToEndId: end_to_end_id, sequenceType: sequence_type } }) => {
        const block_id = debitBlockId(head.messageId, sequence_type);
        return {
          bill,
          columns: { direction: 'in', way: 'direct_debit', sequence_type, end_to_end_id, block_id },
        };
      }),
    };
  },
};

const refunds: FileKind = {
  kind: 'refunds',
  due: (connection, organization) => listDueRefunds(connection, organization, PAYMENTS_MAX),
  plan: (provider, head, _account, bills) => {
    const all = bills.map((bill) => ({ bill, transfer: transferOf(bill, 'refund') }));
    const block_id = transferBlockId(head.messageId);
    return {
      instructions: provider.refund({ ...head, transfers: all.map(({ transfer }) => transfer) }),
      payments: all.map(({ bill, transfer: { endToEndId: end_to_end_id } }) => ({
        bill,
        columns: { direction: 'out', way: 'credit_transfer', sequence_type: null, end_to_end_id, block_id },
      })),
    };
  },
};

/** The first debit of a mandate that was never used is told apart, also within the file. */
function sequencesOf(bills: readonly DueBill[]): SequenceType[] {
  const used = new Set<string>();
  return bills.map(({ is_used, payment_method_id: mandate }) => {
    const isFirst = !(is_used || used.has(mandate));
    used.add(mandate);
    return isFirst ? 'FRST' : 'RCUR';
  });
}

const WORDS = {
  de: { bill: 'Rechnung', refund: 'Erstattung zu' },
  en: { bill: 'Invoice', refund: 'Refund for' },
} as const;

function transferOf(bill: DueBill, word: 'bill' | 'refund'): Transfer {
  const number = bill.invoice_number;
  return {
    /* A second attempt is another payment to the bank: its result must not be taken for that of the first one. */
    endToEndId: bill.attempts === 0 ? number : `${number}.${bill.attempts + 1}`,
    amount: bill.amount,
    name: bill.account_holder,
    iban: bill.iban,
    purpose: `${WORDS[bill.language === 'en' ? 'en' : 'de'][word]} ${number}`,
  };
}
