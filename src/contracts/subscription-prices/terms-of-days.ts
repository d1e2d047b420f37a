import type { Connection } from '../../platform/database/db.ts';
import { Exact } from '../../platform/money.ts';
import type { BerlinDay, CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { inTurns } from '../../platform/turns.ts';
import { termsOn } from '../../tariffs/plans/service.ts';
import type { Figure, FigureOrigin, GridFigures } from '../../tariffs/reference-data/figures.ts';
import type { LevyCode, ReferenceSet } from '../../tariffs/reference-data/reference-set.ts';
import { gridFigures, referenceSet } from '../../tariffs/reference-data/service.ts';
import { MissingReferenceError } from '../../tariffs/reference-data/validity.ts';
import type { PricedContract } from './contract.ts';
import type { DayTerms } from './day-prices.ts';
import { compensationCents, isPaymentOver } from './feed-in-rate.ts';
import { createGridRuns, type GridRunsOfDay } from './grid-runs.ts';

const LEVIES: readonly LevyCode[] = ['stromsteuer', 'offshore', 'besondere_netznutzung', 'kwkg'];

/** No warning where reference data are carried forward to another day than today. */
const NOBODY_TOLD = null;

/** Days whose terms are put together before other work gets its turn. */
const DAYS_AT_ONCE = 8;

interface TermsQuery {
  connection: Connection;
  contract: PricedContract;
}

interface Ground extends TermsQuery {
  gridRuns: GridRunsOfDay;
  /** Rows of the reference data that were used. */
  origins: Set<FigureOrigin>;
}

/** A day with the midnight behind it, in milliseconds since 1970. */
export interface PricedDay extends BerlinDay {
  readonly ends: number;
}

/** The terms of a contract on each of some days, in their order, and the rows of the reference data behind them. */
export async function termsOfDays(
  query: TermsQuery,
  days: readonly PricedDay[],
): Promise<{ terms: DayTerms[]; origins: Iterable<FigureOrigin> }> {
  const ground: Ground = { ...query, gridRuns: createGridRuns(), origins: new Set() };
  const terms: DayTerms[] = [];
  for await (const day of inTurns(days, DAYS_AT_ONCE)) terms.push(await termsOfDay(ground, day));
  return { terms, origins: ground.origins };
}

async function termsOfDay(ground: Ground, day: PricedDay): Promise<DayTerms> {
  const { contract } = ground;
  const reference = await referenceOn(ground, day.day);
  const vatRate = known(() => valueIn(ground, reference?.vatRate));
  const plan =
    contract.plant === null
      ? await consumptionOn(ground, day, reference)
      : await feedInOn(ground, day, reference, contract.plant);
  return { plan, vatRate };
}

async function consumptionOn(
  ground: Ground,
  { day, begins, ends }: PricedDay,
  reference: ReferenceSet | null,
): Promise<DayTerms['plan']> {
  const { connection, contract, gridRuns, origins } = ground;
  const { zip, modules, terms } = contract;
  const grid = zip === null ? null : await knownLater(() => gridFigures(connection, zip, day, NOBODY_TOLD));
  if (grid !== null) {
    /* The price of module 2 stands in the row of the working price. */
    origins.add(grid.zipArea).add(grid.workingPrice.origin);
    const isByClock = modules.some(
      ({ module, from, until }) => module === 3 && from < ends && (until === null || begins < until),
    );
    if (isByClock && grid.schedule !== null) origins.add(grid.schedule.origin);
  }
  const quarter = Math.ceil(Number(day.slice(5, 7)) / 3);
  return {
    product: 'consumption',
    marginCents: termsOn(terms, day)?.margin_ct_net ?? null,
    gridRuns: grid === null ? [{ from: 0, cents: null }] : gridRuns(grid, modules, { begins, ends, quarter }),
    leviesCents: known(() => leviesCents(ground, reference, grid)),
  };
}

/** Konzessionsabgabe by the class of the place, and the four levies that are the same everywhere. */
function leviesCents(
  { origins }: Ground,
  reference: ReferenceSet | null,
  grid: GridFigures | null,
): string | undefined {
  if (reference === null || grid === null) return undefined;
  const figures = [grid.concessionFee, ...LEVIES.map((code) => reference.levy(code))];
  for (const { origin } of figures) origins.add(origin);
  return figures.reduce((sum, { value }) => sum.plus(value), new Exact(0)).toFixed();
}

/**
 * A plant is paid by the rates of the period in which it was commissioned, for the years of the law; where that is not known,
 * by those of the day, as a quote does it.
 */
async function feedInOn(
  ground: Ground,
  { day }: PricedDay,
  reference: ReferenceSet | null,
  plant: NonNullable<PricedContract['plant']>,
): Promise<DayTerms['plan']> {
  const terms = termsOn(ground.contract.terms, day);
  const commissionedOn = plant.plant_commissioned_on ?? day;
  const rates = commissionedOn === day ? reference : await referenceOn(ground, commissionedOn);
  const rateOf = (upToKw: number) => rates?.eegRate(terms?.feed_in_scope ?? 'partial', upToKw);
  const isOver = isPaymentOver(commissionedOn, day);
  const figures = {
    tariffUpTo: (upToKw: number) => (isOver ? '0' : known(() => valueIn(ground, rateOf(upToKw)?.tariff))),
    valueUpTo: (upToKw: number) => (isOver ? '0' : known(() => valueIn(ground, rateOf(upToKw)?.value))),
    solarMarketValue:
      terms?.feed_in_kind === 'direct' ? known(() => valueIn(ground, reference?.solarMarketValue())) : null,
  };
  return {
    product: 'feed_in',
    compensationCents: terms === undefined ? null : compensationCents(terms, plant.plant_size_kw, figures),
    isTaxExempt: plant.is_tax_exempt,
  };
}

function referenceOn({ connection }: Ground, day: CalendarDay): Promise<ReferenceSet | null> {
  return knownLater(() => referenceSet(connection, day, NOBODY_TOLD));
}

/** A figure that the terms are made of. */
function valueIn({ origins }: Ground, figure: Figure | undefined): string | undefined {
  if (figure !== undefined) origins.add(figure.origin);
  return figure?.value;
}

/** Null where no row of the reference data counts: before it begins, or years behind its end. */
function known<Value>(read: () => Value | undefined): Value | null {
  try {
    return read() ?? null;
  } catch (error) {
    if (error instanceof MissingReferenceError) return null;
    throw error;
  }
}

async function knownLater<Value>(read: () => Promise<Value | undefined>): Promise<Value | null> {
  try {
    return (await read()) ?? null;
  } catch (error) {
    if (error instanceof MissingReferenceError) return null;
    throw error;
  }
}
