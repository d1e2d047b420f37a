import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectFolder } from '../scripts/data-folder.mjs';
import { median } from './measure/statistics.ts';
import { table } from './measure/table.ts';
import { WrongUse } from './surroundings/failures.ts';

/* A reader has to know these before he compares. They are no figures of a run. */
const SURROUNDINGS = [
  'git',
  'machine',
  'node',
  'postgresql',
  'timescaledb',
  'timescaledb_license',
  'settings',
  'configuration',
  'client',
];
const NO_FIGURES = [
  ...SURROUNDINGS,
  'scenario',
  'started_at',
  'targets',
  'legs',
  'problems',
  'remarks',
  'exit_code',
  /* The rates that each run of `saturate` chose for itself. Each is a leg as well. */
  'steps',
];
/** Of a leg. */
const LEG_FIGURES = ['rows_per_second', 'requests_per_second', 'latency_ms', 'processor_ms', 'disturbed'];
/** How much was sent, or what was stored: equal where the configuration is, and no better for being more. */
const COUNTS = /^stored |latency_ms count$/;

const resultSchema = z.looseObject({
  scenario: z.string(),
  started_at: z.string(),
  targets: z.array(z.looseObject({ name: z.string(), measured: z.number().nullable() })),
  legs: z.array(
    z.looseObject({
      name: z.string(),
      client: z.string().optional(),
      rows: z.number(),
      wal_bytes: z.number(),
    }),
  ),
});

type Result = z.infer<typeof resultSchema>;

/** Two results of one scenario, side by side. Figures of several rounds are medians, with the lowest and the highest. */
export async function compare(pathA: string, pathB: string): Promise<string> {
  const [resultA, resultB] = [await readResult(pathA), await readResult(pathB)];
  if (resultA.scenario !== resultB.scenario) {
    throw new WrongUse(
      `These are two scenarios, ${resultA.scenario} and ${resultB.scenario}: nothing to compare`,
    );
  }
  const [figuresA, figuresB] = [figuresOf(resultA), figuresOf(resultB)];
  const both = [...figuresA.keys()].filter((name) => figuresB.has(name));
  const rows = both.map((name) => {
    const [inA, inB] = [figuresA.get(name) ?? [], figuresB.get(name) ?? []];
    const [a, b] = [median(inA), median(inB)];
    return [name, ...[shown(a), range(inA), shown(b), range(inB)], a === 0 ? '' : (b / a).toFixed(2)];
  });
  return [
    `${resultA.scenario}   A ${resultA.started_at}   B ${resultB.started_at}`,
    ...differences(resultA, resultB),
    '',
    table(['figure', 'A', 'lowest–highest', 'B', 'lowest–highest', 'B / A'], rows),
    '–: one round has no range, and the ratio of two may be chance; disturbed: what other programs used meanwhile, in cores',
    ...onlyIn('A', [resultA, figuresA], [resultB, figuresB]),
    ...onlyIn('B', [resultB, figuresB], [resultA, figuresA]),
  ].join('\n');
}

async function readResult(path: string): Promise<Result> {
  const inResults = join(projectFolder, 'load', 'results', path.endsWith('.json') ? path : `${path}.json`);
  const text = await readFile(path, 'utf8')
    .catch(() => readFile(inResults, 'utf8'))
    .catch(() => {
      throw new WrongUse(`${path} cannot be read, neither as a path nor as a name in load/results`);
    });
  try {
    const result = resultSchema.parse(JSON.parse(text));
    return { ...result, client: Object.fromEntries(result.legs.map(({ name, client }) => [name, client])) };
  } catch {
    throw new WrongUse(`${path} is no result of a load run`);
  }
}

/** Differences around the figures: a ratio of two machines or of two settings is not a ratio of two programs. */
function differences(resultA: Result, resultB: Result): string[] {
  const lines = SURROUNDINGS.flatMap((part) => {
    const [a, b] = [leavesOf(resultA[part], [part]), leavesOf(resultB[part], [part])];
    /* The client of a leg that the other run does not have is no difference. */
    const isOfBoth = (name: string) => part !== 'client' || (a.has(name) && b.has(name));
    const names = [...new Set([...a.keys(), ...b.keys()])].filter(isOfBoth);
    const [inA, inB] = [a, b].map((leaves) => (name: string) => leaves.get(name)?.join(', ') ?? 'not given');
    if (inA === undefined || inB === undefined) return [];
    return names
      .filter((name) => inA(name) !== inB(name))
      .map((name) => `differs: ${name}   A ${inA(name)}   B ${inB(name)}`);
  });
  return lines.length > 0 ? lines : ['same commit, machine, settings and configuration'];
}

function figuresOf(result: Result): Map<string, number[]> {
  const figures = new Map<string, number[]>();
  const note = (value: unknown, path: readonly string[]) => {
    for (const [name, leaves] of leavesOf(value, path)) {
      const numbers = leaves.filter((leaf) => typeof leaf === 'number');
      if (numbers.length === 0 || COUNTS.test(name)) continue;
      figures.set(name, [...(figures.get(name) ?? []), ...numbers]);
    }
  };
  for (const { name, measured } of result.targets) note(measured, [name]);
  for (const leg of result.legs) {
    for (const key of LEG_FIGURES) note(leg[key], [leg.name, key]);
    note(leg.wal_bytes / leg.rows, [leg.name, 'wal_bytes of a row']);
  }
  for (const [key, value] of Object.entries(result)) if (!NO_FIGURES.includes(key)) note(value, [key]);
  return figures;
}

type Leaf = string | number | boolean;

/** What stands in a value, by the way to it. What a list holds has the name of the list. */
function leavesOf(
  value: unknown,
  path: readonly string[],
  leaves = new Map<string, Leaf[]>(),
): Map<string, Leaf[]> {
  if (Array.isArray(value)) for (const item of value) leavesOf(item, path, leaves);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) leavesOf(item, [...path, key], leaves);
  } else if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') {
    const name = path.join(' ');
    const known = leaves.get(name);
    if (known === undefined) leaves.set(name, [value]);
    else known.push(value);
  }
  return leaves;
}

type Figures = readonly [Result, ReadonlyMap<string, unknown>];

/** A leg that the other run does not have is named once, in place of each of its figures. */
function onlyIn(name: string, [result, these]: Figures, [other, those]: Figures): string[] {
  const known = new Set(other.legs.map((leg) => leg.name));
  const legs = result.legs.filter((leg) => !known.has(leg.name));
  const missing = [...these.keys()].filter((figure) => !those.has(figure));
  const named = missing.map(
    (figure) => legs.find((leg) => figure.startsWith(`${leg.name} `))?.name ?? figure,
  );
  return missing.length > 0 ? [`only in ${name}: ${[...new Set(named)].join('; ')}`] : [];
}

const shown = (value: number) =>
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(4)));

/** A ratio that lies within it says little. One round has none. */
const range = (values: readonly number[]) =>
  values.length < 2 ? '–' : `${shown(Math.min(...values))}–${shown(Math.max(...values))}`;
