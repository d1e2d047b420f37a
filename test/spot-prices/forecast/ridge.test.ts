import { expect, test } from 'vitest';
import { noise } from '../../../src/cli/demo/feed/formula.ts';
import { dayNumberOf } from '../../../src/spot-prices/forecast/day-numbers.ts';
import {
  FEATURES,
  featuresOf,
  fitRidge,
  predictFromFeatures,
  predictRidge,
  scaled,
  scaleOf,
  solvePositiveDefinite,
  solveRidge,
  unscaled,
} from '../../../src/spot-prices/forecast/ridge.ts';

const number = (name: string) => noise(name, 1000) / 1000;
const row = (name: string, length: number) => Float64Array.from({ length }, (_, i) => number(`${name}|${i}`));

/** Gauss with the largest pivot: another way to the same solution. */
function gauss(matrix: number[][], right: number[]): number[] {
  const rows = matrix.map((line, index) => [...line, right[index] ?? 0]);
  const size = rows.length;
  const cell = (r: number, c: number) => rows[r]?.[c] ?? 0;
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let r = column + 1; r < size; r += 1) {
      if (Math.abs(cell(r, column)) > Math.abs(cell(pivot, column))) pivot = r;
    }
    [rows[column], rows[pivot]] = [rows[pivot] ?? [], rows[column] ?? []];
    for (let r = 0; r < size; r += 1) {
      if (r === column) continue;
      const factor = cell(r, column) / cell(column, column);
      rows[r] = (rows[r] ?? []).map((value, c) => value - factor * cell(column, c));
    }
  }
  return rows.map((line, index) => (line[size] ?? 0) / (line[index] ?? 1));
}

test('the decomposition solves what elimination solves', () => {
  const size = 12;
  const base = Array.from({ length: 20 }, (_, index) => row(`m${index}`, size));
  const matrix = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) =>
      base.reduce((sum, line) => sum + (line[i] ?? 0) * (line[j] ?? 0), i === j ? 0.5 : 0),
    ),
  );
  const right = [row('r0', size), row('r1', size)];
  const sides = Float64Array.from({ length: size * 2 }, (_, k) => right[k % 2]?.[k >> 1] ?? 0);
  const solved = solvePositiveDefinite(Float64Array.from(matrix.flat()), size, sides, 2);
  for (const column of [0, 1]) {
    const expected = gauss(matrix, [...(right[column] ?? [])]);
    for (let i = 0; i < size; i += 1) expect(solved[i * 2 + column]).toBeCloseTo(expected[i] ?? 0, 10);
  }
  expect(() => solvePositiveDefinite(Float64Array.of(1, 2, 2, 1), 2, Float64Array.of(1, 1), 1)).toThrow(
    RangeError,
  );
});

test('one feature has the weight of the closed form, shrunk by the penalty', () => {
  const features = Array.from({ length: 50 }, (_, index) => row(`x${index}`, 1));
  const targets = features.map((x, index) => Float64Array.of(3 * (x[0] ?? 0) + 0.1 * number(`e${index}`)));
  const mean = (rows: Float64Array[]) => rows.reduce((sum, line) => sum + (line[0] ?? 0), 0) / rows.length;
  const [xMean, yMean] = [mean(features), mean(targets)];
  const deviation = Math.sqrt(mean(features.map((x) => Float64Array.of(((x[0] ?? 0) - xMean) ** 2))));
  const product = features.reduce(
    (sum, x, index) => sum + (((x[0] ?? 0) - xMean) / deviation) * ((targets[index]?.[0] ?? 0) - yMean),
    0,
  );
  for (const lambda of [0, 60]) {
    const { weights } = solveRidge(features, targets, lambda);
    expect(weights[0]).toBeCloseTo(product / (features.length + lambda), 10);
  }
});

test('a linear relation is recovered when nothing is held back', () => {
  const features = Array.from({ length: 80 }, (_, index) => row(`f${index}`, 5));
  const relation = (x: Float64Array) => [
    2 * (x[0] ?? 0) - 3 * (x[3] ?? 0) + 7,
    (x[1] ?? 0) + (x[2] ?? 0) - (x[4] ?? 0),
  ];
  const solution = solveRidge(
    features,
    features.map((x) => Float64Array.from(relation(x))),
    1e-9,
  );
  const unseen = row('unseen', 5);
  const predicted = predictFromFeatures(solution, unseen);
  for (const [index, value] of relation(unseen).entries()) expect(predicted[index]).toBeCloseTo(value, 6);
});

test('a feature that never changes has no weight', () => {
  const features = Array.from({ length: 30 }, (_, index) => Float64Array.of(number(`a${index}`), 5));
  const { weights } = solveRidge(
    features,
    features.map((x) => x.slice(0, 1)),
    60,
  );
  expect(weights[1]).toBe(0);
});

test('the weights fulfil the normal equations', () => {
  const features = Array.from({ length: 60 }, (_, index) => row(`n${index}`, 7));
  const targets = Array.from({ length: 60 }, (_, index) => row(`t${index}`, 2));
  const lambda = 60;
  const { featureMeans, featureDeviations, targetMeans, weights } = solveRidge(features, targets, lambda);
  const standardized = features.map((x) =>
    x.map((value, i) => (value - (featureMeans[i] ?? 0)) / (featureDeviations[i] ?? 1)),
  );
  for (let i = 0; i < 7; i += 1) {
    for (const column of [0, 1]) {
      const gradient = standardized.reduce(
        (sum, x, index) => {
          const fitted = x.reduce((total, value, j) => total + value * (weights[j * 2 + column] ?? 0), 0);
          const target = (targets[index]?.[column] ?? 0) - (targetMeans[column] ?? 0);
          return sum + (x[i] ?? 0) * (fitted - target);
        },
        lambda * (weights[i * 2 + column] ?? 0),
      );
      expect(gradient).toBeCloseTo(0, 9);
    }
  }
});

test('prices enter by asinh around the median and come back', () => {
  const scale = scaleOf(Float64Array.of(10, 20, 30, 40, 1000));
  expect(scale).toEqual({ centre: 30, spread: 1.4826 * 10 });
  for (const price of [-500, -0.01, 0, 30, 4000]) {
    expect(unscaled(scaled(price, scale), scale)).toBeCloseTo(price, 9);
  }
  expect(scaleOf(Float64Array.of(5, 5, 5)).spread).toBe(1);
});

const day = dayNumberOf('2026-05-01');
const identity = { centre: 0, spread: 1 };

test('features stand where they belong: lags, extremes, weekday with holidays, season', () => {
  const history = new Map([2, 3, 7, 14].map((lag) => [day - lag, row(`lag${lag}`, 24)]));
  const features = featuresOf(history, day, 2, identity) ?? new Float64Array();
  const of = (lag: number, hour: number) => Math.asinh(history.get(day - lag)?.[hour] ?? Number.NaN);
  expect(features).toHaveLength(FEATURES);
  expect(FEATURES).toBe(91);
  for (let hour = 0; hour < 24; hour += 1) {
    expect(features[hour]).toBe(of(2, hour));
    expect(features[24 + hour]).toBe(of(3, hour));
    expect(features[48 + hour]).toBe(of(7, hour));
  }
  for (let third = 0; third < 8; third += 1) expect(features[72 + third]).toBe(of(14, 3 * third));
  const hours = Array.from({ length: 24 }, (_, hour) => of(2, hour));
  expect([...features.slice(80, 82)]).toEqual([Math.min(...hours), Math.max(...hours)]);
  /* 1 May 2026 is a Friday and a holiday: the indicator of Sundays. */
  expect([...features.slice(82, 89)]).toEqual([1, 0, 0, 0, 0, 0, 0]);
  const angle = (2 * Math.PI * 121) / 365;
  expect([...features.slice(89)]).toEqual([Math.sin(angle), Math.cos(angle)]);
  history.delete(day - 7);
  expect(featuresOf(history, day, 2, identity)).toBeNull();
});

/** Days before `day` that are known, each with prices of its own. */
function historyOf(days: number): Map<number, Float64Array> {
  return new Map(
    Array.from({ length: days }, (_, index) => [day - 1 - index, row(`day${day - 1 - index}`, 24)]),
  );
}

test('a fit is made of the 540 days that end so many days before the first of the month, and of no later one', () => {
  const history = historyOf(600);
  const target = day + 14;
  const fit = fitRidge(history, target, 3);
  expect(fit).toMatchObject({ trainingTo: day - 3, trainingFrom: day - 3 - 539, trainingDays: 540 });
  const later = new Map(history).set(day - 2, row('other', 24)).set(day, row('new', 24));
  expect(fitRidge(later, target, 3)).toEqual(fit);
  const inside = new Map(history).set(day - 3, row('other', 24));
  expect(fitRidge(inside, target, 3)?.weights).not.toEqual(fit?.weights);
});

test('days with a hole in what they look at are left out of the training; with half of them missing there is no fit', () => {
  const history = historyOf(600);
  history.delete(day - 100);
  /* As a target, as the day before, as the second day before, after a week, and after two. */
  expect(fitRidge(history, day, 1)?.trainingDays).toBe(540 - 5);
  expect(fitRidge(historyOf(283), day, 1)).toBeNull();
  expect(fitRidge(historyOf(284), day, 1)?.trainingDays).toBe(270);
});

test('the prediction of a day looks at known days alone', () => {
  const history = historyOf(600);
  const fit = fitRidge(history, day, 1);
  if (fit === null) throw new Error('no fit');
  expect(predictRidge(fit, history, day)).toHaveLength(24);
  expect(predictRidge(fit, history, day + 1)).toBeNull();
});
