import type { Decimal } from 'decimal.js';
import { Exact, euros, withoutVat } from '../../../platform/money.ts';
import type { GridFigures } from '../../../tariffs/reference-data/figures.ts';
import type { LevyCode } from '../../../tariffs/reference-data/reference-set.ts';
import type { PieceEnergy } from './energy.ts';
import { agreed, counted, dailyLine, type LineParts, lineOf, listed, monthlyLine, perKwh } from './line.ts';
import type { Piece } from './pieces.ts';
import type { InvoiceLine, LineFigure, LineKind } from './types.ts';

/** The lines of one piece, in the order of the bill. */
export function pieceLines(
  type: 'consumption' | 'feed_in',
  piece: Piece,
  energy: PieceEnergy,
): InvoiceLine[] {
  return type === 'feed_in' ? feedInLines(piece, energy) : consumptionLines(piece, energy);
}

function consumptionLines(piece: Piece, energy: PieceEnergy): InvoiceLine[] {
  const { grid } = piece;
  if (grid === null) throw new Error(`No grid is known from ${piece.from} on`);
  return [
    baseFeeLine(piece),
    ...gridBaseLines(piece, grid),
    meteringLine(piece),
    ...energyLines(piece, energy).map(([kind, parts]) => lineOf(piece, kind, parts)),
  ];
}

/** What a bill of consumption charges for each kWh, before it is rounded. */
export function energyLines(piece: Piece, energy: PieceEnergy): (readonly [LineKind, LineParts])[] {
  const { grid } = piece;
  if (grid === null) throw new Error(`No grid is known from ${piece.from} on`);
  return [
    ['energy', spotParts(energy)],
    ...marginLines(piece, energy),
    ['grid_energy', gridEnergyParts(grid, energy)],
    ...levyLines(piece, grid, energy.kwh),
  ];
}

function baseFeeLine(piece: Piece): InvoiceLine {
  const fee = piece.terms.base_fee_net;
  const figures = [agreed('base_fee', fee, 'EUR/month net', piece)];
  return monthlyLine(piece, 'base_fee', { perMonth: new Exact(fee), figures });
}

function gridBaseLines(piece: Piece, { basePriceYear, module1CreditYear }: GridFigures): InvoiceLine[] {
  const { modules, daysOfYear } = piece;
  const lines: InvoiceLine[] = [];
  /* Module 2 is a metering point of its own for the device: it has no base price. */
  if (!modules.module2) {
    const figures = [listed('grid_base_price', basePriceYear)];
    const perDay = new Exact(basePriceYear.value).dividedBy(daysOfYear);
    lines.push(dailyLine(piece, 'grid_base', { perDay, figures }));
  }
  if (modules.module1) {
    const figures = [listed('module_1_credit', module1CreditYear)];
    const perDay = new Exact(module1CreditYear.value).negated().dividedBy(daysOfYear);
    lines.push(dailyLine(piece, 'module_1', { perDay, figures }));
  }
  return lines;
}

/** Caps of §30 MsbG hold for amounts with VAT. */
function meteringLine(piece: Piece): InvoiceLine {
  const { meteringFee, vatRate, daysOfYear } = piece;
  if (meteringFee === null) throw new Error(`No metering fee is known from ${piece.from} on`);
  const perDay = withoutVat(meteringFee.value, vatRate.value).dividedBy(daysOfYear);
  const figures = [listed('metering_fee', meteringFee), listed('vat_rate', vatRate)];
  return dailyLine(piece, 'metering', { perDay, figures });
}

function spotParts({ kwh, spotEur }: PieceEnergy): LineParts {
  return {
    ...{ net: spotEur, quantity: kwh, unit: 'kWh' },
    unitPrice: meanPrice(spotEur, kwh),
    figures: [counted('spot_sum', spotEur, 'EUR net', 'spot_prices')],
  };
}

function marginLines(piece: Piece, { kwh }: PieceEnergy): [LineKind, LineParts][] {
  const cents = piece.terms.margin_ct_net;
  if (new Exact(cents).isZero()) return [];
  const figures = [agreed('margin', cents, 'ct/kWh net', piece)];
  return [['margin', perKwh({ kwh, cents, figures })]];
}

/** One line for all prices of the grid, rounded once; its figures say how much energy had which of them. */
function gridEnergyParts(grid: GridFigures, { kwh, slots }: PieceEnergy): LineParts {
  const net = slots.reduce(
    (sum, { slot, kwh: ofSlot }) => sum.plus(ofSlot.times(euros(slot.gridCents))),
    new Exact(0),
  );
  const bands = [...new Set(slots.map(({ slot }) => slot.band))];
  const [only = null] = bands;
  return {
    ...{ net, quantity: kwh, unit: 'kWh', unitPrice: meanPrice(net, kwh) },
    band: bands.length === 1 ? only : null,
    figures: slots.flatMap(({ slot, kwh: ofSlot }) => [
      bandFigure(grid, slot.band),
      counted(`kwh_${slot.band ?? 'ordinary'}`, ofSlot, 'kWh', 'usage'),
    ]),
  };
}

function bandFigure(grid: GridFigures, band: PieceEnergy['slots'][number]['slot']['band']): LineFigure {
  if (band === null) return listed('grid_working_price', grid.workingPrice);
  if (band === 'module_2') return listed('grid_price_module_2', grid.module2Price);
  const { schedule } = grid;
  if (schedule === null) throw new Error(`${grid.operator} publishes no prices of module 3`);
  const { origin } = schedule;
  return listed(`grid_price_${band}`, { value: schedule[band], unit: 'ct/kWh net', origin });
}

const LEVY_LINES: readonly (readonly [LevyCode, LineKind])[] = [
  ['stromsteuer', 'electricity_tax'],
  ['offshore', 'offshore'],
  ['besondere_netznutzung', 'special_grid_use'],
  ['kwkg', 'kwkg'],
];

/** §2 KAV, §3 StromStG, §17f EnWG, §19 StromNEV, §26 KWKG. */
function levyLines(
  piece: Piece,
  { concessionFee, zipArea }: GridFigures,
  kwh: Decimal,
): (readonly [LineKind, LineParts])[] {
  const area = { value: concessionFee.origin.key, unit: 'class', origin: zipArea };
  return [
    [
      'concession_fee',
      perKwh({
        ...{ kwh, cents: concessionFee.value },
        figures: [listed('concession_fee', concessionFee), listed('concession_class', area)],
      }),
    ],
    ...LEVY_LINES.map(([code, kind]) => {
      const levy = piece.reference.levy(code);
      return [kind, perKwh({ kwh, cents: levy.value, figures: [listed('levy', levy)] })] as const;
    }),
  ];
}

function meanPrice(eur: Decimal, kwh: Decimal): Decimal | null {
  return kwh.isZero() ? null : eur.dividedBy(kwh);
}

/**
 * Lines of feed-in. The customer's pay is negative; it has VAT unless he is a small business. The fee of the plan always has
 * VAT (§§10, 19 UStG).
 */
function feedInLines(piece: Piece, energy: PieceEnergy): InvoiceLine[] {
  const hasFee = !new Exact(piece.terms.base_fee_net).isZero();
  return [...(hasFee ? [baseFeeLine(piece)] : []), compensationLine(piece, energy)];
}

function compensationLine(piece: Piece, { kwh, kwhAtNegativePrice }: PieceEnergy): InvoiceLine {
  const rate = piece.feedIn;
  if (rate === null) throw new Error(`No compensation is known from ${piece.from} on`);
  const paid = rate.isUnpaidAtNegativePrices ? kwh.minus(kwhAtNegativePrice) : kwh;
  const price = euros(rate.cents).negated();
  const figures: LineFigure[] = [
    agreed('compensation', rate.cents, 'ct/kWh net', piece),
    ...rate.figures.map(({ name, figure }) => listed(name, figure)),
  ];
  if (rate.isUnpaidAtNegativePrices)
    figures.push(counted('kwh_unpaid_at_negative_price', kwhAtNegativePrice, 'kWh', '§51 EEG 2023'));
  if (rate.isOver) figures.push(counted('years_paid', 20, 'years', '§25 EEG 2023'));
  return lineOf(piece, 'feed_in', {
    ...{ net: paid.times(price), quantity: paid, unit: 'kWh', unitPrice: price, figures },
    ...(rate.isTaxExempt && { vatRate: '0' }),
  });
}
