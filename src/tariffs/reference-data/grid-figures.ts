import { clockWindows } from './clock-windows.ts';
import { carriedOf } from './counting-rows.ts';
import type { Figure, GridFeeSchedule, GridFigures } from './figures.ts';
import { hourShares } from './grid-bands.ts';
import { module1Net, module2Net } from './module-formulas.ts';
import type { TextRow } from './queries.ts';
import { figure, type NationalFigures } from './reference-set.ts';
import type { ServingGrid } from './serving-grid.ts';
import { unitOf } from './units.ts';

/** What the grid costs, by the rows of its operator. */
export function gridFiguresOf(grid: ServingGrid, national: NationalFigures): GridFigures {
  const { area, zipArea, fee, details, schedule } = grid;
  const workingPrice = figure(fee, 'working_ct_net');
  const concessionFee = national.concessionFee(area.concession_class);
  const published = (column: 'module_1_eur_year_net' | 'module_2_ct_net', formula: () => string): Figure =>
    Object.freeze({
      value: fee.row[column] ?? formula(),
      unit: unitOf(column),
      origin: fee.origin,
    });
  return Object.freeze({
    operator: area.operator,
    name: details?.name ?? area.operator,
    zipArea,
    basePriceYear: figure(fee, 'base_eur_year_net'),
    workingPrice,
    module1CreditYear: published('module_1_eur_year_net', () =>
      module1Net(workingPrice.value, national.reference.vatRate.value).toFixed(2),
    ),
    module2Price: published('module_2_ct_net', () => module2Net(workingPrice.value).toFixed(2)),
    concessionFee,
    schedule: schedule ? Object.freeze({ ...gridFeeSchedule(schedule.row), origin: schedule.origin }) : null,
    carriedForward: Object.freeze([...grid.carriedForward, ...carriedOf([concessionFee.origin])]),
  });
}

export function gridFeeSchedule(row: TextRow<'grid_fee_schedules'>): Omit<GridFeeSchedule, 'origin'> {
  const lowWindows = clockWindows(row.low_windows) ?? [];
  const highWindows = clockWindows(row.high_windows) ?? [];
  const { weight_low: low, weight_standard: standard, weight_high: high } = row;
  const isWeighted = low !== null && standard !== null && high !== null;
  return {
    low: row.low_ct_net,
    standard: row.standard_ct_net,
    high: row.high_ct_net,
    quarters: Object.freeze(row.quarters.split(';').map(Number)),
    lowWindows: Object.freeze(lowWindows),
    highWindows: Object.freeze(highWindows),
    weights: Object.freeze(isWeighted ? { low, standard, high } : hourShares(lowWindows, highWindows)),
    shareOfYear: row.share_of_year,
  };
}
