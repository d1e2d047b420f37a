import { Exact } from '../../../../platform/money.ts';
import type { Estimate, PeriodReading, ReadingAt } from '../../calculate/energy.ts';
import type { MonthUsage, UsageComparison, UsageFacts } from '../../calculate/fact-types.ts';
import { filled, type Texts } from '../texts/texts.ts';
import { type ChartBar, drawBars, drawColumns } from './charts.ts';
import { type Page, SPACE } from './page.ts';
import { INK, SIZE } from './sheet.ts';
import { drawSectionHead } from './summary.ts';
import { drawTable } from './table.ts';

/** Readings and how each was obtained, what was used, and whether that is much. */
export function drawUsage(page: Page): void {
  const { sheet, document, texts, isFeedIn } = page;
  const { usage, readings, comparison } = document.facts;
  if (usage === null) return;
  drawSectionHead(page, isFeedIn ? texts.usage.creditTitle : texts.usage.title, 60);
  if (readings.length > 0) drawReadings(page, readings);
  sheet.gap(SPACE.paragraph);
  sheet.paragraph(originText(page, usage.origin), { size: SIZE.table });
  if (usage.byOrigin.length > 1) {
    for (const part of usage.byOrigin) {
      const text = `${texts.usage.shareOf[part.origin]}: ${page.format.kwh(part.kwh)}`;
      sheet.paragraph(text, { size: SIZE.table });
    }
  }
  if (usage.isEstimated && !isFeedIn) {
    sheet.gap(3);
    sheet.paragraph(estimateText(page, usage), { size: SIZE.table });
  }
  if (comparison === null) return;
  drawMonths(page, comparison, usage.kwh);
  if (comparison.groups.length > 0) drawGroups(page, comparison);
}

function originText({ texts }: Page, origin: keyof Texts['usage']['origin']): string {
  return texts.usage.origin[origin];
}

/** By what an estimate is corrected: of a smart meter no reading is taken. */
const CORRECTED = {
  expected_usage: 'analog',
  estimated_reading: 'reading',
  filled_quarter_hours: 'smart',
} as const satisfies Record<Estimate, keyof Texts['usage']['corrected']>;

function estimateText({ texts, format, document }: Page, { estimates, estimatedFrom }: UsageFacts): string {
  const { comparison, supply } = document.facts;
  const { estimated, corrected } = texts.usage;
  /* Older documents do not say what stands for their values, and had the sentences of all their meters. */
  const year = estimatedFrom ?? (estimates === undefined ? comparison?.year.kwh : undefined);
  const ways = new Set<keyof typeof corrected>(
    estimates?.map((estimate) => CORRECTED[estimate]) ?? supply.meters.map(({ type }) => type),
  );
  return [
    estimated.cause,
    ...(year === undefined ? [] : [filled(estimated.byYear, { year: format.kwh(year) })]),
    ...(ways.has('reading') ? [estimated.byReading] : []),
    estimated.explained,
    ...[...ways].map((way) => corrected[way]),
  ].join(' ');
}

function drawReadings(page: Page, readings: readonly PeriodReading[]): void {
  const { sheet, texts, format, isFeedIn } = page;
  const { usage } = texts;
  drawTable(
    sheet,
    [
      { title: usage.meter, share: 2 },
      { title: usage.start, share: 2.6 },
      { title: usage.end, share: 2.6 },
      { title: isFeedIn ? usage.fedIn : usage.used, share: 1.6, align: 'right' },
    ],
    readings.map(({ meterNumber, register, start, end, kwh }) => ({
      cells: [
        register === 1
          ? meterNumber
          : `${meterNumber}\n${filled(usage.register, { register: String(register) })}`,
        readingText(page, start),
        readingText(page, end),
        kwh === null ? '' : format.number(kwh, { min: 2, max: 3 }),
      ],
    })),
  );
}

function readingText({ texts, format }: Page, reading: ReadingAt | null): string {
  if (reading === null) return texts.usage.unknown;
  /* A smart meter is billed by its quarter hours, and its counter is not always known. */
  const value =
    reading.value === null ? '' : `${format.number(reading.value, { min: 0, max: 3 })}\u00a0kWh, `;
  return `${value}${format.day(reading.on)}\n${texts.usage.obtained[reading.obtained]}`;
}

function drawMonths(page: Page, { months, previousPeriodKwh }: UsageComparison, kwh: string): void {
  const { sheet, texts, format, isFeedIn } = page;
  const { comparison } = texts;
  drawSectionHead(page, isFeedIn ? comparison.creditTitle : comparison.title, 190);
  const same = previousPeriodKwh === null ? comparison.sameUnknown : comparison.same;
  const known = { kwh: format.kwh(kwh), previous: format.kwh(previousPeriodKwh ?? '0') };
  sheet.paragraph(filled(same, known));
  if (!months.some((month) => month.kwh !== null || month.previousYearKwh !== null)) return;
  sheet.gap(SPACE.paragraph);
  const title = isFeedIn ? comparison.creditChart : comparison.chart;
  sheet.paragraph(title, { size: SIZE.table, font: 'bold' });
  sheet.gap(3);
  drawColumns(sheet, {
    alt: filled(comparison.alt, { title }),
    names: { current: comparison.current, previous: comparison.previous },
    label: (value) => format.number(String(value), { min: 0, max: 1 }),
    months: months.map((month) => ({
      label: format.shortMonth(month.month),
      current: numberOf(month.kwh),
      previous: numberOf(month.previousYearKwh),
    })),
  });
  drawMonthTable(page, months);
}

/** The only place where energy becomes a binary number: the length of a bar. */
const numberOf = (kwh: string | null): number | null => (kwh === null ? null : Number(kwh));

function drawMonthTable({ sheet, texts, format }: Page, months: readonly MonthUsage[]): void {
  const { comparison } = texts;
  const row = (name: string, values: readonly (string | null)[]) => ({
    cells: [
      name,
      ...values.map((kwh) => (kwh === null ? comparison.unknown : format.number(kwh, { min: 0, max: 0 }))),
    ],
  });
  const columns = months.map(({ month }) => ({
    ...{ title: `${format.shortMonth(month)}\n${month.slice(0, 4)}`, share: 1, align: 'right' as const },
  }));
  drawTable(
    sheet,
    [{ title: 'kWh', share: 1.75 }, ...columns],
    [
      row(
        comparison.current,
        months.map(({ kwh }) => kwh),
      ),
      row(
        comparison.previous,
        months.map(({ previousYearKwh }) => previousYearKwh),
      ),
    ],
    { size: SIZE.small },
  );
}

function drawGroups({ sheet, texts, format }: Page, { year, groups }: UsageComparison): void {
  const { comparison } = texts;
  const own = { label: comparison[year.basis], kwh: year.kwh, isOwn: true };
  const others = groups.map(({ code, kwhYear }) => ({
    label: groupName(texts, code),
    kwh: kwhYear,
    isOwn: false,
  }));
  const all = [own, ...others].toSorted((left, right) => new Exact(left.kwh).comparedTo(right.kwh));
  const bars = all.map(
    ({ label, kwh, isOwn }): ChartBar => ({
      ...{ label, isOwn, value: Number(kwh) },
      text: format.number(kwh, { min: 0, max: 0 }),
    }),
  );
  sheet.heading(3, comparison.groups, { size: SIZE.table, font: 'bold' }, SPACE.section, 90);
  sheet.gap(4);
  /* Few enough to be read out: a table would say the same once more. */
  const values = bars.map(({ label, text }) => `${label}: ${text}`).join('; ');
  drawBars(sheet, { alt: `${comparison.groups}. ${values}.`, bars });
  const sources = [...new Set(groups.map(({ source }) => source))].join('; ');
  sheet.gap(2);
  sheet.paragraph(sources, { size: SIZE.small, color: INK.soft });
}

function groupName({ comparison }: Texts, code: string): string {
  const names: Readonly<Record<string, unknown>> = comparison;
  const name = names[code];
  return typeof name === 'string' ? name : code.replaceAll('_', ' ');
}
