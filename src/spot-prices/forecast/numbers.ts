/** Rows of numbers, as the forecast calculates with them: binary floats in, decimals only at the end. */
export type Numbers = Float64Array;

/** For indexes that are known to lie inside. */
export function at(numbers: Numbers, index: number): number {
  return numbers[index] as number;
}

export function mean(numbers: Iterable<number>): number {
  let sum = 0;
  let count = 0;
  for (const number of numbers) {
    sum += number;
    count += 1;
  }
  return sum / count;
}

/** Of an even count: the mean of the two in the middle. */
export function median(numbers: Numbers): number {
  const sorted = numbers.toSorted();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? at(sorted, middle) : (at(sorted, middle - 1) + at(sorted, middle)) / 2;
}

/** Position by position over rows of the same length. */
export function meanOfRows(rows: readonly Numbers[]): Numbers {
  return Float64Array.from({ length: rows[0]?.length ?? 0 }, (_, index) =>
    mean(rows.map((row) => at(row, index))),
  );
}

export function medianOfRows(rows: readonly Numbers[]): Numbers {
  return Float64Array.from({ length: rows[0]?.length ?? 0 }, (_, index) =>
    median(Float64Array.from(rows, (row) => at(row, index))),
  );
}
