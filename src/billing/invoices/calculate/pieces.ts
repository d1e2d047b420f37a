import {
  addMonths,
  berlinDays,
  berlinMilliseconds,
  type CalendarDay,
} from '../../../platform/time/berlin-calendar.ts';
import type { PlanTermsRow } from '../../../tariffs/plans/queries.ts';
import { termsOn } from '../../../tariffs/plans/service.ts';
import type { GridFeeModules } from '../../../tariffs/quotes/consumption.ts';
import type { Figure, GridFigures } from '../../../tariffs/reference-data/figures.ts';
import type { LevyCode, ReferenceSet } from '../../../tariffs/reference-data/reference-set.ts';
import { BillingRefused } from '../refusal.ts';
import type { BilledContract, BilledPeriod, ReferenceOf } from './contract.ts';
import { type FeedInRate, feedInPhase, feedInRateOf } from './feed-in-rate.ts';
import { meteringFeeOf, meteringOperatorOn, pvKwOn } from './metering.ts';
import { missingRow, refuseEndedRows, required, rowName, validFigure } from './strict.ts';

/** Days of one calendar month on which every price that is not the market's is the same. */
export interface Piece {
  readonly from: CalendarDay;
  readonly until: CalendarDay;
  readonly days: number;
  readonly daysOfMonth: number;
  /** 365 or 366. */
  readonly daysOfYear: number;
  readonly terms: PlanTermsRow;
  readonly reference: ReferenceSet;
  readonly vatRate: Figure;
  /** Null for feed-in. */
  readonly grid: GridFigures | null;
  readonly modules: GridFeeModules;
  readonly meter: 'smart' | 'analog';
  /** EUR per year with VAT; null for feed-in. */
  readonly meteringFee: Figure | null;
  /** Null for consumption. */
  readonly feedIn: FeedInRate | null;
  /** Whether the monthly discount of the plan runs on these days. */
  readonly isDiscounted: boolean;
}

/** What a day is billed by. Days with the same name belong together. */
interface DayState
  extends Pick<Piece, 'terms' | 'reference' | 'grid' | 'modules' | 'meter' | 'isDiscounted'> {
  readonly day: CalendarDay;
  readonly name: string;
}

/**
 * A period in pieces: cut where a calendar month begins, where a price or a row of reference data changes, another kind of
 * meter, a module, the end of a discount. Throws BillingRefused where a row is missing that one of its days needs.
 */
export function piecesOf(
  contract: BilledContract,
  period: BilledPeriod,
  referenceOf: ReferenceOf,
): readonly Piece[] {
  const days = berlinDays(period.from, period.until);
  const end = berlinMilliseconds(period.until);
  const states = days.map(({ day, begins }, index) =>
    stateOf(contract, { day, begins, ends: days[index + 1]?.begins ?? end }, referenceOf),
  );
  const starts = states.filter(({ name }, index) => name !== states[index - 1]?.name);
  return starts.map((state, index) =>
    pieceOf(contract, state, starts[index + 1]?.day ?? period.until, referenceOf),
  );
}

function stateOf(
  contract: BilledContract,
  { day, begins, ends }: { day: CalendarDay; begins: number; ends: number },
  referenceOf: ReferenceOf,
): DayState {
  const { reference, grid } = required(day, () => referenceOf(day));
  const terms = termsOn(contract.terms, day);
  if (terms === undefined)
    throw new BillingRefused('missing_terms', `plan_terms: the plan of ${contract.id} has no terms.`);
  const part = contract.meterParts.findLast(({ first }) => first <= day);
  if (part === undefined) throw new Error(`The meter of ${contract.id} was nothing on ${day}`);
  const modules = modulesBetween(contract, begins, ends);
  const isDiscounted = hasDiscount(contract, terms, day);
  const common = { day, reference, terms, modules, meter: part.type, isDiscounted };
  const names = [day.slice(0, 7), terms.valid_from, part.type, isDiscounted];
  if (contract.type === 'feed_in') {
    const rows = feedInRowsName(reference, terms.feed_in_kind === 'direct', day);
    return { ...common, grid: null, name: [...names, rows, feedInPhase(contract, terms, day)].join(' ') };
  }
  const served = gridOf(contract, grid, day);
  const operator = meteringOperatorOn(contract, served, day);
  const rows = [
    consumptionRowsName(reference, operator, day),
    gridRowsName(served, modules.module3, day),
    ...[operator, pvKwOn(contract, day), modules.module1, modules.module2, modules.module3],
  ];
  return { ...common, grid: served, name: [...names, ...rows].join(' ') };
}

function gridOf({ id, zip }: BilledContract, grid: GridFigures | undefined, day: CalendarDay): GridFigures {
  if (zip === null)
    throw new BillingRefused('missing_address', `addresses: ${id} has no place of supply with a ZIP code.`);
  if (grid === undefined) throw missingRow({ table: 'zip_areas or grid_fees', key: zip }, day);
  return grid;
}

/** A module that begins or ends within a day counts for the whole day; its prices by the clock go by the instant. */
function modulesBetween({ modules }: BilledContract, begins: number, ends: number): GridFeeModules {
  const holds = (kind: 1 | 2 | 3) =>
    modules.some(
      ({ module, from, until }) => module === kind && from < ends && (until === null || begins < until),
    );
  return { module1: holds(1), module2: holds(2), module3: holds(3) };
}

/** So many months from the start of supply. What is taken off once belongs to the first bill and to no days. */
function hasDiscount({ supply }: BilledContract, terms: PlanTermsRow, day: CalendarDay): boolean {
  const {
    discount_amount_off: off,
    discount_duration: duration,
    discount_duration_in_months: months,
  } = terms;
  if (off === null || duration !== 'recurring') return false;
  return months === null || day < addMonths(supply.first, months);
}

function pieceOf(
  contract: BilledContract,
  state: DayState,
  until: CalendarDay,
  referenceOf: ReferenceOf,
): Piece {
  const { day: from, name: _, ...rest } = state;
  const month = `${from.slice(0, 7)}-01`;
  const year = `${from.slice(0, 4)}-01-01`;
  return {
    ...rest,
    ...{ from, until },
    days: berlinDays(from, until).length,
    daysOfMonth: berlinDays(month, addMonths(month, 1)).length,
    daysOfYear: berlinDays(year, addMonths(year, 12)).length,
    vatRate: state.reference.vatRate,
    meteringFee: state.grid === null ? null : meteringFeeOf(contract, { ...state, grid: state.grid }),
    feedIn: state.grid === null ? feedInRateOf(contract, state, referenceOf) : null,
  };
}

/*
 * Days on which the same rows count have the same name; where it changes, a new piece of the bill begins. Names are kept with
 * the price lists they were made of: a run of 100,000 contracts asks three million times.
 */

const LEVIES = ['stromsteuer', 'offshore', 'besondere_netznutzung', 'kwkg'] as const satisfies LevyCode[];

const nationalNames = new WeakMap<ReferenceSet, Map<string, string>>();
const gridNames = new WeakMap<GridFigures, Map<string, string>>();

/** Rows of the whole country that a consumption contract with this metering operator is billed by. */
function consumptionRowsName(reference: ReferenceSet, operator: string, day: string): string {
  return keptName(nationalNames, reference, `consumption ${operator}`, () => {
    const figures = required(day, () => [reference.vatRate, ...LEVIES.map((code) => reference.levy(code))]);
    for (const figure of figures) validFigure(figure, day);
    /* Which of the fees counts depends on the contract; the one that does is looked at there. */
    const fees = reference.meteringFeesOf(operator).map(({ fee }) => fee);
    return [...figures, ...fees].map(rowName).join('|');
  });
}

/** Rows of the whole country that feed-in is billed by, beside the rates of the plant. */
function feedInRowsName(reference: ReferenceSet, withMarketValue: boolean, day: string): string {
  return keptName(nationalNames, reference, `feed_in ${withMarketValue}`, () => {
    const figures = required(day, () =>
      withMarketValue ? [reference.vatRate, reference.solarMarketValue()] : [reference.vatRate],
    );
    return figures.map((figure) => rowName(validFigure(figure, day))).join('|');
  });
}

/** Rows of the grid operator of a place. */
function gridRowsName(grid: GridFigures, withSchedule: boolean, day: string): string {
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
