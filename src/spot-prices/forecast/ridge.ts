import { weekdayWithHolidays } from './day-classes.ts';
import { dayOfYear, firstOfMonth } from './day-numbers.ts';
import { HOURS, type HourlyHistory } from './history.ts';
import { at, median, type Numbers } from './numbers.ts';

const WEEKDAYS = 7;
const DAYS_OF_YEAR = 365;
const EVERY_THIRD = 3;

/** 3 × 24 lagged prices, 8 of two weeks ago, their extremes, the weekday, the season. */
export const FEATURES = 3 * HOURS + HOURS / EVERY_THIRD + 2 + WEEKDAYS + 2;

/** Prices enter as asinh((price − centre) / spread): spikes are drawn in, and prices may be negative. */
export interface PriceScale {
  readonly centre: number;
  readonly spread: number;
}

/** Makes the median absolute deviation comparable with a standard deviation. */
const DEVIATION_FACTOR = 1.4826;

export function scaleOf(prices: Numbers): PriceScale {
  const centre = median(prices);
  const spread = DEVIATION_FACTOR * median(prices.map((price) => Math.abs(price - centre)));
  return { centre, spread: spread > 0 ? spread : 1 };
}

export function scaled(price: number, scale: PriceScale): number {
  return Math.asinh((price - scale.centre) / scale.spread);
}

export function unscaled(value: number, scale: PriceScale): number {
  return Math.sinh(value) * scale.spread + scale.centre;
}

/** The days that a forecast of `day` looks at. */
function lagsOf(day: number, daysAhead: number): readonly number[] {
  return [day - daysAhead, day - daysAhead - 1, day - 7, day - 14];
}

export function lagsAreKnown(history: HourlyHistory, day: number, daysAhead: number): boolean {
  return lagsOf(day, daysAhead).every((lag) => history.has(lag));
}

/** Features of `day` that are known `daysAhead` days before it; null if one of the days behind them is not known. */
export function featuresOf(
  history: HourlyHistory,
  day: number,
  daysAhead: number,
  scale: PriceScale,
): Numbers | null {
  const [newest, second, week, twoWeeks] = lagsOf(day, daysAhead).map((lag) =>
    history.get(lag)?.map((price) => scaled(price, scale)),
  );
  if (newest === undefined || second === undefined || week === undefined || twoWeeks === undefined)
    return null;
  const features = new Float64Array(FEATURES);
  let filled = 0;
  const add = (values: Iterable<number>) => {
    for (const value of values) {
      features[filled] = value;
      filled += 1;
    }
  };
  add(newest);
  add(second);
  add(week);
  for (let hour = 0; hour < HOURS; hour += EVERY_THIRD) add([at(twoWeeks, hour)]);
  add([Math.min(...newest), Math.max(...newest)]);
  const weekday = weekdayWithHolidays(day);
  add(Array.from({ length: WEEKDAYS }, (_, index) => (index === weekday ? 1 : 0)));
  const angle = (2 * Math.PI * dayOfYear(day)) / DAYS_OF_YEAR;
  add([Math.sin(angle), Math.cos(angle)]);
  return features;
}

const TRAINING_DAYS = 540;
/** With less than half of the training days a fit says more about the holes than about the prices. */
const TRAINING_DAYS_MIN = TRAINING_DAYS / 2;
const LAMBDA = 60;

/** All 24 hours of a day in one ridge regression on what was known so many days before. */
export interface RidgeFit {
  readonly daysAhead: number;
  readonly trainingFrom: number;
  readonly trainingTo: number;
  /** How many days of that span had a price and all their lags. */
  readonly trainingDays: number;
  readonly scale: PriceScale;
  readonly featureMeans: Numbers;
  /** 1 where a feature never changed: its weight is 0 then. */
  readonly featureDeviations: Numbers;
  readonly targetMeans: Numbers;
  /** Features × 24 hours. */
  readonly weights: Numbers;
}

/**
 * The fit that serves a whole month: made of the 540 days that end `daysAhead` days before the first of the month of
 * `day`, so that even the forecast of that first day uses only what was known. Null where too few of them are known.
 */
export function fitRidge(history: HourlyHistory, day: number, daysAhead: number): RidgeFit | null {
  const trainingTo = firstOfMonth(day) - daysAhead;
  const trainingFrom = trainingTo - TRAINING_DAYS + 1;
  const days = Array.from({ length: TRAINING_DAYS }, (_, index) => trainingFrom + index).filter(
    (trainingDay) => history.has(trainingDay) && lagsAreKnown(history, trainingDay, daysAhead),
  );
  if (days.length < TRAINING_DAYS_MIN) return null;
  const prices = days.map((trainingDay) => history.get(trainingDay) ?? new Float64Array(HOURS));
  const scale = scaleOf(Float64Array.from(prices.flatMap((row) => [...row])));
  const features = days.map(
    (trainingDay) => featuresOf(history, trainingDay, daysAhead, scale) ?? new Float64Array(FEATURES),
  );
  const targets = prices.map((row) => row.map((price) => scaled(price, scale)));
  return {
    daysAhead,
    trainingFrom,
    trainingTo,
    trainingDays: days.length,
    scale,
    ...solveRidge(features, targets, LAMBDA),
  };
}

/** EUR/MWh of 24 hours; null where one of the days it looks at is not known. */
export function predictRidge(fit: RidgeFit, history: HourlyHistory, day: number): Numbers | null {
  const features = featuresOf(history, day, fit.daysAhead, fit.scale);
  if (features === null) return null;
  return predictFromFeatures(fit, features).map((value) => unscaled(value, fit.scale));
}

type Solution = Pick<RidgeFit, 'featureMeans' | 'featureDeviations' | 'targetMeans' | 'weights'>;

/**
 * Weights W of (XᵀX + λ·I)·W = XᵀY, with the features X standardized and the targets Y centred, all columns of Y
 * together. The penalty is added as it is, whatever the number of rows.
 */
export function solveRidge(
  features: readonly Numbers[],
  targets: readonly Numbers[],
  lambda: number,
): Solution {
  const { means: featureMeans, deviations: featureDeviations } = momentsOf(features);
  const { means: targetMeans } = momentsOf(targets);
  const size = featureMeans.length;
  const columns = targetMeans.length;
  const matrix = new Float64Array(size * size);
  const rightSides = new Float64Array(size * columns);
  for (const [index, row] of features.entries()) {
    const x = row.map((value, i) => (value - at(featureMeans, i)) / at(featureDeviations, i));
    const y = (targets[index] ?? row).map((value, i) => value - at(targetMeans, i));
    for (let i = 0; i < size; i += 1) {
      const xi = at(x, i);
      for (let j = 0; j <= i; j += 1) matrix[i * size + j] = at(matrix, i * size + j) + xi * at(x, j);
      for (let j = 0; j < columns; j += 1)
        rightSides[i * columns + j] = at(rightSides, i * columns + j) + xi * at(y, j);
    }
  }
  for (let i = 0; i < size; i += 1) matrix[i * size + i] = at(matrix, i * size + i) + lambda;
  const weights = solvePositiveDefinite(matrix, size, rightSides, columns);
  return { featureMeans, featureDeviations, targetMeans, weights };
}

export function predictFromFeatures(solution: Solution, features: Numbers): Numbers {
  const { featureMeans, featureDeviations, targetMeans, weights } = solution;
  const columns = targetMeans.length;
  const prediction = targetMeans.slice();
  for (const [i, value] of features.entries()) {
    const x = (value - at(featureMeans, i)) / at(featureDeviations, i);
    for (let j = 0; j < columns; j += 1) prediction[j] = at(prediction, j) + x * at(weights, i * columns + j);
  }
  return prediction;
}

/** Column by column: mean and standard deviation, 1 in place of 0. */
function momentsOf(rows: readonly Numbers[]): { means: Numbers; deviations: Numbers } {
  const width = rows[0]?.length ?? 0;
  const means = new Float64Array(width);
  for (const row of rows)
    for (const [i, value] of row.entries()) means[i] = at(means, i) + value / rows.length;
  const squares = new Float64Array(width);
  for (const row of rows)
    for (const [i, value] of row.entries())
      squares[i] = at(squares, i) + (value - at(means, i)) ** 2 / rows.length;
  return { means, deviations: squares.map((square) => (square > 0 ? Math.sqrt(square) : 1)) };
}

/**
 * Solves M·X = R for a symmetric, positive definite M by its Cholesky decomposition. Both are row by row: `matrix` has
 * `size` × `size` numbers, `rightSides` `size` × `columns`, and so has the answer. Only the lower half of M is read.
 */
export function solvePositiveDefinite(
  matrix: Numbers,
  size: number,
  rightSides: Numbers,
  columns: number,
): Numbers {
  const lower = decompose(matrix, size);
  const answer = rightSides.slice();
  for (let column = 0; column < columns; column += 1) {
    for (let row = 0; row < size; row += 1) {
      let rest = at(answer, row * columns + column);
      for (let k = 0; k < row; k += 1) rest -= at(lower, row * size + k) * at(answer, k * columns + column);
      answer[row * columns + column] = rest / at(lower, row * size + row);
    }
    for (let row = size - 1; row >= 0; row -= 1) {
      let rest = at(answer, row * columns + column);
      for (let k = row + 1; k < size; k += 1)
        rest -= at(lower, k * size + row) * at(answer, k * columns + column);
      answer[row * columns + column] = rest / at(lower, row * size + row);
    }
  }
  return answer;
}

/** The lower triangle L with L·Lᵀ = M. */
function decompose(matrix: Numbers, size: number): Numbers {
  const lower = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let rest = at(matrix, row * size + column);
      for (let k = 0; k < column; k += 1) rest -= at(lower, row * size + k) * at(lower, column * size + k);
      if (row === column && !(rest > 0)) throw new RangeError('The matrix is not positive definite');
      lower[row * size + column] =
        row === column ? Math.sqrt(rest) : rest / at(lower, column * size + column);
    }
  }
  return lower;
}
