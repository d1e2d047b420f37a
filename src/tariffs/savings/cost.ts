import type { Decimal } from 'decimal.js';
import { Exact, euros, roundAmount, roundUnitPrice, withVat } from '../../platform/money.ts';
import {
  type ConsumptionPricing,
  consumptionRows,
  meteringFeeOf,
  type QuoteRow,
} from '../quotes/consumption.ts';
import type { Figure } from '../reference-data/figures.ts';
import type { DescribedHousehold } from './household.ts';
import type { SavingsRequest } from './schema.ts';

/*
 * The cost of a year, EUR with VAT: before, and with the plan in four steps. Every row is that of a quote, rounded as the
 * quote rounds it, so that a client can check the sums.
 */

export interface YearCost {
  readonly base: Decimal;
  readonly variable: Decimal;
  readonly sum: Decimal;
}

/** One step: its rows as the quote has them, and what they come to in a year. */
export interface PricedStep {
  readonly rows: readonly QuoteRow[];
  readonly cost: YearCost;
}

export interface SavingsCosts {
  readonly before: PricedBefore;
  /** No module, no optimization. */
  readonly plain: PricedStep;
  /** With module 1, if it is earned. */
  readonly withModule1: PricedStep;
  /** With module 3 beside it, if it is earned. */
  readonly withModule3: PricedStep;
  /** With the optimization too: the finished result. */
  readonly after: PricedStep;
}

export interface PricedBefore {
  /** Of grid, metering and levies, which are the same at every supplier. */
  readonly rows: readonly QuoteRow[];
  readonly cost: YearCost;
  /** The benchmark, base fee and energy; empty where the current tariff was sent. */
  readonly supplierFigures: readonly Figure[];
}

/** What a plan is priced by, with the household as `described`. */
export type Pricing = Pick<ConsumptionPricing, 'terms' | 'reference' | 'grid' | 'dayAheadMean'>;

const MONTHS = 12;

export function savingsCosts(
  described: DescribedHousehold,
  pricing: Pricing,
  currentTariff: SavingsRequest['current_tariff'],
): SavingsCosts {
  const kwh = described.consumption;
  const finished: ConsumptionPricing = {
    ...pricing,
    kwh: kwh.toFixed(),
    rate: described.rate.toFixed(),
    meter: described.meter,
    modules: { module1: described.module1, module2: false, module3: described.module3 },
  };
  /*
   * Every step has the metering fee of the finished result, because another meter belongs to the tariff and not to a
   * module.
   */
  const meteringFee = meteringFeeOf(finished);
  const step = (rate: string, modules: { module1: boolean; module3: boolean }): PricedStep => {
    const rows = consumptionRows({ ...finished, rate, modules: { ...modules, module2: false }, meteringFee });
    const baseYear = sumOf(rows, 'base').times(MONTHS);
    return { rows, cost: yearCost(baseYear, sumOf(rows, 'variable'), kwh) };
  };
  const { module1, module3 } = described;
  return {
    before: costBefore(finished, kwh, currentTariff),
    plain: step('0', { module1: false, module3: false }),
    withModule1: step('0', { module1, module3: false }),
    withModule3: step('0', { module1, module3 }),
    after: step(finished.rate, { module1, module3 }),
  };
}

/**
 * The supplier's part is the current tariff's or the benchmark's. Grid, metering and levies are rows of the quote for an
 * analog meter without modules, so that the tariff lines compare suppliers and nothing else.
 */
function costBefore(
  finished: ConsumptionPricing,
  kwh: Decimal,
  currentTariff: SavingsRequest['current_tariff'],
): PricedBefore {
  const modules = { module1: false, module2: false, module3: false };
  const rows = consumptionRows({ ...finished, rate: '0', meter: 'analog', modules }).filter(
    isOfEverySupplier,
  );
  const gridAndMetering = sumOf(rows, 'base').times(MONTHS);
  if (currentTariff !== undefined) {
    const baseYear = gridAndMetering.plus(currentTariff.base_fee);
    /* Its price per kWh holds grid and levies already. */
    const counted = rows.filter(({ group }) => group === 'base');
    return {
      rows: counted,
      supplierFigures: [],
      cost: yearCost(baseYear, new Exact(currentTariff.var_fee), kwh),
    };
  }
  const { baseFeeYearGross, energy } = finished.reference.benchmark();
  const energyRow = roundUnitPrice(euros(withVat(energy.value, finished.reference.vatRate.value)));
  return {
    rows,
    supplierFigures: [baseFeeYearGross, energy],
    cost: yearCost(
      gridAndMetering.plus(baseFeeYearGross.value),
      energyRow.plus(sumOf(rows, 'variable')),
      kwh,
    ),
  };
}

function isOfEverySupplier({ subgroup }: QuoteRow): boolean {
  return subgroup === 'grid' || subgroup === 'metering' || subgroup === 'levies';
}

/** EUR a month of `base`, EUR per kWh of `variable`. */
function sumOf(rows: readonly QuoteRow[], group: QuoteRow['group']): Decimal {
  return rows
    .filter((row) => row.group === group)
    .reduce((sum, { amount }) => sum.plus(amount), new Exact(0));
}

function yearCost(baseYear: Decimal, perKwh: Decimal, kwh: Decimal): YearCost {
  const base = roundAmount(baseYear);
  const variable = roundAmount(perKwh.times(kwh));
  return { base, variable, sum: base.plus(variable) };
}
