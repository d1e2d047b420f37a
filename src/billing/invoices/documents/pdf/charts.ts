import { INK, type Sheet, SIZE, TEXT, TEXT_WIDTH } from './sheet.ts';

/*
 * Charts of vectors that a printer without colours shows as well: one series is dark, the other has stripes. A table has the
 * same figures; a screen reader says what the charts are about.
 */

export interface ChartMonth {
  readonly label: string;
  readonly current: number | null;
  readonly previous: number | null;
}

interface ColumnChart {
  readonly alt: string;
  readonly months: readonly ChartMonth[];
  readonly names: { readonly current: string; readonly previous: string };
  /** How a number of the axis is written. */
  readonly label: (value: number) => string;
}

const HEIGHT = 118;
const AXIS_WIDTH = 34;
const LEGEND_HEIGHT = 16;
const LABEL_HEIGHT = 13;
const STEPS = 4;
const STRIPE = 3;

export function drawColumns(sheet: Sheet, chart: ColumnChart): void {
  sheet.keep(HEIGHT + LEGEND_HEIGHT + LABEL_HEIGHT);
  const top = sheet.y;
  const bottom = top + LEGEND_HEIGHT + HEIGHT;
  const right = TEXT.right;
  const draw = () => {
    drawLegend(sheet, chart.names, top);
    const values = chart.months.flatMap(({ current, previous }) => [current ?? 0, previous ?? 0]);
    const step = roundStep(Math.max(...values, 1) / STEPS);
    drawAxis(sheet, { step, bottom, label: chart.label });
    drawPairs(sheet, chart.months, { bottom, max: step * STEPS });
  };
  sheet.element('Figure', draw, { alt: chart.alt, bbox: [TEXT.left, top, right, bottom + LABEL_HEIGHT] });
  sheet.y = bottom + LABEL_HEIGHT + 4;
}

function drawLegend(sheet: Sheet, { current, previous }: ColumnChart['names'], y: number): void {
  const box = 8;
  let x: number = TEXT.left + AXIS_WIDTH;
  for (const [name, isStriped] of [
    [current, false],
    [previous, true],
  ] as const) {
    drawBar(sheet, { x, y: y + 2, width: box, height: box }, isStriped);
    sheet.write(name, { x: x + box + 4, y, size: SIZE.note });
    x += box + 22 + sheet.widthOf(name, { size: SIZE.note });
  }
}

function drawAxis(
  sheet: Sheet,
  { step, bottom, label }: { step: number; bottom: number; label: (value: number) => string },
): void {
  const { pdf } = sheet;
  for (let index = 0; index <= STEPS; index += 1) {
    const y = bottom - (index / STEPS) * (HEIGHT - 8);
    pdf.moveTo(TEXT.left + AXIS_WIDTH, y).lineTo(TEXT.right, y);
    pdf
      .lineWidth(index === 0 ? 0.8 : 0.25)
      .strokeColor(index === 0 ? INK.text : INK.rule)
      .stroke();
    const box = { x: TEXT.left, y: y - 5, width: AXIS_WIDTH - 5, align: 'right', size: SIZE.note } as const;
    sheet.write(label(index * step), box);
  }
}

function drawPairs(
  sheet: Sheet,
  months: readonly ChartMonth[],
  { bottom, max }: { bottom: number; max: number },
): void {
  const slot = (TEXT_WIDTH - AXIS_WIDTH) / months.length;
  const width = slot * 0.32;
  const bar = (x: number, value: number | null, isStriped: boolean) => {
    const height = ((value ?? 0) / max) * (HEIGHT - 8);
    if (height > 0) drawBar(sheet, { x, y: bottom - height, width, height }, isStriped);
  };
  for (const [index, { label, current, previous }] of months.entries()) {
    const middle = TEXT.left + AXIS_WIDTH + (index + 0.5) * slot;
    bar(middle - width - 1, previous, true);
    bar(middle + 1, current, false);
    const labelWidth = sheet.widthOf(label, { size: SIZE.note });
    sheet.write(label, { x: middle - labelWidth / 2, y: bottom + 2, width: labelWidth + 4, size: SIZE.note });
  }
}

export interface ChartBar {
  readonly label: string;
  readonly value: number;
  /** The customer's own one. */
  readonly isOwn: boolean;
  readonly text: string;
}

const BAR_HEIGHT = 11;
const BAR_GAP = 5;
const LABEL_WIDTH = 165;

export function drawBars(sheet: Sheet, { alt, bars }: { alt: string; bars: readonly ChartBar[] }): void {
  const height = bars.length * (BAR_HEIGHT + BAR_GAP);
  sheet.keep(height);
  const top = sheet.y;
  const left = TEXT.left + LABEL_WIDTH;
  const longest = TEXT.right - left - 60;
  const max = Math.max(...bars.map(({ value }) => value), 1);
  const draw = () => {
    for (const [index, { label, value, isOwn, text }] of bars.entries()) {
      const y = top + index * (BAR_HEIGHT + BAR_GAP);
      const width = (value / max) * longest;
      const font = isOwn ? 'bold' : 'regular';
      sheet.write(label, { x: TEXT.left, y: y - 0.5, width: LABEL_WIDTH - 6, size: SIZE.note, font });
      if (width > 0) drawBar(sheet, { x: left, y, width, height: BAR_HEIGHT }, !isOwn);
      sheet.write(text, { x: left + width + 5, y: y - 0.5, width: 60, size: SIZE.note, font });
    }
  };
  sheet.element('Figure', draw, { alt, bbox: [TEXT.left, top, TEXT.right, top + height] });
  sheet.y = top + height;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function drawBar({ pdf }: Sheet, { x, y, width, height }: Box, isStriped: boolean): void {
  if (!isStriped) {
    pdf.rect(x, y, width, height).fill(INK.dark);
    return;
  }
  pdf.save().rect(x, y, width, height).clip();
  for (let offset = -height; offset < width; offset += STRIPE) {
    pdf.moveTo(x + offset, y + height).lineTo(x + offset + height, y);
  }
  pdf.lineWidth(0.6).strokeColor(INK.soft).stroke().restore();
  pdf.rect(x, y, width, height).lineWidth(0.6).strokeColor(INK.soft).stroke();
}

/** The next one of 1, 2, 2.5, 5, 10, 20 … */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const digit = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= step) ?? 10;
  return digit * power;
}
