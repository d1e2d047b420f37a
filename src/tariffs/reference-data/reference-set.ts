import {
  type EegKind,
  type LevyCode,
  SAVINGS_PARAMETER_UNITS,
  type SavingsParameterCode,
  USAGE_GROUP_CODES,
  type UsageGroupCode,
} from './codes.ts';
import { type CountingRow, carriedOf, countingRows } from './counting-rows.ts';
import type { CarriedForward, Figure, MeteringFee } from './figures.ts';
import type { NationalRows, TextRow } from './queries.ts';
import { unitOf } from './units.ts';
import { MissingReferenceError } from './validity.ts';

export type { LevyCode, SavingsParameterCode } from './codes.ts';

/** Every row of the whole country that counts on one price date. What has none throws MissingReferenceError. */
export interface ReferenceSet {
  /** The price date: YYYY-MM-DD in Europe/Berlin. */
  readonly on: string;
  /** A share: 0.19. Looked up when it is read: rates of feed-in go back to days before its first row. */
  readonly vatRate: Figure;
  /** ct/kWh net. */
  levy(code: LevyCode): Figure;
  /** The caps of the law. */
  readonly meteringFees: readonly MeteringFee[];
  /**
   * The fees of a metering operator: its own row of a case, where it ever had one, in the place of the cap. Bills go by them and
   * carry nothing forward, so that a row that ended stays, marked, however long ago that is.
   */
  meteringFeesOf(meteringOperator: string): readonly MeteringFee[];
  /** ct/kWh net, of plants commissioned on the price date. */
  eegRate(kind: EegKind, upToKw: number): { readonly value: Figure; readonly tariff: Figure };
  /** ct/kWh net. */
  readonly solarMarketValue: () => Figure;
  /** ct/kWh net: what counts where too few prices are stored for a mean. */
  readonly publishedDayAheadMean: () => Figure | undefined;
  benchmark(): { readonly baseFeeYearGross: Figure; readonly energy: Figure };
  savingsParameter(code: SavingsParameterCode): Figure;
  /** kWh a year of households of a size, the smallest first; those that have a row. */
  readonly usageGroups: readonly { readonly code: UsageGroupCode; readonly kwhYear: Figure }[];
}

/** With what only the grid of a zip asks for. */
export interface NationalFigures {
  readonly reference: ReferenceSet;
  /** ct/kWh net of a class of municipalities. */
  concessionFee(concessionClass: string): Figure;
  readonly carriedForward: readonly CarriedForward[];
}

export function nationalFigures(rows: NationalRows, on: string): NationalFigures {
  const vatRates = countingRows('vat_rates', rows.vat_rates, () => '', on);
  const levies = countingRows('levies', rows.levies, ({ code }) => code, on);
  const concessionFees = countingRows('concession_fees', rows.concession_fees, (row) => row.class, on);
  const feesByOperator = Map.groupBy(rows.metering_fees, (row) => row.metering_operator);
  const meteringFees = countingRows('metering_fees', feesByOperator.get(null) ?? [], (row) => row.case, on);
  const eegRates = countingRows('eeg_rates', rows.eeg_rates, (row) => eegKey(row.kind, row.up_to_kw), on);
  const marketValues = countingRows('market_values', rows.market_values, ({ code }) => code, on);
  const benchmarks = countingRows('benchmarks', rows.benchmarks, () => '', on);
  const parameters = countingRows('savings_parameters', rows.savings_parameters, ({ code }) => code, on);
  const groups = countingRows('usage_groups', rows.usage_groups, ({ code }) => code, on);
  const series = [
    vatRates,
    levies,
    concessionFees,
    meteringFees,
    eegRates,
    marketValues,
    benchmarks,
    parameters,
    groups,
  ];

  function found<Row>(table: string, of: ReadonlyMap<string, CountingRow<Row>>, key: string) {
    const counting = of.get(key);
    if (counting === undefined) throw new MissingReferenceError(table, key, on);
    return counting;
  }

  const caps = Object.freeze([...meteringFees.values()].map(meteringFee));
  const reference: ReferenceSet = Object.freeze({
    on,
    get vatRate() {
      return figure(found('vat_rates', vatRates, ''), 'rate');
    },
    levy: (code: LevyCode) => figure(found('levies', levies, code), 'ct_net'),
    meteringFees: caps,
    meteringFeesOf: (operator: string) => {
      const own = feesByOperator.get(operator) ?? [];
      const keyOf = (row: { case: string }) => `${operator} ${row.case}`;
      const fees = [...countingRows('metering_fees', own, keyOf, on, Number.POSITIVE_INFINITY).values()].map(
        meteringFee,
      );
      return [...fees, ...caps.filter((cap) => fees.every((fee) => fee.case !== cap.case))];
    },
    eegRate: (kind: EegKind, upToKw: number) => {
      const rate = found('eeg_rates', eegRates, eegKey(kind, String(upToKw)));
      return { value: figure(rate, 'value_ct_net'), tariff: figure(rate, 'tariff_ct_net') };
    },
    solarMarketValue: () => figure(found('market_values', marketValues, 'solar_market_value'), 'ct_net'),
    publishedDayAheadMean: () => {
      const mean = marketValues.get('day_ahead_mean');
      return mean && figure(mean, 'ct_net');
    },
    benchmark: () => {
      const benchmark = found('benchmarks', benchmarks, '');
      return {
        baseFeeYearGross: figure(benchmark, 'base_fee_eur_year_gross'),
        energy: figure(benchmark, 'energy_ct_net'),
      };
    },
    savingsParameter: (code: SavingsParameterCode) => {
      const { row, origin } = found('savings_parameters', parameters, code);
      return Object.freeze({ value: row.value, unit: SAVINGS_PARAMETER_UNITS[code], origin });
    },
    usageGroups: USAGE_GROUP_CODES.flatMap((code) => {
      const row = groups.get(code);
      return row === undefined ? [] : [{ code, kwhYear: figure(row, 'kwh_year') }];
    }),
  });
  return Object.freeze({
    reference,
    concessionFee: (concessionClass: string) =>
      figure(found('concession_fees', concessionFees, concessionClass), 'ct_net'),
    carriedForward: carriedOf(series.flatMap((of) => [...of.values()].map(({ origin }) => origin))),
  });
}

const eegKey = (kind: string, upToKw: string) => `${kind} ${upToKw}`;

/** The figure in one column of a row. */
export function figure<Column extends string>(
  { row, origin }: CountingRow<Readonly<Record<Column, string>>>,
  column: Column,
): Figure {
  return Object.freeze({ value: row[column], unit: unitOf(column), origin });
}

function meteringFee(counting: CountingRow<TextRow<'metering_fees'>>): MeteringFee {
  const { row } = counting;
  return Object.freeze({
    case: row.case,
    meter: meterOf(row.meter),
    overKwh: row.over_kwh,
    upToKwh: row.up_to_kwh,
    overPvKw: row.over_pv_kw,
    upToPvKw: row.up_to_pv_kw,
    needs14aModule: row.needs_14a_module === 'true',
    fee: figure(counting, 'eur_year_gross'),
  });
}

function meterOf(text: string): MeteringFee['meter'] {
  return text === 'analog' || text === 'smart' ? text : 'other';
}
