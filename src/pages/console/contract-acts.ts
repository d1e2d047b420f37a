import { listBillingTerms } from '../../billing/invoices/plan/queries.ts';
import { setInstalment } from '../../billing/invoices/prepayments/terms.ts';
import { orderBillingOf } from '../../billing/invoices/runs/order.ts';
import { isIban } from '../../contracts/payment-methods/iban.ts';
import { accountHolder } from '../../contracts/payment-methods/schema.ts';
import { confirmSubscription, rejectSubscription } from '../../contracts/subscriptions/back-office.ts';
import type { SubscriptionRow } from '../../contracts/subscriptions/queries.ts';
import { TERMINATION_REASONS } from '../../contracts/subscriptions/schema.ts';
import { terminateForStaff, terminationOf } from '../../contracts/subscriptions/terminate.ts';
import { changePaymentMethodForStaff } from '../../contracts/subscriptions/update.ts';
import type { Connection } from '../../platform/database/db.ts';
import {
  addMonths,
  berlinDayOf,
  type CalendarDay,
  firstOfMonth,
} from '../../platform/time/berlin-calendar.ts';
import {
  type ActField,
  type ActForm,
  actOf,
  choiceIn,
  dayIn,
  optionalDayIn,
  typedIn,
  wrong,
} from './forms.ts';
import { CONSOLE_PATH, type ConsoleSite, type FormBack, type Visit } from './pages.ts';
import type { Texts } from './texts.ts';

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** The back office enters this about a contract each day, by the functions of the command line. */
export function contractForms({ deps, form }: ConsoleSite): void {
  const toContract: FormBack = ({ params: { id = '' } }) => `/contracts/${id}`;
  const named = ({ visitor: { organization }, params: { id = '' } }: Visit) => [organization, id] as const;

  form('/contracts/:id/confirm', toContract, async (visit) => {
    const [malo, melo] = [typedIn(visit, 'malo'), typedIn(visit, 'melo')];
    const confirmed = {
      start_on: dayIn(visit, 'start_on'),
      ...(malo !== '' && { malo }),
      ...(melo !== '' && { melo }),
    };
    await confirmSubscription(deps, ...named(visit), confirmed, actOf(deps, visit));
    return undefined;
  });

  form('/contracts/:id/reject', toContract, async (visit) => {
    await rejectSubscription(deps, ...named(visit), actOf(deps, visit));
    return undefined;
  });

  form('/contracts/:id/terminate', toContract, async (visit) => {
    const why = choiceIn(visit, 'why', TERMINATION_REASONS);
    const termination = terminationOf(why, optionalDayIn(visit, 'end_on'));
    await terminateForStaff(deps, ...named(visit), termination, actOf(deps, visit));
    return undefined;
  });

  form('/contracts/:id/payment-method', toContract, async (visit) => {
    const iban = typedIn(visit, 'iban').replaceAll(' ', '').toUpperCase();
    if (!isIban(iban)) throw wrong('iban', 'The IBAN is not valid');
    const holder = accountHolder.safeParse(typedIn(visit, 'account_holder'));
    if (!holder.success) throw wrong('account_holder', holder.error.issues[0]?.message ?? '');
    const method = { type: 'sepa_debit', sepa_debit: { iban, account_holder: holder.data } } as const;
    await changePaymentMethodForStaff(deps, ...named(visit), method, actOf(deps, visit));
    return undefined;
  });

  form('/contracts/:id/instalment', toContract, async (visit) => {
    const month = typedIn(visit, 'from');
    if (!MONTH.test(month)) throw wrong('from', 'Not a month (2026-10)');
    const change = { from: `${month}-01`, instalment: typedIn(visit, 'instalment') };
    await setInstalment(deps, ...named(visit), change, actOf(deps, visit));
    return undefined;
  });

  form(
    '/contracts/:id/bill',
    toContract,
    async (visit) => {
      await orderBillingOf(deps, ...named(visit), actOf(deps, visit));
      return 'begun';
    },
    'begun',
  );
}

/** The forms that a contract has as it stands. */
export async function formsOfContract(
  connection: Connection,
  organization: string,
  row: SubscriptionRow,
  { today, hasRefusals, t }: { today: CalendarDay; hasRefusals: boolean; t: Texts },
): Promise<ActForm[]> {
  const { id } = row;
  const words = t.contract;
  const made = (act: string, title: string, fields: readonly ActField[], hint?: string): ActForm => ({
    ...{ act, words: title, fields, action: `${CONSOLE_PATH}/contracts/${id}/${act}` },
    ...(hint !== undefined && { hint }),
  });
  const start = { name: 'start_on', label: words.startOn, type: 'date', isNeeded: true } as const;
  const confirm = made(
    'confirm',
    words.confirm,
    [
      { ...start, value: row.start_at === null ? row.intended_start_on : berlinDayOf(row.start_at) },
      { name: 'malo', label: words.malo, type: 'text' },
      { name: 'melo', label: words.melo, type: 'text' },
    ],
    words.confirmHint,
  );
  const reasons = TERMINATION_REASONS.map((reason) => [reason, words.terminationReasons[reason]] as const);
  const terminate = made(
    'terminate',
    words.terminate,
    [
      { name: 'why', label: words.terminationReason, type: 'select', options: reasons },
      { name: 'end_on', label: words.endOn, type: 'date' },
    ],
    words.terminateHint,
  );
  const account = made(
    'payment-method',
    words.changeAccount,
    [
      { name: 'iban', label: 'IBAN', type: 'text', isNeeded: true },
      { name: 'account_holder', label: words.accountHolder, type: 'text', isNeeded: true },
    ],
    words.changeAccountHint,
  );
  const terms = (await listBillingTerms(connection, organization, { first: id, last: id })).get(id) ?? [];
  const isAdvance = terms.findLast(({ validFrom }) => validFrom <= today)?.mode === 'advance';
  const instalment = made('instalment', words.instalment, [
    { name: 'instalment', label: words.instalmentAmount, type: 'text', isNeeded: true },
    {
      ...{ name: 'from', label: words.instalmentFrom, type: 'month', isNeeded: true },
      value: addMonths(firstOfMonth(today), 1).slice(0, 'YYYY-MM'.length),
    },
  ]);
  return [
    ...(hasRefusals ? [made('bill', words.tryAgain, [], words.tryAgainHint)] : []),
    ...(row.status === 'pending' ? [confirm, made('reject', words.reject, [], words.rejectHint)] : []),
    account,
    ...(row.status === 'ended' ? [] : [terminate]),
    ...(isAdvance && row.status !== 'ended' ? [instalment] : []),
  ];
}
