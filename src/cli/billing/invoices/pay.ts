import { type Command, InvalidArgumentError } from 'commander';
import {
  type BillAfter,
  type EnteredPayment,
  enterFailure,
  enterPayment,
  enterRefund,
  giveUp,
} from '../../../billing/payments/staff.ts';
import type { StaffAct } from '../../../platform/staff-act.ts';
import { calendarDay } from '../../calendar-day.ts';
import { acting, type ChangeOptions, withOne } from '../../of-organization.ts';
import { type Session, staffAct } from '../../session.ts';

/** Verbs by which staff enter what became of one bill. */
export function payCommands(): Command[] {
  return [pay(), fail(), uncollectible(), refund()];
}

type EnteredOptions = ChangeOptions & EnteredPayment;

function pay(): Command {
  return entering('pay')
    .description('the customer paid, all of it or a part: in cash, by set-off, on another account')
    .action((id: string, options: EnteredOptions) =>
      withBill(id, options, 'pay', (session, organization, act) =>
        enterPayment(enteredOf(options), session, organization, id, act),
      ),
    );
}

function refund(): Command {
  return entering('refund')
    .description('the customer was paid: an amount in his favour, or what he had paid too much')
    .action((id: string, options: EnteredOptions) =>
      withBill(id, options, 'refund', (session, organization, act) =>
        enterRefund(enteredOf(options), session, organization, id, act),
      ),
    );
}

function entering(name: string): Command {
  return billCommand(name)
    .option('--amount <euros>', 'as 12.34; what is missing where absent', amountText)
    .option('--on <day>', 'when, YYYY-MM-DD in Berlin; today where absent', calendarDay);
}

function enteredOf({ amount, on }: EnteredOptions): EnteredPayment {
  return { ...(amount !== undefined && { amount }), ...(on !== undefined && { on }) };
}

function fail(): Command {
  return billCommand('fail')
    .description('an attempt to pay failed; a debit that is under way is no longer waited for')
    .option('--code <code>', 'why, code of ISO 20022: AM04, AC04, MD06', reasonCode, 'NARR')
    .action((id: string, options: ChangeOptions & { code: string }) =>
      withBill(id, options, 'fail', (session, organization, act) =>
        enterFailure(options.code, session, organization, id, act),
      ),
    );
}

function uncollectible(): Command {
  return billCommand('uncollectible')
    .description('nobody waits for the money any more')
    .action((id: string, options: ChangeOptions) =>
      withBill(id, options, 'uncollectible', (session, organization, act) =>
        giveUp(session, organization, id, act),
      ),
    );
}

function billCommand(name: string): Command {
  return acting(name, '<invoice>', 'inv_…');
}

function withBill(
  id: string,
  options: ChangeOptions,
  verb: string,
  work: (session: Session, organization: string, act: StaffAct) => Promise<BillAfter>,
): Promise<void> {
  return withOne(`invoice ${id}`, options, (session, organization) =>
    work(session, organization, staffAct(session, options, `invoices ${verb}`)),
  );
}

function amountText(text: string): string {
  if (/^\d{1,9}(?:\.\d{1,2})?$/.test(text)) return text;
  throw new InvalidArgumentError('An amount in EUR with at most two decimals: 12.34');
}

function reasonCode(text: string): string {
  if (/^[A-Z0-9]{4}$/.test(text)) return text;
  throw new InvalidArgumentError('Four capital letters or digits: AM04');
}
