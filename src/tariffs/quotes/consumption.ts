import type { Decimal } from 'decimal.js';
import { Exact, euros, roundUnitPrice, withVat } from '../../platform/money.ts';
import type { Figure, GridFeeSchedule, GridFigures, MeteringFee } from '../reference-data/figures.ts';
import { blendedPrice } from '../reference-data/grid-bands.ts';
import { highestMeteringFee } from '../reference-data/metering-fee.ts';
import type { LevyCode, ReferenceSet } from '../reference-data/reference-set.ts';
import { MissingReferenceError } from '../reference-data/validity.ts';
import { keptAmount } from './kept-amounts.ts';
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

/** A pricing whose grid price per kWh is known: not rounded before it enters a row. */
interface Price extends ConsumptionPricing {
  readonly workingPrice: Figure;
}

/** With module 3 the three prices of the schedule, weighted with the standard profile of a household. */
function workingPriceOf({ modules, grid }: ConsumptionPricing): Figure {
  if (!modules.module3) return grid.workingPrice;
  if (grid.schedule === null) throw new Error(`${grid.operator} publishes no prices of module 3`);
  const known = blendedPrices.get(grid.schedule);
  if (known !== undefined) return known;
  const value = blendedPrice(grid.schedule).toFixed();
  const blended = { value, unit: 'ct/kWh net', origin: grid.schedule.origin };
  blendedPrices.set(grid.schedule, blended);
  return blended;
}

const blendedPrices = new WeakMap<GridFeeSchedule, Figure>();

function baseFeeRow({ terms, reference: { vatRate } }: Price): QuoteRow {
  const amount = keptAmount('EUR/month net', [terms.base_fee_net, vatRate.value], () =>
    roundUnitPrice(withVat(terms.base_fee_net, vatRate.value)),
  );
  return { group: 'base', subgroup: 'fee', name: 'Grundgebühr', amount, figures: [vatRate] };
}

function gridBaseRows(price: Price): QuoteRow[] {
  const { modules, grid } = price;
  const { vatRate } = price.reference;
  const { basePriceYear } = grid;
  const rows: QuoteRow[] = [];
  /* Module 2 is a metering point of its own for the device: it has no base price. */
  if (!modules.module2) {
    rows.push({
      ...{ group: 'base', subgroup: 'grid', name: 'Netzentgelte' },
      amount: keptAmount('EUR/year net', [basePriceYear.value, vatRate.value], () =>
        monthly(withVat(basePriceYear.value, vatRate.value)),
      ),
      figures: [basePriceYear, vatRate],
    });
  }
  if (modules.module1) rows.push(module1Row(price));
  return rows;
}

/** The credit may bring the grid fees of a year down to zero and not below (BK8-22/010-A, module 1). */
function module1Row({ kwh, grid, workingPrice, reference }: Price): QuoteRow {
  const gridFeesOfYear = euros(new Exact(workingPrice.value).times(kwh)).plus(grid.basePriceYear.value);
  const credit = Exact.min(grid.module1CreditYear.value, gridFeesOfYear);
  return {
    ...{ group: 'base', subgroup: 'grid' },
    name: 'Pauschale Netzentgeltreduktion (§14a EnWG Modul 1)',
    amount: monthly(withVat(credit, reference.vatRate.value).negated()),
    figures: [grid.module1CreditYear, grid.basePriceYear, workingPrice, reference.vatRate],
  };
}

/** Caps of §30 MsbG hold for amounts with VAT. */
function meteringRow(price: Price): QuoteRow {
  const { fee } = price.meteringFee ?? meteringFeeOf(price);
  return {
    ...{ group: 'base', subgroup: 'metering', name: 'Messstellengebühren' },
    amount: keptAmount('EUR/year gross', [fee.value], () => monthly(fee.value)),
    figures: [fee],
  };
}

/** Nobody who asks for a price says how large a solar plant is: cases by its size are for bills. */
export function meteringFeeOf(
  pricing: Pick<ConsumptionPricing, 'kwh' | 'modules' | 'meter' | 'reference'>,
): MeteringFee {
  const { kwh, meter, modules, reference } = pricing;
  const has14aModule = modules.module1 || modules.module2 || modules.module3;
  const fee = highestMeteringFee(reference.meteringFees, { meter, kwh, pvKw: null, has14aModule });
  if (fee === undefined) throw new MissingReferenceError('metering_fees', meter, reference.on);
  return fee;
}

function energyRow({ dayAheadMean, reference }: Price): QuoteRow {
  return {
    ...{ group: 'variable', subgroup: 'energy', name: 'EPEX Day-Ahead Preis (12m avg.)' },
    amount: perKwh(dayAheadMean.value, reference),
    figures: [dayAheadMean, reference.vatRate],
  };
}

/** Calculated from the energy row as shown, rounded, so that a reader can do the sum. A row of 0 is none. */
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
      amount: perKwh(workingPrice.value, reference),
      figures: [workingPrice, reference.vatRate],
    },
  ];
  if (modules.module2) {
    const { vatRate } = reference;
    const { module2Price } = grid;
    rows.push({
      ...{ group: 'variable', subgroup: 'grid' },
      name: 'Prozentuale Netzentgeltreduktion (§14a EnWG Modul 2)',
      amount: keptAmount('module 2', [workingPrice.value, module2Price.value, vatRate.value], () =>
        grossPerKwh(new Exact(module2Price.value).minus(workingPrice.value), vatRate),
      ),
      figures: [workingPrice, module2Price, vatRate],
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
function perKwh(ctNet: string, { vatRate }: ReferenceSet): Decimal {
  return keptAmount('ct/kWh net', [ctNet, vatRate.value], () => grossPerKwh(ctNet, vatRate));
}

function grossPerKwh(ctNet: Decimal.Value, vatRate: Figure): Decimal {
  return roundUnitPrice(euros(withVat(ctNet, vatRate.value)));
}
