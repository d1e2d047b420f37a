import type { GridFigures } from '../../../tariffs/reference-data/figures.ts';
import type { LevyCode, ReferenceSet } from '../../../tariffs/reference-data/reference-set.ts';
import { missingRow, refuseEndedRows, required, rowName, validFigure } from './strict.ts';

/*
 * Days on which the same rows count have the same name; where it changes, a new piece of the bill begins. Names are kept with
 * the price lists they were made of: a run of 100,000 contracts asks three million times.
 */

export const LEVIES = [
  'stromsteuer',
  'offshore',
  'besondere_netznutzung',
  'kwkg',
] as const satisfies LevyCode[];

const nationalNames = new WeakMap<ReferenceSet, Map<string, string>>();
const gridNames = new WeakMap<GridFigures, Map<string, string>>();

/** Rows of the whole country that a consumption contract with this metering operator is billed by. */
export function consumptionRowsName(reference: ReferenceSet, operator: string | null, day: string): string {
  return keptName(nationalNames, reference, `consumption ${operator}`, () => {
    const figures = [reference.vatRate, ...LEVIES.map((code) => required(day, () => reference.levy(code)))];
    for (const figure of figures) validFigure(figure, day);
    /* Which of the fees counts depends on the contract; the one that does is looked at there. */
    const fees = reference.meteringFeesOf(operator).map(({ fee }) => fee);
    return [...figures, ...fees].map(rowName).join('|');
  });
}

/** Rows of the whole country that feed-in is billed by, beside the rates of the plant. */
export function feedInRowsName(reference: ReferenceSet, withMarketValue: boolean, day: string): string {
  return keptName(nationalNames, reference, `feed_in ${withMarketValue}`, () => {
    const figures = withMarketValue
      ? [reference.vatRate, required(day, () => reference.solarMarketValue())]
      : [reference.vatRate];
    return figures.map((figure) => rowName(validFigure(figure, day))).join('|');
  });
}

/** Rows of the grid operator of a place. */
export function gridRowsName(grid: GridFigures, withSchedule: boolean, day: string): string {
  return keptName(gridNames, grid, `${withSchedule}`, () => {
    const { operator, schedule, zipArea } = grid;
    if (withSchedule && schedule === null)
      throw missingRow({ table: 'grid_fee_schedules', key: operator }, day);
    refuseEndedRows(grid, day, withSchedule);
    const figures = [
      { value: operator, origin: zipArea },
      ...[grid.basePriceYear, grid.workingPrice, grid.module1CreditYear, grid.module2Price],
      grid.concessionFee,
    ];
    const names = figures.map(rowName);
    if (withSchedule && schedule !== null) names.push(JSON.stringify(schedule));
    return names.join('|');
  });
}

function keptName<Owner extends object>(
  names: WeakMap<Owner, Map<string, string>>,
  owner: Owner,
  key: string,
  make: () => string,
): string {
  const ofOwner = names.get(owner) ?? new Map<string, string>();
  names.set(owner, ofOwner);
  const name = ofOwner.get(key) ?? make();
  ofOwner.set(key, name);
  return name;
}
