import { audit } from '../../platform/audit.ts';
import { conflict } from '../../platform/errors.ts';
import { enqueue } from '../../platform/jobs/enqueue.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { holdInvoice } from '../invoices/service.ts';
import type { PaymentsDeps } from '../payments/book.ts';
import { paymentsOfInvoice, sumsOf } from '../payments/service.ts';
import { missing } from '../payments/states.ts';
import { runDunningJob } from './jobs.ts';
import { deleteHold, findHold, type HoldCause, insertHold, stepsOfInvoice } from './queries.ts';

export interface DunningOfBill {
  readonly invoice: string;
  readonly status: string;
  readonly due_on: string;
  readonly missing: string;
  /** Null: reminders go on. */
  readonly held: string | null;
  readonly reminders: readonly string[];
  readonly payments: readonly string[];
}

type Acting = [deps: PaymentsDeps, organization: string, id: string, act: StaffAct];

/** From now on nobody is reminded of the bill, and no debit collects it. */
export async function stopDunning(
  cause: HoldCause,
  ...[deps, organization, id, act]: Acting
): Promise<DunningOfBill> {
  await deps.database.inOrganization({ organization }, async (connection) => {
    const { customer_id, status } = await holdInvoice(connection, organization, id);
    const line = { ...staffOf(act, organization), act: 'dunning.stop', object_id: id };
    const held = await findHold(connection, organization, id);
    if (held?.cause === cause) return await audit(connection, { ...line, result: 'unchanged' });
    if (status !== 'open')
      throw conflict([{ code: 'custom', field: 'status', message: `The invoice is ${status}` }]);
    if (held !== undefined) {
      throw conflict([{ code: 'custom', field: 'cause', message: `It is stopped already (${held.cause})` }]);
    }
    const created_at = deps.clock.now().toISOString();
    await insertHold(connection, organization, { invoice_id: id, customer_id, cause, created_at });
    await audit(connection, line);
  });
  return await dunningOf(deps, organization, id);
}

export async function resumeDunning(...[deps, organization, id, act]: Acting): Promise<DunningOfBill> {
  await deps.database.inOrganization({ organization }, async (connection) => {
    await holdInvoice(connection, organization, id);
    /* Nothing keeps that it was stopped before, and an id may be mistyped. */
    if ((await findHold(connection, organization, id)) === undefined) {
      throw conflict([{ code: 'custom', field: 'status', message: 'It is not stopped' }]);
    }
    await deleteHold(connection, organization, id);
    await audit(connection, { ...staffOf(act, organization), act: 'dunning.resume', object_id: id });
  });
  return await dunningOf(deps, organization, id);
}

export async function dunningOf(
  { database }: Pick<PaymentsDeps, 'database'>,
  organization: string,
  id: string,
): Promise<DunningOfBill> {
  return await database.inOrganization({ organization }, async (connection) => {
    const bill = await holdInvoice(connection, organization, id);
    const { settled } = await sumsOf(connection, organization, id);
    const steps = await stepsOfInvoice(connection, organization, id);
    const payments = await paymentsOfInvoice(connection, organization, id);
    return {
      ...{ invoice: id, status: bill.status, due_on: bill.due_on, missing: missing(bill.total, settled) },
      held: (await findHold(connection, organization, id))?.cause ?? null,
      reminders: steps.map(({ level, reminded_on, mail }) => `${level}:${reminded_on}:${mail}`),
      payments: payments.map(({ way, amount, status, return_reason }) =>
        [way, amount, status, return_reason].filter((part) => part !== null).join(':'),
      ),
    };
  });
}

/** The day's work at once, by a worker. */
export async function askForDunning(
  { database, clock }: PaymentsDeps,
  organization: string,
  act: StaffAct,
): Promise<void> {
  await database.inOrganization({ organization }, async (connection) => {
    await enqueue(connection, runDunningJob, {}, { runAt: clock.now().toISOString() });
    await audit(connection, { ...staffOf(act, organization), act: 'dunning.run', object_id: organization });
  });
}
