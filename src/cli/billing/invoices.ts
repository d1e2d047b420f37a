import { beginSeries } from '../../billing/invoices/issue/issue.ts';
import { voidInvoiceByStaff } from '../../billing/invoices/issue/void.ts';
import { REFUSALS } from '../../billing/invoices/refusal.ts';
import { orderBilling, orderBillingOf } from '../../billing/invoices/runs/order.ts';
import { billingReport, missingDocuments } from '../../billing/invoices/runs/report.ts';
import { INVOICE_TYPES } from '../../billing/invoices/schema.ts';
import {
  documentForStaff,
  type InvoiceForStaff,
  newestInvoices,
  STAFF_STATUSES,
  type StoredLine,
} from '../../billing/invoices/staff-read.ts';
import { addDays, berlinDayAt, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { command } from '../engine/command.ts';
import {
  CHANGE,
  choice,
  flag,
  idOption,
  LISTING,
  month,
  OF_ORGANIZATION,
  option,
  wholeNumber,
} from '../engine/fields.ts';
import { fields, table } from '../engine/output.ts';
import { known } from '../organization.ts';
import { billActs, INVOICE } from './bill-acts.ts';
import { contractBilling } from './contract-billing.ts';

/** A letter takes some days, and so does finding what is missing. */
const DAYS_BEFORE = 7;

export const commands = {
  run: command({
    words: 'asks workers for all bills that are due; what is billed stays as it is',
    examples: ["--reason 'monthly run'", "--month 2026-10 --estimate-gaps --reason 'the deadline is near'"],
    options: {
      ...CHANGE,
      month: option('<month>', 'YYYY-MM: only periods that end with it or in it', month),
      subscription: {
        ...idOption('sub_…: what is due of this contract only, and its refused corrections'),
        conflict: 'month',
      },
      estimate_gaps: flag('a deadline is near: missing quarter hours are estimated, and the bill says so'),
    },
    check: ({ subscription, estimate_gaps }) => {
      if (subscription !== undefined && estimate_gaps === true)
        throw new Error('--estimate-gaps is of a run of all contracts');
    },
    work: async ({ organization, act, ...session }, given) => {
      if (given.subscription !== undefined)
        return await orderBillingOf(session, organization, given.subscription, act);
      const order = { month: given.month ?? null, estimateGaps: given.estimate_gaps === true };
      return await orderBilling(session, organization, order, act);
    },
    print: (begun, _given, { organization }) => [
      fields(begun),
      `How far it is: npm run cli -- invoices report --run ${begun.run} --organization ${organization}`,
    ],
  }),
  report: command({
    words: 'how far a run is, what it issued, and why documents are missing',
    examples: ['', '--run brun_… --json'],
    options: { ...OF_ORGANIZATION, run: idOption('brun_…; the newest one where absent') },
    work: async ({ database, organization }, { run: id }) => {
      const what = id === undefined ? 'run of billing' : `run ${id}`;
      const report = billingReport(database, organization, id);
      const { run, progress, refusals } = await known(`${what} in ${organization}`, report);
      return { ...run, ...progress, refusals };
    },
    print: ({ issued, refusals, ...counts }) => {
      const issuedCounts = Object.entries(issued).map(([type, count]) => [`issued ${type}`, count]);
      return [
        fields({ ...counts, ...Object.fromEntries(issuedCounts) }),
        table(refusals, ['code', 'count', 'meaning']),
      ];
    },
  }),
  deadlines: command({
    words: 'documents that are due and missing, with what they wait for; those that are late first',
    examples: ['--days 14', '--subscription sub_… --json'],
    options: {
      ...LISTING,
      days: option('<number>', `late within so many days; ${DAYS_BEFORE} where absent`, wholeNumber),
      code: choice('<code>', 'missing for this cause only, whatever the day', Object.keys(REFUSALS)),
      subscription: idOption('sub_…: of this contract only, whatever the day'),
    },
    work: async ({ database, clock, organization }, { limit, code, subscription, ...given }) => {
      const today = berlinDayAt(clock.nowMilliseconds());
      const isNamed = (code ?? subscription) !== undefined;
      const days = given.days ?? (isNamed ? undefined : DAYS_BEFORE);
      const lateBy = days === undefined ? undefined : addDays(today, days);
      const rows = await missingDocuments(database, organization, { code, subscription, lateBy }, limit);
      return rows.map((row) => ({ ...row, state: stateOf(row.deadline, today) }));
    },
    columns: [
      ...(['deadline', 'state', 'subscription_id', 'type'] as const),
      ...(['period_start', 'period_end', 'code', 'detail'] as const),
    ],
    least: ['period_start', 'period_end', 'type', 'detail'],
  }),
  list: command({
    words: 'documents of an organization, newest first',
    examples: ['--status open --more-than-double', '--subscription sub_… --json'],
    options: {
      ...LISTING,
      status: choice('<status>', 'with this status only', STAFF_STATUSES),
      type: choice('<type>', 'of this type only', INVOICE_TYPES),
      subscription: idOption('sub_…: of this contract only'),
      more_than_double: flag('bills with more than double the usage of the same days a year before'),
    },
    work: ({ database, organization }, { limit, status, type, subscription, more_than_double }) => {
      const filter = { status, type, subscription, moreThanDouble: more_than_double };
      return newestInvoices(database, organization, filter, limit);
    },
    columns: [
      ...(['id', 'invoice_number', 'type', 'status', 'from', 'until'] as const),
      ...(['total', 'due_on', 'subscription_id'] as const),
    ],
    least: ['subscription_id', 'from', 'until', 'due_on', 'type', 'invoice_number'],
  }),
  show: command({
    words: 'one document: its sums, each line with what its figure was made of, its files',
    examples: ['inv_…', 'K7P2M9QX-005 --json'],
    arguments: { invoice: 'inv_… or the printed number' },
    options: OF_ORGANIZATION,
    thing: 'invoice',
    work: ({ database, organization }, { invoice }) => documentForStaff(database, organization, invoice),
    print: documentParts,
  }),
  void: command({
    words: 'reverses a document by another one; its period can be billed again',
    examples: ["inv_… --reason 'wrong reading'", "inv_… --reason 'billed twice' --json"],
    ...INVOICE,
    options: CHANGE,
    work: async ({ organization, act, ...session }, { invoice: id }) => {
      const { voiding } = await voidInvoiceByStaff(session, organization, id, act);
      const { id: voided_by, invoiceNumber: invoice_number, total } = voiding;
      return { id, status: 'voided', voided_by, invoice_number, total };
    },
  }),
  'begin-series': command({
    words: 'after a restore: documents from now on get printed numbers that no lost one can have',
    examples: [
      "--reason 'restored from the backup of 27 November'",
      "--organization org_… --reason 'restored from the backup of 27 November' --json",
    ],
    options: CHANGE,
    work: ({ organization, act, ...session }) => beginSeries(session, organization, act),
  }),
  ...billActs,
  ...contractBilling,
};

function stateOf(deadline: CalendarDay | null, today: CalendarDay): string {
  if (deadline === null) return '-';
  return deadline <= today ? 'late' : 'near';
}

/** Taxes, facts, lines and files are no single values: they follow as lines of their own, the facts only with `--json`. */
function documentParts({ lines, files, taxes, facts: _, ...columns }: InvoiceForStaff) {
  return [
    fields(columns),
    '',
    ...taxes.map(({ rate, net, tax }) => `tax ${rate}: ${tax} of ${net}`),
    ...files.map(({ kind, bytes, made_at }) => `file ${kind}: ${bytes} bytes, ${made_at}`),
    '',
    ...lines.flatMap(textsOf),
  ];
}

function textsOf(line: StoredLine): string[] {
  const { position, kind, period_from, period_until, band, quantity, unit, unit_price, net, figures } = line;
  const measured = quantity === null ? '' : `  ${quantity} ${unit} x ${unit_price ?? '-'}`;
  const head = `${position}. ${kind}${band === null ? '' : ` (${band})`}  ${period_from} to ${period_until}`;
  return [
    `${head}${measured}  = ${net}`,
    ...figures.map(({ name, value, unit: of, source, validFrom }) => {
      const since = validFrom === null ? '' : ` since ${validFrom}`;
      return `   ${name}: ${value} ${of} (${source}${since})`;
    }),
  ];
}
