import { type IssuedCorrection, listCorrectionsOfContract } from '../../billing/invoices/queries.ts';
import {
  type ContractPreview,
  orderCorrection,
  previewCorrection,
} from '../../billing/invoices/runs/order.ts';
import { findSubscription } from '../../contracts/subscriptions/queries.ts';
import { dayText, eurosText, momentText } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { isId } from '../../platform/ids.ts';
import { addDays, berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { type ActForm, actOf, auditRead } from './forms.ts';
import { CONSOLE_PATH, ConsoleFailure, type ConsoleSite, type FormBack } from './pages.ts';
import type { Texts } from './texts.ts';
import { refusalText } from './work/words.ts';

/** Those of a year of months. */
const CORRECTIONS_MAX = 12;

/** Shows the bills of a contract as calculated now, beside the issued ones. A form then issues them. */
export function correctionPages({ deps, page, form }: ConsoleSite): void {
  const { clock, database } = deps;

  page('/contracts/:id/correction', async (visit) => {
    const { t, visitor, params } = visit;
    const { organization } = visitor;
    const { id = '' } = params;
    const { row, issued } = await database.inOrganization({ organization }, async (connection) => {
      const found = isId(id) ? await findSubscription(connection, organization, undefined, id) : undefined;
      if (found === undefined) throw new ConsoleFailure('not_found', 404);
      await auditRead(connection, visit, id);
      const corrections = await listCorrectionsOfContract(connection, organization, id, CORRECTIONS_MAX);
      return { row: found, issued: corrections };
    });
    /* Years of bills of one contract. */
    const preview = await visit.costly(() => previewCorrection(deps, organization, id));
    const words = t.contract;
    const isExit = preview.exit_from !== null;
    const today = berlinDayAt(clock.nowMilliseconds());
    const waits = preview.exit_from !== null && preview.exit_from > today ? preview.exit_from : null;
    const sentences = [
      preview.is_closed ? words.nothingToCorrect : null,
      isExit && !preview.is_closed ? words.exitInstead : null,
      waits === null ? null : words.exitWaits(dayText(waits, t.lang)),
      ...preview.refused.map(({ invoice_number, code }) => `${invoice_number}: ${refusalText(code, t)}`),
    ].filter((sentence) => sentence !== null);
    return {
      ...{ template: 'item', of: 'contracts', title: words.correctionTitle(row.number ?? id) },
      values: {
        facts: [
          { name: words.number, value: row.number ?? id, address: `${CONSOLE_PATH}/contracts/${id}` },
          { name: words.difference, value: eurosText(preview.difference, t) },
          ...issued.map((document) => issuedFact(id, document, t)),
        ],
        note: sentences.join(' '),
        rows: differenceRows(preview, t),
        forms: preview.bills.length === 0 ? [] : [orderForm(id, preview, t)],
      },
    };
  });

  const toContract: FormBack = ({ params: { id = '' } }) => `/contracts/${id}/correction`;

  form(
    '/contracts/:id/correction',
    toContract,
    async (visit) => {
      const { organization } = visit.visitor;
      const order = { closeNow: textOf(visit.body, 'close') === 'yes', seen: textOf(visit.body, 'seen') };
      const { id = '' } = visit.params;
      await visit.costly(() => orderCorrection(deps, organization, id, order, actOf(deps, visit)));
      return 'issued';
    },
    'issued',
  );
}

/** What stands in the place of what, since when. */
function issuedFact(
  contract: string,
  { id, type, invoice_number, replaced, difference, issued_at }: IssuedCorrection,
  t: Texts,
) {
  const words = t.contract;
  const what = replaced === null ? words.invoiceTypes[type] : words.inPlaceOf(replaced);
  return {
    name: words.issuedOn(momentText(issued_at, t.lang) ?? ''),
    value: `${invoice_number}, ${what}: ${words.difference} ${eurosText(difference, t)}`,
    address: `${CONSOLE_PATH}/contracts/${contract}/bills/${id}`,
  };
}

function differenceRows({ bills }: ContractPreview, t: Texts) {
  const words = t.contract;
  return {
    ...{ caption: words.differences, none: words.noDifference },
    columns: [
      { words: words.document },
      { words: t.work.period },
      { words: words.before, isNumber: true },
      { words: words.now, isNumber: true },
      { words: words.difference, isNumber: true },
    ],
    rows: bills.map((bill) => ({
      ...{ name: bill.invoice_number, address: null },
      cells: [
        `${dayText(bill.from, t.lang)} – ${dayText(addDays(bill.until, -1), t.lang)}`,
        ...[bill.before, bill.now, bill.difference].map((amount) => eurosText(amount, t)),
      ],
    })),
  };
}

/** The form says which preview it is about: what came in since then is looked at before it is issued. */
function orderForm(id: string, { name, exit_from }: ContractPreview, t: Texts): ActForm {
  const words = t.contract;
  const isExit = exit_from !== null;
  return {
    ...{ act: 'correct', words: isExit ? words.closeNow : words.correct, hint: words.correctHint },
    action: `${CONSOLE_PATH}/contracts/${id}/correction`,
    fields: [
      { name: 'seen', label: '', type: 'hidden', value: name },
      ...(isExit ? [{ name: 'close', label: '', type: 'hidden', value: 'yes' } as const] : []),
    ],
  };
}
