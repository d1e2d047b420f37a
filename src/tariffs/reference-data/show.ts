import type { Connection } from '../../platform/database/db.ts';
import { EEG_KINDS, EEG_SIZES_KW, LEVY_CODES, SAVINGS_PARAMETER_CODES } from './codes.ts';
import type { Figure, GridFigures } from './figures.ts';
import { gridFiguresOf } from './grid-figures.ts';
import { findNationalRows, findZipRows } from './queries.ts';
import { nationalFigures, type ReferenceSet } from './reference-set.ts';
import { refusalOf, servingGrid } from './serving-grid.ts';
import { MissingReferenceError } from './validity.ts';

/** The operators that serve a zip on a day, and every figure that is used for it. */
export interface ZipShown {
  zip: string;
  date: string;
  city: string | null;
  municipality_key: string | null;
  operator: string;
  name: string;
  share: string;
  concession_class: string;
  provisional: boolean;
  module_1_from: 'price sheet' | 'formula';
  module_2_from: 'price sheet' | 'formula';
  /** The next four are null where the operator publishes no prices by the clock. */
  quarters: string | null;
  low_windows: string | null;
  high_windows: string | null;
  weights_from: 'profile' | 'hours of the day' | null;
  carried_forward: string[];
  figures: ShownFigure[];
}

/** A figure beside its row; null where no row counts on that day. */
export interface ShownFigure {
  figure: string;
  value: string | null;
  unit: string | null;
  table: string;
  key: string;
  valid_from: string | null;
  valid_to: string | null;
  source: string | null;
  checked_on: string | null;
  is_carried_forward: boolean;
}

/** Throws a sentence where the zip is not served. */
export async function showZip(connection: Connection, zip: string, on: string): Promise<ZipShown> {
  const answer = servingGrid(await findZipRows(connection, zip), on);
  if (answer.fee === undefined) throw new Error(`${zip} is not served on ${on}: ${refusalOf(answer)}`);
  const { area, fee, schedule } = answer;
  const national = nationalFigures(await findNationalRows(connection), on);
  const grid = gridFiguresOf(answer, national);
  const carried = [...grid.carriedForward, ...national.carriedForward];
  const texts = carried.map(({ table, key, endedOn }) =>
    [table, key, `(ended ${endedOn})`].filter(Boolean).join(' '),
  );
  const isPublished = (value: string | null) => (value === null ? 'formula' : 'price sheet');
  return {
    zip,
    date: on,
    city: area.city,
    municipality_key: area.municipality_key,
    operator: grid.operator,
    name: grid.name,
    share: area.share,
    concession_class: area.concession_class,
    provisional: fee.row.provisional === 'true',
    module_1_from: isPublished(fee.row.module_1_eur_year_net),
    module_2_from: isPublished(fee.row.module_2_ct_net),
    quarters: schedule?.row.quarters ?? null,
    low_windows: schedule?.row.low_windows ?? null,
    high_windows: schedule?.row.high_windows ?? null,
    weights_from:
      schedule === undefined ? null : schedule.row.weight_low === null ? 'hours of the day' : 'profile',
    carried_forward: [...new Set(texts)],
    figures: [...ofGrid(grid), ...ofCountry(national.reference, grid.operator)],
  };
}

function ofGrid(grid: GridFigures): ShownFigure[] {
  return [
    shown('base price', grid.basePriceYear),
    shown('working price', grid.workingPrice),
    shown('module 1 credit', grid.module1CreditYear),
    shown('module 2 working price', grid.module2Price),
    ...ofSchedule(grid),
    shown('concession fee', grid.concessionFee),
  ];
}

function ofSchedule({ schedule }: GridFigures): ShownFigure[] {
  if (schedule === null) return [];
  const { low, standard, high, weights, shareOfYear, origin } = schedule;
  const figure = (name: string, value: string, unit: string) =>
    shown(`module 3 ${name}`, { value, unit, origin });
  return [
    figure('low', low, 'ct/kWh net'),
    figure('standard', standard, 'ct/kWh net'),
    figure('high', high, 'ct/kWh net'),
    ...(['low', 'standard', 'high'] as const).map((band) => figure(`weight ${band}`, weights[band], 'share')),
    figure('share of the year', shareOfYear, 'share'),
  ];
}

function ofCountry(reference: ReferenceSet, operator: string): ShownFigure[] {
  const caps = reference.meteringFees;
  const own = reference.meteringFeesOf(operator).filter((fee) => !caps.includes(fee));
  const published = reference.publishedDayAheadMean();
  const mean =
    published === undefined ? [] : [shown('day-ahead mean, if too few prices are stored', published)];
  return [
    found('VAT', () => reference.vatRate),
    ...LEVY_CODES.map((code) => found(`levy ${code}`, () => reference.levy(code))),
    ...caps.map(({ fee }) => shown('metering fee', fee)),
    ...own.map(({ fee }) => shown('metering fee on bills', fee)),
    ...mean,
    found('solar market value', reference.solarMarketValue),
    ...EEG_KINDS.flatMap((kind) =>
      EEG_SIZES_KW.flatMap((size) => [
        found(`EEG value, ${kind}, ${size} kW`, () => reference.eegRate(kind, Number(size)).value),
        found(`EEG tariff, ${kind}, ${size} kW`, () => reference.eegRate(kind, Number(size)).tariff),
      ]),
    ),
    found('benchmark base fee', () => reference.benchmark().baseFeeYearGross),
    found('benchmark energy', () => reference.benchmark().energy),
    ...SAVINGS_PARAMETER_CODES.map((code) => found('assumption', () => reference.savingsParameter(code))),
  ];
}

/** A figure that an answer may need and that nobody has loaded for this day is shown as missing. */
function found(name: string, read: () => Figure): ShownFigure {
  try {
    return shown(name, read());
  } catch (error) {
    if (!(error instanceof MissingReferenceError)) throw error;
    const { table, key } = error;
    const nothing = { valid_from: null, valid_to: null, source: null, checked_on: null };
    return { figure: name, value: null, unit: null, table, key, ...nothing, is_carried_forward: false };
  }
}

function shown(figure: string, { value, unit, origin }: Figure): ShownFigure {
  return { figure, value, unit, ...origin };
}
