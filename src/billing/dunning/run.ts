import { letterheadOf } from '../../identity/brands/service.ts';
import { STANDINGS_AT_WORK } from '../../identity/organizations/queries.ts';
import { forEachOrganization } from '../../identity/organizations/service.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import { isAboutMessage, type Mail, PerhapsSent } from '../../platform/mail.ts';
import { berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import { moveUncollectible } from '../invoices/issue/move.ts';
import type { PaymentsDeps } from '../payments/book.ts';
import { bookEntries, lockInvoices, lockPaymentsOf, settleDebits } from '../payments/service.ts';
import {
  type DunningPeriods,
  findPeriods,
  insertStep,
  listOverdue,
  listPlannedReminders,
  type OverdueBill,
  type OverduePlace,
  type PlannedReminder,
  putBackReminder,
  type ReminderPlace,
  takeReminder,
} from './queries.ts';
import { reminderMail } from './texts.ts';

/** Bills of one transaction. */
const BILLS_MAX = 200;

export interface DunningDeps extends PaymentsDeps {
  readonly mail: Mail;
}

interface Total {
  paid: number;
  reminders: number;
  uncollectible: number;
  mails: number;
}

type DunningRun = Pick<JobRun, 'signal' | 'log' | 'organization'>;

/**
 * Each day: what was imported and not booked is booked, debits that can no longer come back make their bills paid, overdue
 * bills get their next reminder, and those for which all were in vain become uncollectible. Running it twice changes nothing:
 * each step is a row, and its mail is taken once. A run that ends in the middle is gone on with by the next one.
 */
export async function runDunning(deps: DunningDeps, run: DunningRun): Promise<JobResult> {
  const total: Total = { paid: 0, reminders: 0, uncollectible: 0, mails: 0 };
  const work = (organization: string) => dunOrganization(deps, organization, run, total);
  if (run.organization !== null) await work(run.organization);
  else {
    const report = { undone: 'overdue bills were not looked at', standings: STANDINGS_AT_WORK };
    await forEachOrganization(deps.database, run, report, work);
  }
  return { ...total };
}

async function dunOrganization(
  deps: DunningDeps,
  organization: string,
  run: Pick<DunningRun, 'signal' | 'log'>,
  total: Total,
): Promise<void> {
  /* What an import left that ended early: the bank has said it. */
  await bookEntries(deps, organization);
  total.paid += await settleDebits(deps, organization);
  const periods = await deps.database.inOrganization({ organization }, (connection) =>
    findPeriods(connection, organization),
  );
  if (periods === undefined) return;
  await planSteps(deps, organization, periods, run.signal, total);
  await sendReminders(deps, organization, periods, run, total);
}

async function planSteps(
  { database, clock }: PaymentsDeps,
  organization: string,
  periods: DunningPeriods,
  signal: AbortSignal,
  total: Total,
): Promise<void> {
  for (let after: OverduePlace | null = null; ; ) {
    signal.throwIfAborted();
    const portion: OverdueBill[] = await database.inOrganization({ organization }, async (connection) => {
      await lockPaymentsOf(connection, organization);
      const today = berlinDayOf(clock.now().toISOString());
      const page = { today, after, rowsMax: BILLS_MAX };
      const overdue = await listOverdue(connection, organization, periods, page);
      await takeSteps(connection, organization, overdue, { clock, total });
      return overdue;
    });
    after = portion.at(-1) ?? null;
    if (portion.length < BILLS_MAX) return;
  }
}

/** A bill that was reversed meanwhile gets no step. */
async function takeSteps(
  connection: Connection,
  organization: string,
  overdue: readonly OverdueBill[],
  { clock, total }: { clock: PaymentsDeps['clock']; total: Total },
): Promise<void> {
  if (overdue.length === 0) return;
  const byId = new Map(overdue.map((bill) => [bill.id, bill]));
  const held = await lockInvoices(connection, organization, [...byId.keys()]);
  const now = clock.now().toISOString();
  for (const { id, status } of held) {
    const bill = byId.get(id);
    if (bill === undefined || status !== 'open') continue;
    if (bill.next === 3) {
      await moveUncollectible(connection, organization, id, clock);
      total.uncollectible += 1;
    } else {
      await insertStep(connection, organization, {
        ...{ invoice_id: id, customer_id: bill.customer_id, level: bill.next, amount: bill.amount },
        ...{ reminded_on: berlinDayOf(now), created_at: now },
      });
      total.reminders += 1;
    }
  }
}

/**
 * A mail is taken, committed, and only then handed over: a process that dies between leaves a customer without this mail,
 * and never one with two. The doubt falls on the same side where the mail server does not answer. What it certainly does not
 * have waits for the next run, as all mails do without a mail server.
 */
async function sendReminders(
  { database, clock, mail }: DunningDeps,
  organization: string,
  { first_reminder_days, second_reminder_days, uncollectible_days }: DunningPeriods,
  { signal, log }: Pick<DunningRun, 'signal' | 'log'>,
  total: Total,
): Promise<void> {
  for (let after: ReminderPlace | null = null; mail.isOn; ) {
    const page = { after, rowsMax: BILLS_MAX };
    const planned: PlannedReminder[] = await database.inOrganization({ organization }, (connection) =>
      listPlannedReminders(connection, organization, page),
    );
    for (const reminder of planned) {
      signal.throwIfAborted();
      const { missing } = reminder;
      const today = berlinDayOf(clock.now().toISOString());
      const isTaken = await database.inOrganization({ organization }, (connection) =>
        takeReminder(connection, organization, reminder, today),
      );
      if (!isTaken || missing === null) continue;
      const daysToPay =
        reminder.level === 1
          ? second_reminder_days - first_reminder_days
          : uncollectible_days - second_reminder_days;
      const letterhead = letterheadOf({ database }, organization);
      const message = { ...reminderMail({ ...reminder, missing }, today, daysToPay), letterhead };
      let failure: unknown = null;
      const isHandedOver = await mail.deliver(message).catch((error: unknown) => {
        failure = error;
        return error instanceof PerhapsSent;
      });
      if (isHandedOver) total.mails += 1;
      else {
        await database.inOrganization({ organization }, (connection) =>
          putBackReminder(connection, organization, reminder),
        );
      }
      if (failure === null) continue;
      /* What is wrong with the server would stop each of the others, too. */
      if (!isAboutMessage(failure)) throw failure;
      log.error({ err: failure, invoice: reminder.invoice_id }, 'a reminder waits for the next run');
    }
    after = planned.at(-1) ?? null;
    if (planned.length < BILLS_MAX) return;
  }
}
