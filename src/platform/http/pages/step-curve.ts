/*
 * A curve of steps as a drawing that the server makes: it needs no script, is the same for everybody, and its numbers are
 * read in the description.
 */

export interface CurveStep {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** Null where there is none. */
  readonly value: number | null;
}

/** Where everything is, in the units of the drawing. */
export interface StepCurve {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
  readonly line: string;
  /** Of zero. */
  readonly zero: number;
  readonly marks: readonly { x: number; text: string }[];
  readonly scale: readonly { y: number; text: string }[];
  readonly now: { x: number; width: number } | null;
}

const WIDTH = 720;
const HEIGHT = 220;
/* Room for the letters of a phone, where the drawing is half as wide. */
const LEFT = 68;
const TOP = 18;
const BOTTOM = HEIGHT - 32;

/** Null where no step has a value. `marks`: texts at places of the axis of time. */
export function stepCurve(
  steps: readonly CurveStep[],
  end: number,
  {
    now,
    marks,
    numbers,
  }: {
    now: number | null;
    marks: readonly { at: number; text: string }[];
    numbers: Intl.NumberFormat;
  },
): StepCurve | null {
  const values = steps.flatMap(({ value }) => (value === null ? [] : [value]));
  const [first] = steps;
  if (first === undefined || values.length === 0) return null;
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const span = high - low || 1;
  const xOf = (at: number) => rounded(LEFT + ((at - first.start) / (end - first.start)) * (WIDTH - LEFT));
  const yOf = (value: number) => rounded(TOP + ((high - value) / span) * (BOTTOM - TOP));
  const endOf = (index: number) => steps[index + 1]?.start ?? end;
  const line = steps.flatMap(({ start, value }, index) => {
    if (value === null) return [];
    const isBegin = (steps[index - 1]?.value ?? null) === null;
    return [`${isBegin ? `M${xOf(start)} ` : 'V'}${yOf(value)}`, `H${xOf(endOf(index))}`];
  });
  const current = steps.findIndex(({ start }, index) => now !== null && start <= now && now < endOf(index));
  const begin = steps[current]?.start;
  return {
    ...{ width: WIDTH, height: HEIGHT, left: LEFT, top: TOP, bottom: BOTTOM },
    ...{ line: line.join(''), zero: yOf(0) },
    marks: marks.map(({ at, text }) => ({ x: xOf(at), text })),
    scale: [...new Set([high, 0, low])].map((value) => ({ y: yOf(value), text: numbers.format(value) })),
    now: begin === undefined ? null : { x: xOf(begin), width: rounded(xOf(endOf(current)) - xOf(begin)) },
  };
}

const rounded = (value: number) => Math.round(value * 10) / 10;
