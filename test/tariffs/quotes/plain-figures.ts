import type { ConsumptionPricing, GridFeeModules } from '../../../src/tariffs/quotes/consumption.ts';
import type { Figure, GridFigures, MeteringFee } from '../../../src/tariffs/reference-data/figures.ts';
import type { LevyCode, ReferenceSet } from '../../../src/tariffs/reference-data/reference-set.ts';

/* Figures as the engine takes them, without a database. The values are made up; examples on real ones go through HTTP. */

export function figure(value: string, table = 'test', key = ''): Figure {
  return {
    value,
    unit: 'of the test',
    origin: {
      ...{ table, key, valid_from: '2026-01-01', valid_to: null, source: 'tests' },
      ...{ checked_on: null, is_carried_forward: false },
    },
  };
}

export function meteringCase(
  meter: MeteringFee['meter'],
  eurYear: string,
  rest: Partial<MeteringFee> = {},
): MeteringFee {
  return {
    case: `${meter} ${eurYear}`,
    meter,
    ...{ overKwh: null, upToKwh: null, overPvKw: null, upToPvKw: null, needs14aModule: false },
    fee: figure(eurYear, 'metering_fees'),
    ...rest,
  };
}

/** The cases of §30 MsbG, dearest first, so that the order decides nothing. */
export const METERING_FEES: readonly MeteringFee[] = [
  meteringCase('other', '500'),
  meteringCase('smart', '300', { overPvKw: '25', upToPvKw: '100' }),
  meteringCase('smart', '200', { overPvKw: '7' }),
  meteringCase('smart', '110', { overKwh: '20000', upToKwh: '50000' }),
  meteringCase('smart', '50', { overKwh: '10000', upToKwh: '20000' }),
  meteringCase('smart', '50', { needs14aModule: true }),
  meteringCase('smart', '40', { overKwh: '6000', upToKwh: '10000' }),
  meteringCase('smart', '30', { upToKwh: '6000' }),
  meteringCase('analog', '25'),
];

interface PlainReference {
  vatRate?: string;
  levies?: Partial<Record<LevyCode, string>>;
  meteringFees?: readonly MeteringFee[];
  eeg?: { value: string; tariff: string };
  solarMarketValue?: string;
}

export function plainReference(given: PlainReference = {}): ReferenceSet {
  const levies = { stromsteuer: '2.05', offshore: '0.941', besondere_netznutzung: '1.559', kwkg: '0.446' };
  const eeg = given.eeg ?? { value: '8.10', tariff: '7.70' };
  return {
    on: '2026-11-20',
    vatRate: figure(given.vatRate ?? '0.19', 'vat_rates'),
    levy: (code) => figure({ ...levies, ...given.levies }[code], 'levies', code),
    meteringFees: given.meteringFees ?? METERING_FEES,
    meteringFeesOf: () => given.meteringFees ?? METERING_FEES,
    eegRate: () => ({ value: figure(eeg.value, 'eeg_rates'), tariff: figure(eeg.tariff, 'eeg_rates') }),
    solarMarketValue: () => figure(given.solarMarketValue ?? '5.875', 'market_values'),
    publishedDayAheadMean: () => undefined,
    benchmark: () => ({ baseFeeYearGross: figure('36'), energy: figure('14.54') }),
    savingsParameter: () => figure('1'),
    usageGroups: [],
  };
}

interface PlainGrid {
  basePriceYear?: string;
  workingPrice?: string;
  module1CreditYear?: string;
  module2Price?: string;
  schedule?: { low: string; standard: string; high: string; shareOfYear: string } | null;
}

export function plainGrid(given: PlainGrid = {}): GridFigures {
  const origin = figure('0', 'grid_fee_schedules', 'test-netz').origin;
  const schedule = given.schedule ?? null;
  return {
    operator: 'test-netz',
    name: 'Test Netz',
    zipArea: figure('1', 'zip_areas', '12345').origin,
    basePriceYear: figure(given.basePriceYear ?? '80.30', 'grid_fees', 'test-netz'),
    workingPrice: figure(given.workingPrice ?? '9.53', 'grid_fees', 'test-netz'),
    module1CreditYear: figure(given.module1CreditYear ?? '138.70', 'grid_fees', 'test-netz'),
    module2Price: figure(given.module2Price ?? '3.81', 'grid_fees', 'test-netz'),
    concessionFee: figure('1.99', 'concession_fees', 'T3'),
    schedule: schedule && {
      ...schedule,
      quarters: [1, 4],
      lowWindows: [{ fromMinute: 0, untilMinute: 360 }],
      highWindows: [{ fromMinute: 1020, untilMinute: 1200 }],
      weights: { low: '0.2', standard: '0.5', high: '0.3' },
      origin,
    },
    carriedForward: [],
  };
}

export const NONE: GridFeeModules = { module1: false, module2: false, module3: false };

export function pricingOf(given: Partial<ConsumptionPricing> = {}): ConsumptionPricing {
  return {
    ...{ kwh: '2500', rate: '0', modules: NONE, meter: 'analog' },
    terms: { base_fee_net: '5.00', margin_ct_net: '1.80' },
    reference: plainReference(),
    grid: plainGrid(),
    dayAheadMean: figure('8.932', 'day_ahead_means'),
    ...given,
  };
}
