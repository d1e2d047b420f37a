import type { CorrectionOutcome } from '../../billing/invoices/corrections/correct.ts';
import { setBillingMode, setInstalment } from '../../billing/invoices/prepayments/terms.ts';
import {
  type CorrectionPreview,
  orderCorrection,
  orderCorrections,
  previewCorrection,
  previewCorrections,
} from '../../billing/invoices/runs/order.ts';
import { command } from '../engine/command.ts';
import { argument, CHANGE, calendarDay, choice, flag, month, needed, option } from '../engine/fields.ts';
import { endWith } from '../engine/io.ts';
import { fields, table } from '../engine/output.ts';
import { sentencesOf } from '../engine/sentences.ts';
import { known } from '../organization.ts';

const CONTRACT = { arguments: { subscription: 'sub_…' }, thing: 'contract' } as const;

/** Commands of `invoices` about all bills of a contract. */
export const contractBilling = {
  mode: command({
    words: 'how a contract is billed from a month on: each month, or in advance with a bill after twelve',
    examples: [
      "sub_… monthly --from 2027-01 --reason 'wish of the customer'",
      "sub_… advance --from 2027-01 --instalment 60 --reason 'wish of the customer'",
    ],
    thing: CONTRACT.thing,
    arguments: {
      ...CONTRACT.arguments,
      mode: argument(choice('', 'none: another system bills', ['monthly', 'advance', 'none'])),
    },
    options: {
      ...CHANGE,
      from: needed(option('<month>', 'YYYY-MM: the first month without a document', month)),
      instalment: option('<EUR>', 'a month with VAT, whole; what a quote comes to where absent'),
    },
    work: ({ organization, act, ...session }, { subscription, ...change }) =>
      setBillingMode(session, organization, subscription, change, act),
  }),
  instalment: command({
    words: 'another instalment, on evidence of the customer that the reason names',
    examples: [
      "sub_… 75 --from 2027-01-01 --reason 'has a heat pump now'",
      "sub_… 40 --from 2027-01-01 --reason 'moved to one room' --json",
    ],
    thing: CONTRACT.thing,
    arguments: { ...CONTRACT.arguments, EUR: 'a month with VAT, whole' },
    options: {
      ...CHANGE,
      from: needed(
        option('<day>', 'YYYY-MM-DD: first day of a month that was not asked for yet', calendarDay),
      ),
    },
    work: ({ organization, act, ...session }, { subscription, EUR: instalment, from }) =>
      setInstalment(session, organization, subscription, { from, instalment }, act),
  }),
  correct: command({
    words: 'calculates bills anew, and replaces those whose cents are others',
    examples: [
      "sub_… --reason 'a reading came late'",
      "--all --since 2026-11-01 --issue --reason 'price list came late'",
    ],
    arguments: { subscription: option('', 'sub_…: all bills of this contract') },
    options: {
      ...CHANGE,
      all: flag('of all contracts: shows what would be replaced, and issues nothing'),
      since: option('<day>', 'with --all: of which something changed since YYYY-MM-DD', calendarDay),
      issue: flag('with --all: issues the documents'),
      preview: flag('with a contract: shows what would be replaced, and issues nothing'),
    },
    check: ({ subscription, all, since, issue, preview }) => {
      const isOfAll = all === true && subscription === undefined && since !== undefined && !preview;
      const isOfContract = subscription !== undefined && (all ?? since ?? issue) === undefined;
      if (!isOfAll && !isOfContract)
        throw new Error('Give a contract, or --all with --since, and with --issue where it is to be issued');
    },
    work: async ({ organization, act, ...session }, { subscription, since = '', issue, preview }) => {
      if (subscription !== undefined && preview) {
        const seen = previewCorrection(session, organization, subscription);
        const { bills, refused, difference } = await known(
          `contract ${subscription} in ${organization}`,
          seen,
        );
        return {
          ...{ contracts: 1, difference, bills },
          refused: refused.map(({ code, detail }) => ({ subscription, code, detail })),
        };
      }
      if (subscription !== undefined) {
        const work = orderCorrection(session, organization, subscription, { closeNow: false }, act);
        return await known(`contract ${subscription} in ${organization}`, ordered(work));
      }
      if (issue) {
        const { failed, ...sums } = await orderCorrections(session, organization, since, act);
        return { ...sums, failed: told(failed) };
      }
      const { bills, refused, failed, ...sums } = await previewCorrections(session, organization, since);
      return { ...sums, bills, refused, failed: told(failed) };
    },
    print: (found) => {
      const failed = 'failed' in found ? found.failed : [];
      const counts = 'failed' in found ? { failed: failed.length } : {};
      const failures = failed.length === 0 ? [] : [table(failed, ['subscription', 'problem'])];
      if (!('bills' in found)) return [fields({ ...found, ...counts }), ...failures];
      const { bills, refused, ...sums } = found;
      return [
        table(bills, [
          ...(['subscription', 'invoice_number', 'from', 'until'] as const),
          ...(['before', 'now', 'difference'] as const),
        ]),
        ...(refused.length === 0 ? [] : [table(refused, ['subscription', 'code', 'detail'])]),
        fields({ ...sums, bills: bills.length, refused: refused.length, ...counts }),
        'Nothing was issued: the same command with --issue, or without --preview, does it.',
        ...failures,
      ];
    },
  }),
  'exit-summary': command({
    words: 'settles what changed behind the final bill now; then nothing is issued for the contract any more',
    examples: ["sub_… --reason 'the customer moved abroad'", "sub_… --reason 'the account is closed' --json"],
    ...CONTRACT,
    options: CHANGE,
    work: ({ organization, act, ...session }, { subscription }) =>
      ordered(orderCorrection(session, organization, subscription, { closeNow: true }, act)),
  }),
};

/** Whatever became of the others, a script sees by the exit code that some failed. */
function told(failed: CorrectionPreview['failed']) {
  if (failed.length > 0) endWith(1);
  return failed.map(({ subscription, error }) => ({ subscription, problem: sentencesOf(error) }));
}

async function ordered(order: Promise<CorrectionOutcome>) {
  const { replaced, exitSummary, refused } = await order;
  return { replaced, exit_summary: exitSummary, refused };
}
