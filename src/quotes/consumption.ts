import type { Decimal } from 'decimal.js';
import { Exact, euros, roundUnitPrice, withVat } from '../platform/money.ts';
import type { Figure, GridFigures, MeteringFee } from '../tariffs/figures.ts';
import { blendedPrice } from '../tariffs/grid-bands.ts';
import type { LevyCode, ReferenceSet } from '../tariffs/reference-set.ts';
import { MissingReferenceError } from '../tariffs/validity.ts';
import type { QuoteRow } from './rows.ts';

export type { QuoteRow } from './rows.ts';

/** Reductions of grid fees for controllable devices (§14a EnWG, BNetzA BK8-22/010-A). */
export interface GridFeeModules {
  readonly module1: boolean;
  readonly module2: boolean;
  readonly module3: boolean;
}

/** All that the price of a consumption plan depends on. Figures are decimal texts; nothing is a binary float. */
export interface ConsumptionPricing {
  /** A year. */
  readonly kwh: string;
  /** Share of the energy price that shifting of load saves, 0 to 1. */
  readonly rate: string;
  readonly modules: GridFeeModules;
  readonly meter: 'analog' | 'smart';
  readonly terms: { readonly base_fee_net: string; readonly margin_ct_net: string };
  readonly reference: ReferenceSet;
  readonly grid: GridFigures;
  readonly dayAheadMean: Figure;
  /** Where several cases are compared that share one meter; else the fee that fits. */
  readonly meteringFee?: MeteringFee;
}

const MONTHS = 12;

/** In the order of the bill. They are the same rows whatever the amount; who may have a module was decided before. */
export function consumptionRows(pricing: ConsumptionPricing): readonly QuoteRow[] {
  const price: Price = { ...pricing, workingPrice: workingPriceOf(pricing) };
  const energy = energyRow(price);
  return [
    baseFeeRow(price),
    ...gridBaseRows(price),
    meteringRow(price),
    energy,
    ...optimizationRows(price, energy),
    ...marginRows(price),
    ...gridEnergyRows(price),
    ...levyRows(price),
  ];
}

/** A pricing whose grid price per kWh is known, in ct net: not rounded before it enters a row. */
interface Price extends ConsumptionPricing {
  readonly workingPrice: { readonly ct: Decimal; readonly figure: Figure };
}

/** With module 3 the three prices of the schedule, weighted with the standard profile of a household. */
function workingPriceOf({ modules, grid }: ConsumptionPricing): Price['workingPrice'] {
  if (!modules.module3) return { ct: new Exact(grid.workingPrice.value), figure: grid.workingPrice };
  if (grid.schedule === null) throw new Error(`${grid.operator} publishes no prices of module 3`);
  const ct = blendedPrice(grid.schedule);
  return { ct, figure: { value: ct.toFixed(), unit: 'ct/kWh net', origin: grid.schedule.origin } };
}

function baseFeeRow({ terms, reference }: Price): QuoteRow {
  const amount = roundUnitPrice(withVat(terms.base_fee_net, reference.vatRate.value));
  return { group: 'base', subgroup: 'fee', name: 'Grundgebühr', amount, figures: [reference.vatRate] };
}

function gridBaseRows(price: Price): QuoteRow[] {
  const { modules, grid, reference } = price;
  const rows: QuoteRow[] = [];
  /* Module 2 is a metering point of its own for the device: it has no base price. */
  if (!modules.module2) {
    rows.push({
      ...{ group: 'base', subgroup: 'grid', name: 'Netzentgelte' },
      amount: monthly(withVat(grid.basePriceYear.value, reference.vatRate.value)),
      figures: [grid.basePriceYear, reference.vatRate],
    });
  }
  if (modules.module1) rows.push(module1Row(price));
  return rows;
}

/** The credit may bring the grid fees of a year down to zero and not below (BK8-22/010-A, module 1). */
function module1Row({ kwh, grid, workingPrice, reference }: Price): QuoteRow {
  const gridFeesOfYear = euros(workingPrice.ct.times(kwh)).plus(grid.basePriceYear.value);
  const credit = Exact.min(grid.module1CreditYear.value, gridFeesOfYear);
  return {
    ...{ group: 'base', subgroup: 'grid' },
    name: 'Pauschale Netzentgeltreduktion (§14a EnWG Modul 1)',
    amount: monthly(withVat(credit, reference.vatRate.value).negated()),
    figures: [grid.module1CreditYear, grid.basePriceYear, workingPrice.figure, reference.vatRate],
  };
}

/** Caps of §30 MsbG hold for amounts with VAT. */
function meteringRow(price: Price): QuoteRow {
  const { fee } = price.meteringFee ?? meteringFeeOf(price);
  return {
    ...{ group: 'base', subgroup: 'metering', name: 'Messstellengebühren' },
    amount: monthly(fee.value),
    figures: [fee],
  };
}

/** Of the cases that fit a meter only the highest counts (§30(5) MsbG). */
export function meteringFeeOf(
  pricing: Pick<ConsumptionPricing, 'kwh' | 'modules' | 'meter' | 'reference'>,
): MeteringFee {
  const { meter, reference } = pricing;
  const fitting = reference.meteringFees.filter((fee) => isFitting(fee, pricing));
  const [highest] = fitting.toSorted((one, other) => new Exact(other.fee.value).comparedTo(one.fee.value));
  if (highest === undefined) throw new MissingReferenceError('metering_fees', meter, reference.on);
  return highest;
}

/** Nobody who asks for a price says how large a solar plant is: cases by its size are for bills. */
function isFitting(
  fee: MeteringFee,
  { kwh, modules, meter }: Pick<ConsumptionPricing, 'kwh' | 'modules' | 'meter'>,
): boolean {
  if (fee.meter !== meter || fee.overPvKw !== null || fee.upToPvKw !== null) return false;
  if (fee.needs14aModule && !(modules.module1 || modules.module2 || modules.module3)) return false;
  const yearly = new Exact(kwh);
  return (
    (fee.overKwh === null || yearly.greaterThan(fee.overKwh)) &&
    (fee.upToKwh === null || yearly.lessThanOrEqualTo(fee.upToKwh))
  );
}

function energyRow({ dayAheadMean, reference }: Price): QuoteRow {
  return {
    ...{ group: 'variable', subgroup: 'energy', name: 'EPEX Day-Ahead Preis (12m avg.)' },
    amount: perKwh(dayAheadMean.value, reference),
    figures: [dayAheadMean, reference.vatRate],
  };
}

/** Of the energy row as it is shown, rounded, so that a reader can do the sum. A row of 0 is none. */
function optimizationRows({ rate }: Price, energy: QuoteRow): QuoteRow[] {
  const amount = roundUnitPrice(energy.amount.times(rate).negated());
  if (!amount.isNegative()) return [];
  return [
    {
      ...{ group: 'variable', subgroup: 'optimization', name: 'Optimierung (Lastverschiebung)' },
      amount,
      figures: energy.figures,
    },
  ];
}

function marginRows({ terms, reference }: Price): QuoteRow[] {
  if (new Exact(terms.margin_ct_net).isZero()) return [];
  return [
    {
      ...{ group: 'variable', subgroup: 'fee', name: 'Beschaffung' },
      amount: perKwh(terms.margin_ct_net, reference),
      figures: [reference.vatRate],
    },
  ];
}

function gridEnergyRows({ modules, grid, workingPrice, reference }: Price): QuoteRow[] {
  const rows: QuoteRow[] = [
    {
      ...{ group: 'variable', subgroup: 'grid', name: 'Netzentgelte' },
      amount: perKwh(workingPrice.ct, reference),
      figures: [workingPrice.figure, reference.vatRate],
    },
  ];
  if (modules.module2) {
    const reduction = workingPrice.ct.minus(grid.module2Price.value);
    rows.push({
      ...{ group: 'variable', subgroup: 'grid' },
      name: 'Prozentuale Netzentgeltreduktion (§14a EnWG Modul 2)',
      amount: perKwh(reduction.negated(), reference),
      figures: [workingPrice.figure, grid.module2Price, reference.vatRate],
    });
  }
  return rows;
}

const LEVIES: readonly (readonly [LevyCode, string])[] = [
  ['stromsteuer', 'Stromsteuer'],
  ['offshore', 'Offshore-Netzumlage'],
  ['besondere_netznutzung', 'Aufschlag für besondere Netznutzung'],
  ['kwkg', 'KWKG-Umlage'],
];

/** §2 KAV, §3 StromStG, §17f EnWG, §19 StromNEV, §26 KWKG. */
function levyRows({ grid, reference }: Price): QuoteRow[] {
  const row = (name: string, figure: Figure): QuoteRow => ({
    ...{ group: 'variable', subgroup: 'levies', name },
    amount: perKwh(figure.value, reference),
    figures: [figure, reference.vatRate],
  });
  return [
    row('Konzessionsabgabe', grid.concessionFee),
    ...LEVIES.map(([code, name]) => row(name, reference.levy(code))),
  ];
}

/** EUR of a year as EUR of a month. */
function monthly(gross: Decimal.Value): Decimal {
  return roundUnitPrice(new Exact(gross).dividedBy(MONTHS));
}

/** ct net as EUR with VAT. */
function perKwh(ctNet: Decimal.Value, { vatRate }: ReferenceSet): Decimal {
  return roundUnitPrice(euros(withVat(ctNet, vatRate.value)));
}
