import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { HOLD_CAUSES } from '../../billing/dunning/queries.ts';
import { askForDunning, dunningOf, resumeDunning, stopDunning } from '../../billing/dunning/staff.ts';
import { isRouteId } from '../../billing/invoices/e-invoice/route-id.ts';
import { xRechnungFile, zugferdFile } from '../../billing/invoices/e-invoice/service.ts';
import { enterFailure, enterPayment, enterRefund, giveUp } from '../../billing/payments/staff.ts';
import { command } from '../engine/command.ts';
import {
  CHANGE,
  calendarDay,
  choice,
  needed,
  OF_ORGANIZATION,
  oneLine,
  option,
  or,
} from '../engine/fields.ts';

export const INVOICE = { arguments: { invoice: 'inv_…' }, thing: 'invoice' } as const;

/** What staff enter that was paid. */
const PAYMENT = {
  amount: option('<euros>', 'as 12.34; what is missing where absent', amountText),
  on: option('<day>', 'when, YYYY-MM-DD in Berlin; today where absent', calendarDay),
};

/** Commands of `invoices` about one bill. */
export const billActs = {
  'e-invoice': command({
    words: 'the e-invoice of a document of a company as a file',
    examples: [
      "inv_… --format zugferd --out bill.pdf --reason 'asked for it'",
      "inv_… --format xrechnung --out bill.xml --route-id 04011000-1234512345-06 --reason 'public buyer'",
    ],
    ...INVOICE,
    options: {
      ...CHANGE,
      format: needed(
        choice('<format>', 'zugferd: the PDF with it inside; xrechnung: the XML alone', [
          'zugferd',
          'xrechnung',
        ]),
      ),
      out: needed(option('<file>', 'a new file')),
      buyer_reference: option(
        '<text>',
        'XRechnung: what the buyer wants to read; else the contract',
        oneLine(100),
      ),
      route_id: option('<id>', 'XRechnung: Leitweg-ID of a public buyer', routeId),
    },
    work: async (
      { organization, act, ...session },
      { invoice, format, out, buyer_reference: buyerReference, route_id },
    ) => {
      const file =
        format === 'zugferd'
          ? await zugferdFile(session, organization, invoice)
          : await xRechnungFile(session, organization, invoice, { buyerReference, routeId: route_id }, act);
      /* It names a customer: for the eyes of whoever wrote it. */
      await writeFile(out, file.content, { flag: 'wx', mode: 0o600 });
      return { invoice, format, file: out, bytes: file.content.length, made_at: file.madeAt };
    },
  }),
  pay: command({
    words: 'the customer paid, all of it or a part: in cash, by set-off, on another account',
    examples: ["inv_… --reason 'paid in cash'", "inv_… --amount 12.34 --on 2026-11-20 --reason 'set-off'"],
    ...INVOICE,
    options: { ...CHANGE, ...PAYMENT },
    work: ({ organization, act, ...session }, { invoice, ...payment }) =>
      enterPayment(payment, session, organization, invoice, act),
  }),
  fail: command({
    words: 'an attempt to pay failed; a debit that is under way is no longer waited for',
    examples: ["inv_… --reason 'call of the bank'", "inv_… --code AC04 --reason 'the account is closed'"],
    ...INVOICE,
    options: {
      ...CHANGE,
      code: or(option('<code>', 'why, code of ISO 20022: AM04, AC04, MD06', reasonCode), 'NARR'),
    },
    work: ({ organization, act, ...session }, { invoice, code }) =>
      enterFailure(code, session, organization, invoice, act),
  }),
  uncollectible: command({
    words: 'nobody waits for the money any more',
    examples: ["inv_… --reason 'insolvent'", "inv_… --reason 'moved, nobody knows where to' --json"],
    ...INVOICE,
    options: CHANGE,
    work: ({ organization, act, ...session }, { invoice }) => giveUp(session, organization, invoice, act),
  }),
  refund: command({
    words: 'the customer was paid: an amount in his favour, or what he had paid too much',
    examples: [
      "inv_… --reason 'transferred by hand'",
      "inv_… --amount 12.34 --on 2026-11-20 --reason 'transferred by hand'",
    ],
    ...INVOICE,
    options: { ...CHANGE, ...PAYMENT },
    work: ({ organization, act, ...session }, { invoice, ...payment }) =>
      enterRefund(payment, session, organization, invoice, act),
  }),
  dunning: {
    words: 'reminders of bills that are overdue',
    commands: {
      show: command({
        words: 'how far it is with one bill',
        examples: ['inv_…', 'inv_… --json'],
        ...INVOICE,
        options: OF_ORGANIZATION,
        work: ({ organization, ...session }, { invoice }) => dunningOf(session, organization, invoice),
      }),
      stop: command({
        words: 'from now on nobody is reminded of it, and no debit collects it',
        examples: ["inv_… --reason 'the reading is disputed'", "inv_… --reason 'letter of a lawyer' --json"],
        ...INVOICE,
        options: { ...CHANGE, cause: or(choice('<cause>', 'why', HOLD_CAUSES), 'disputed') },
        work: ({ organization, act, ...session }, { invoice, cause }) =>
          stopDunning(cause, session, organization, invoice, act),
      }),
      resume: command({
        words: 'goes on where it stopped',
        examples: ["inv_… --reason 'the dispute is settled'", "inv_… --reason 'no answer came' --json"],
        ...INVOICE,
        options: CHANGE,
        work: ({ organization, act, ...session }, { invoice }) =>
          resumeDunning(session, organization, invoice, act),
      }),
      run: command({
        words: "the day's work at once, by a worker",
        examples: ["--reason 'the worker stood still'", "--organization org_… --reason 'trial'"],
        options: CHANGE,
        work: async ({ organization, act, ...session }) => {
          await askForDunning(session, organization, act);
          return { organization, state: 'waiting' };
        },
        print: () => ['asked for: a worker begins within half a minute'],
      }),
    },
  },
};

function amountText(text: string): string {
  if (/^\d{1,9}(?:\.\d{1,2})?$/.test(text)) return text;
  throw new InvalidArgumentError('An amount in EUR with at most two decimals: 12.34');
}

function reasonCode(text: string): string {
  if (/^[A-Z0-9]{4}$/.test(text)) return text;
  throw new InvalidArgumentError('Four capital letters or digits: AM04');
}

function routeId(text: string): string {
  if (isRouteId(text)) return text;
  throw new InvalidArgumentError(
    'Its check digits are wrong, or it is no Leitweg-ID (04011000-1234512345-06).',
  );
}
