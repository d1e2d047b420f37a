import { Exact } from '../../../../platform/money.ts';
import type { InvoiceLine, LineFigure } from '../../calculate/types.ts';
import { filled } from '../texts/texts.ts';
import { groupedLines, netOf, shownAmount } from './amounts.ts';
import { type Page, SPACE } from './page.ts';
import { INK, SIZE } from './sheet.ts';
import { drawSectionHead } from './summary.ts';
import { drawTable, type Row } from './table.ts';

/** So many lines of a kind and more stand in the annex, and their sum on the pages: a year has twelve. */
const ANNEX_LINES = 6;

function hasAnnex({ document }: Page): boolean {
  const kinds = Map.groupBy(document.lines, ({ kind }) => kind);
  return [...kinds].some(([kind, { length }]) => kind !== 'correction' && length >= ANNEX_LINES);
}

/** What each kind of charge comes to, and where there is no annex how. */
export function drawDetail(page: Page): void {
  const { sheet, texts } = page;
  drawSectionHead(page, texts.detail.title, 190);
  if (hasAnnex(page)) {
    sheet.paragraph(texts.detail.summed, { size: SIZE.table, color: INK.soft });
    sheet.gap(SPACE.paragraph);
    drawRows(page, (lines) => [sumRow(page, lines, undefined)]);
  } else drawPieces(page);
  drawDeductions(page);
}

/** The single lines of a long bill, on pages of their own. */
export function drawAnnex(page: Page): void {
  if (!hasAnnex(page)) return;
  page.sheet.nextPage();
  drawSectionHead(page, page.texts.detail.annex);
  drawPieces(page);
}

/** Every line with its quantity and price, and where each price comes from. */
function drawPieces(page: Page): void {
  const { sheet, texts } = page;
  sheet.paragraph(texts.detail.explained, { size: SIZE.table, color: INK.soft });
  for (const text of spotTexts(page)) {
    sheet.gap(3);
    sheet.paragraph(text, { size: SIZE.table, color: INK.soft });
  }
  sheet.gap(SPACE.paragraph);
  const sources = new Sources(page);
  drawRows(page, (lines) => rowsOf(page, lines, sources));
  sources.draw();
}

function drawRows({ sheet, document, texts }: Page, rows: (ofKind: readonly InvoiceLine[]) => Row[]): void {
  drawTable(
    sheet,
    [
      { title: texts.detail.position, share: 5.4 },
      { title: texts.detail.quantity, share: 1.9, align: 'right' },
      { title: texts.detail.price, share: 2.1, align: 'right' },
      { title: texts.detail.net, share: 1.5, align: 'right' },
    ],
    groupedLines(document.lines).flatMap(([group, lines]): Row[] => [
      { kind: 'group', cells: [texts.detail.group[group]] },
      ...[...Map.groupBy(lines, ({ kind }) => kind).values()].flatMap(rows),
    ]),
  );
}

/** How energy was priced: by the meters that were there, and there may have been one of each kind. */
function spotTexts({ document, texts, isFeedIn }: Page): string[] {
  if (isFeedIn || !document.lines.some(({ kind }) => kind === 'energy')) return [];
  const types = new Set(document.facts.supply.meters.map(({ type }) => type));
  return [
    ...(types.has('smart') ? [texts.detail.spot] : []),
    ...(types.has('analog') ? [texts.detail.spotProfile] : []),
  ];
}

/** Rows of the lines of a kind; if there are several, its name and sum stand above them. */
function rowsOf(page: Page, lines: readonly InvoiceLine[], sources: Sources): Row[] {
  const [first] = lines;
  if (first === undefined) return [];
  const name = page.texts.lines[first.kind];
  if (lines.length === 1) return [rowOf(page, first, sources, `${name}${bandText(page, first)}`)];
  return [sumRow(page, lines, 'part'), ...lines.map((line) => rowOf(page, line, sources, null))];
}

/** All lines of a kind in one. As the head of its lines (`part`) it leaves quantity and price to them. */
function sumRow(page: Page, lines: readonly InvoiceLine[], kind: Row['kind']): Row {
  const [first] = lines;
  if (first === undefined) throw new RangeError('no line');
  const net = netOf(lines);
  const isOne = (member: 'unit' | 'unitPrice') => lines.every((line) => line[member] === first[member]);
  const quantity = lines.reduce((sum, line) => sum.plus(line.quantity ?? 0), new Exact(0)).toFixed();
  const isTold = kind === undefined && isOne('unit');
  return {
    ...(kind === undefined ? {} : { kind }),
    cells: [
      page.texts.lines[first.kind],
      isTold ? quantityText(page, { ...first, quantity }) : '',
      isTold && isOne('unitPrice') ? priceText(page, first) : '',
      page.format.cents(shownAmount(page, net)),
    ],
  };
}

function bandText({ texts }: Page, { band }: InvoiceLine): string {
  return band === null ? '' : `, ${texts.bands[band]}`;
}

/** `name`: null where it stands above already. */
function rowOf(page: Page, line: InvoiceLine, sources: Sources, name: string | null): Row {
  const { format, document } = page;
  const [first, ...others] = line.figures;
  /* A price that is the figure itself needs no second mention, only its source. */
  const isPlain = first !== undefined && others.length === 0 && isUnitPrice(line, first);
  const mark = isPlain ? sources.mark(first) : '';
  /* The sum behind a mean price stands beside a single line; below each of twelve it only repeats their amounts. */
  const figures = isPlain ? [] : line.figures.filter((figure) => name !== null || figure.name !== 'spot_sum');
  const note = figures.map((figure) => figureText(page, figure, sources)).join(' · ');
  const isWhole = line.from === document.from && line.until === document.until;
  const span = isWhole ? '' : `\n${format.span(line)}`;
  return {
    cells: [
      name === null ? `${format.span(line)}${bandText(page, line)}${mark}` : `${name}${mark}${span}`,
      quantityText(page, line),
      priceText(page, line),
      format.cents(shownAmount(page, line.net)),
    ],
    ...(note === '' ? {} : { note }),
  };
}

function isUnitPrice({ unit, unitPrice }: InvoiceLine, { value, unit: figureUnit }: LineFigure): boolean {
  const price = new Exact(unitPrice ?? 0);
  if (unit === 'month') return figureUnit === 'EUR/month net' && price.equals(value);
  return unit === 'kWh' && figureUnit === 'ct/kWh net' && price.times(100).equals(value);
}

function quantityText({ texts, format }: Page, { quantity, unit }: InvoiceLine): string {
  if (quantity === null || unit === null) return '';
  if (unit === 'kWh') return `${format.number(quantity, { min: 2, max: 3 })}\u00a0kWh`;
  const isOne = new Exact(quantity).abs().equals(1);
  return `${format.number(quantity, { min: 0, max: 0 })}\u00a0${isOne ? texts.units[unit].single : texts.units[unit].many}`;
}

function priceText(page: Page, { unitPrice, unit }: InvoiceLine): string {
  if (unitPrice === null || unit === null) return '';
  const { texts, format } = page;
  const shown = shownAmount(page, unitPrice);
  if (unit === 'kWh') {
    const cents = new Exact(shown).times(100).toFixed();
    return `${format.number(cents, { min: 2, max: 4 })}\u00a0${texts.units.perKwh}`;
  }
  const name = unit === 'day' ? texts.units.perDay : texts.units.perMonth;
  return `${format.number(shown, { min: 2, max: 5 })}\u00a0${name}`;
}

function figureText(page: Page, figure: LineFigure, sources: Sources): string {
  return `${figureName(page, figure)}: ${valueText(page, figure)}${sources.mark(figure)}`;
}

const EEG = /^eeg_(?:tariff|value)_up_to_(\d+)_kw$/;

function figureName({ texts }: Page, { name }: LineFigure): string {
  const { figures } = texts;
  const kw = EEG.exec(name)?.[1];
  if (kw !== undefined) return filled(figures.eeg ?? '', { kw });
  return figures[name] ?? name.replaceAll('_', ' ');
}

function valueText({ texts, format }: Page, { value, unit }: LineFigure): string {
  const { units } = texts;
  if (unit === 'share') return format.percent(value);
  if (unit === 'class') return value;
  if (unit === 'years') return `${value}\u00a0${units.years}`;
  const decimals = unit.startsWith('ct') ? { min: 2, max: 4 } : { min: 2, max: unit === 'kWh' ? 3 : 5 };
  const name = unit
    .replace('EUR', '€')
    .replace('/year', `/${units.year}`)
    .replace('/month', `/${units.monthWord}`)
    .replace(' net', ` ${units.net}`)
    .replace(' with VAT', ` ${units.gross}`);
  return `${format.number(value, decimals)}\u00a0${name}`;
}

/** Laws and price sheets that figures come from, each with a number and listed once. */
class Sources {
  readonly #page: Page;
  readonly #numbers = new Map<string, number>();

  constructor(page: Page) {
    this.#page = page;
  }

  /** ` [2]`; nothing for what the contract says or what was measured. */
  mark({ table, source, validFrom }: LineFigure): string {
    if (table === null && !source.startsWith('§')) return '';
    const { texts, format } = this.#page;
    const from =
      validFrom === null ? '' : `, ${filled(texts.detail.validFrom, { day: format.day(validFrom) })}`;
    const name = `${source}${from}`;
    const number = this.#numbers.get(name) ?? this.#numbers.size + 1;
    this.#numbers.set(name, number);
    return `\u00a0[${number}]`;
  }

  draw(): void {
    if (this.#numbers.size === 0) return;
    const { sheet, texts } = this.#page;
    const style = { size: SIZE.note, color: INK.soft } as const;
    sheet.heading(3, texts.detail.sources, { size: SIZE.table, font: 'bold' }, SPACE.paragraph + 2, 20);
    for (const [name, number] of this.#numbers) sheet.paragraph(`[${number}] ${name}`, style);
  }
}

/** §14(5) UStG: what was paid before, with its tax. */
function drawDeductions(page: Page): void {
  const { sheet, document, texts, format } = page;
  const { deductions } = document.facts;
  if (deductions.length === 0 || new Exact(document.sums.deducted).isZero()) return;
  drawSectionHead(page, texts.deductions.title, 60);
  drawTable(
    sheet,
    [
      /* As wide as the longest number. */
      { title: texts.deductions.document, share: 2.9 },
      { title: texts.deductions.months, share: 2.5 },
      { title: texts.deductions.paid, share: 1.45 },
      { title: texts.deductions.gross, share: 1.33, align: 'right' },
      { title: texts.deductions.tax, share: 1.82, align: 'right' },
    ],
    deductions.map((paid) => ({
      cells: [
        paid.invoiceNumber,
        format.span(paid),
        paid.paidOn === null ? '' : format.day(paid.paidOn),
        format.cents(paid.gross),
        format.cents(paid.tax),
      ],
    })),
  );
  sheet.gap(SPACE.paragraph);
  sheet.paragraph(texts.tax.advance, { size: SIZE.table, color: INK.soft });
}
