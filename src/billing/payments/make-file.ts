import { createHash } from 'node:crypto';
import { audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { addDays, berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { DueBill } from './due-queries.ts';
import { debits, type FileKind, refunds } from './file-kinds.ts';
import { findAccount, findFile, insertFile, type PaymentFileRow } from './file-queries.ts';
import type { PaymentProvider } from './provider.ts';
import { insertPayments, lockInvoices, lockPaymentsOf, newPaymentId } from './queries.ts';
import { accountProblem } from './sepa/accounts.ts';
import { sumOf } from './sepa/instructions.ts';
import { addTargetDays, isTargetDay } from './target-days.ts';

/** The bank of the payer has the debit one day before; ours wants it a day earlier. */
const LEAD_TARGET_DAYS = 2;
/** Banks take nothing that is further away. */
const AHEAD_DAYS_MAX = 14;
const ID_CHARACTERS = 12;

export interface PaymentsDeps {
  readonly database: Database;
  readonly clock: Pick<Clock, 'now'>;
}

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
    await audit(connection, { ...staffOf(act, organization), act: 'payments.read_file', object_id: id });
    return file;
  });
}
