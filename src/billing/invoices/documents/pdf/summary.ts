import { Exact } from '../../../../platform/money.ts';
import { filled, paymentText } from '../texts/texts.ts';
import { taxNumberOf, vatIdOf } from '../vat-id.ts';
import { groupedLines, type LineGroup, netOf, shownAmount } from './amounts.ts';
import { isCredit, nameLines, taxIds } from './letter.ts';
import { type Page, SPACE } from './page.ts';
import { INK, SIZE } from './sheet.ts';
import { drawTable, type Row } from './table.ts';

/** Draws what the document is, what it comes to, and how it is paid: the first page alone answers that. */
export function drawSummary(page: Page): void {
  const { sheet, texts } = page;
  sheet.heading(1, titleOf(page), { size: SIZE.title, font: 'bold', color: INK.dark }, 0, 0);
  for (const line of subtitles(page)) {
    sheet.gap(2);
    sheet.paragraph(line, { color: INK.soft });
  }
  drawSectionHead(page, texts.summary.title);
  drawTable(
    sheet,
    [
      { title: texts.summary.position, share: 3 },
      { title: texts.summary.amount, share: 1, align: 'right' },
    ],
    summaryRows(page),
    { size: SIZE.body },
  );
  drawPayment(page);
}

/** The head of a section with room for what begins it, where it may stand low on a page. */
export function drawSectionHead({ sheet }: Page, title: string, room = 0): void {
  sheet.heading(2, title, { size: SIZE.section, font: 'bold', color: INK.dark }, SPACE.section, room);
  sheet.gap(4);
}

export function titleOf({ document, texts }: Pick<Page, 'document' | 'texts'>): string {
  const { type, facts, isFinal, corrects, lines } = document;
  const { title } = texts;
  if (type === 'void') return isCredit(facts) ? title.voidCredit : title.void;
  if (isCredit(facts)) return title.credit;
  if (type !== 'usage') return title[type];
  if (corrects !== null) return title.corrected;
  if (isFinal) return title.final;
  const months = new Set(lines.map(({ from }) => from.slice(0, 7)));
  return months.size === 1 ? title.monthly : title.usage;
}

function subtitles({ document, texts, format }: Page): string[] {
  const { type, facts, voids, corrects, isEstimated } = document;
  const { subtitle } = texts;
  const named = (text: string, other: NonNullable<typeof voids>) =>
    filled(text, { number: other.invoiceNumber, day: format.day(other.issuedOn) });
  return [
    ...(facts.hasInventedPrices ? [subtitle.inventedPrices] : []),
    ...(voids === null ? [] : [named(subtitle.void, voids)]),
    ...(type === 'usage' && isCredit(facts) ? [subtitle.credit] : []),
    ...(type === 'prepayment' ? [subtitle.advance] : []),
    ...(type === 'exit_summary' ? [subtitle.exit_summary] : []),
    ...(corrects === null ? [] : [named(subtitle.corrected, corrects)]),
    ...(isEstimated && type === 'usage' ? [subtitle.estimated] : []),
    ...(facts.contract.isTaxExempt ? [texts.tax.exempt] : []),
    ...supplierOfCredit({ facts, texts }),
  ];
}

/** §14(4) no. 2 UStG: of a credit note it is the number of the customer, who supplies: of the state or of his tax office. */
function supplierOfCredit({
  facts,
  texts,
}: {
  facts: Page['document']['facts'];
  texts: Page['texts'];
}): string[] {
  const { recipient } = facts;
  const [vatId, taxNumber] = [vatIdOf(recipient.vatId), taxNumberOf(recipient.vatId)];
  if (!isCredit(facts) || (vatId ?? taxNumber) === null) return [];
  const numbers = taxIds({ vatId, taxNumber }, texts).join(', ');
  return [filled(texts.tax.supplierOfCredit, { name: nameLines(recipient).join(', '), numbers })];
}

function summaryRows(page: Page): Row[] {
  const { document, texts, format } = page;
  const { sums, usageKwh, lines } = document;
  const shown = (value: string) => format.cents(shownAmount(page, value));
  const groups = groupedLines(lines).map(
    ([group, of]): Row => ({
      cells: [groupName(page, group, of[0]?.kind), shown(netOf(of))],
    }),
  );
  const gross = new Exact(sums.net).plus(sums.tax).toFixed(2);
  return [
    ...(usageKwh === null ? [] : [{ cells: [usedText(page, usageKwh), ''] }]),
    ...groups,
    { kind: 'sum', cells: [texts.summary.net, shown(sums.net)] },
    ...sums.taxes.map(({ rate, net, tax }) => ({ cells: [taxName(page, rate, net), shown(tax)] })),
    { kind: 'sum', cells: [texts.summary.gross, shown(gross)] },
    ...(new Exact(sums.deducted).isZero()
      ? []
      : [{ cells: [texts.summary.deducted, shown(new Exact(sums.deducted).negated().toFixed())] }]),
    { kind: 'total', cells: totalOf(page) },
  ];
}

function usedText({ texts, format, isFeedIn }: Page, kwh: string): string {
  return `${isFeedIn ? texts.summary.fedIn : texts.summary.used}: ${format.kwh(kwh)}`;
}

function groupName({ texts, isFeedIn }: Page, group: LineGroup, kind: string | undefined): string {
  const { summary, lines } = texts;
  if (isFeedIn && group === 'supplier') return lines.base_fee;
  if (group !== 'other') return summary[group];
  return kind === 'prepayment'
    ? summary.prepayment
    : kind === 'correction'
      ? summary.correction
      : summary.compensation;
}

function taxName(page: Page, rate: string, net: string): string {
  const { texts, format } = page;
  const of = { rate: format.percent(rate), net: format.euros(shownAmount(page, net)) };
  return filled(new Exact(rate).isZero() ? texts.summary.noTax : texts.summary.tax, of);
}

/** What it comes to, under the word for who pays it. */
function totalOf(page: Page): [label: string, amount: string] {
  const { document, texts, format, isFeedIn } = page;
  const { total } = document.sums;
  const shown = new Exact(shownAmount(page, total));
  if (document.type === 'void') {
    return [isFeedIn ? texts.summary.payout : texts.summary.total, format.euros(shown.toFixed())];
  }
  const isPaidOut = new Exact(total).isNegative();
  const label = isPaidOut ? (isFeedIn ? texts.summary.payout : texts.summary.credit) : texts.summary.total;
  return [label, format.euros(shown.abs().toFixed())];
}

function drawPayment(page: Page): void {
  const { sheet, document, texts, format } = page;
  sheet.gap(SPACE.paragraph + 2);
  sheet.paragraph(paymentText(document));
  const { nextInstalment } = document.facts;
  if (nextInstalment == null || document.type !== 'usage') return;
  const { from, amount } = nextInstalment;
  sheet.gap(SPACE.paragraph);
  sheet.paragraph(filled(texts.pay.nextInstalment, { amount: format.euros(amount), day: format.day(from) }));
}
