import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import type { TestSpecification, Vitest } from 'vitest/node';
import { codeFiles, importsOf, type ProjectFile, projectFolder } from '../test/rules/project-files.ts';

/*
 * Which mistakes would no test notice? Makes one small change of the code at a time, runs the tests that import the file, then
 * those of its folder, of what uses it and of its district, until one fails, and prints the changes with which all still pass:
 *
 *   node scripts/node.mjs scripts/mutations.ts --count 40 --seed 1 src/tariffs/quotes src/billing/invoices/calculate
 *
 * Changes are written to the working copy and taken back. After an interruption `git checkout` brings a file back.
 */

const USAGE = 'node scripts/node.mjs scripts/mutations.ts [--count 40] [--seed 1] FOLDER|FILE …';
/** A change may make a loop endless: without a result for so long, a run is ended. */
const SILENCE_MILLISECONDS_MAX = 120_000;
const TIMED_OUT = 'timed out';

interface Mutation {
  path: string;
  line: number;
  /** Characters of the file, and what stands there instead. */
  start: number;
  end: number;
  text: string;
  was: string;
}

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  ...{
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '===': ['!=='],
    '!==': ['==='],
  },
  ...{ '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'], '&&': ['||'], '||': ['&&'] },
  ...{ '+=': ['-='], '-=': ['+='] },
};
/** Of numbers, of exact decimals and of lists. */
const METHODS: Readonly<Record<string, string>> = {
  ...{
    plus: 'minus',
    minus: 'plus',
    times: 'div',
    div: 'times',
    min: 'max',
    max: 'min',
    floor: 'ceil',
    ceil: 'floor',
  },
  ...{ lt: 'lte', lte: 'lt', gt: 'gte', gte: 'gt', some: 'every', every: 'some', isNegative: 'isPositive' },
  ...{ lessThan: 'lessThanOrEqualTo', greaterThan: 'greaterThanOrEqualTo', find: 'findLast' },
};

/** Every small change of a file. */
export function mutationsOf({ path, text }: ProjectFile): Mutation[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const put = (node: ts.Node, replacement: string) => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ path, line, start, end, text: replacement, was: text.slice(start, end) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const joinsTexts = [node.left, node.right].some(
        (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
      );
      const operator = node.operatorToken;
      if (!joinsTexts) for (const other of OPERATORS[operator.getText(source)] ?? []) put(operator, other);
    } else if (ts.isNumericLiteral(node)) {
      put(node, String(Number(node.text.replaceAll('_', '')) + 1));
    } else if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) {
      put(node, node.kind === ts.SyntaxKind.TrueKeyword ? 'false' : 'true');
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      put(node, node.operand.getText(source));
    } else if (ts.isIfStatement(node)) {
      for (const word of ['true', 'false']) put(node.expression, word);
    } else if (ts.isConditionalExpression(node)) {
      put(node.condition, `!(${node.condition.getText(source)})`);
    } else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
      put(node, ';');
    } else if (ts.isPropertyAccessExpression(node) && METHODS[node.name.text] !== undefined) {
      put(node.name, METHODS[node.name.text] ?? '');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * The test files that import a file, those that import what imports it, those of its folder, those of the folders whose code
 * imports it, and those of its district.
 */
function testsOf(
  path: string,
  importers: ReadonlyMap<string, readonly string[]>,
  all: readonly string[],
): string[][] {
  const direct = importers.get(path) ?? [];
  const behind = direct.flatMap((file) => importers.get(file) ?? []);
  const folderOf = (file: string) => dirname(file).replace(/^src/, 'test');
  const users = [...new Set(direct.filter((file) => file.startsWith('src/')).map(folderOf))];
  const district = folderOf(path).split('/').slice(0, 2).join('/');
  const inside = (place: string) => all.filter((file) => file.startsWith(`${place}/`));
  const seen = new Set<string>();
  return [direct, behind, inside(folderOf(path)), users.flatMap(inside), inside(district)].map((files) =>
    [...new Set(files)].filter((file) => {
      const isNews = file.endsWith('.test.ts') && !file.endsWith('.long.test.ts') && !seen.has(file);
      seen.add(file);
      return isNews;
    }),
  );
}

function importersOf(files: readonly ProjectFile[]): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const file of files) {
    for (const { target, typeOnly } of importsOf(file)) {
      if (!typeOnly) importers.set(target, [...(importers.get(target) ?? []), file.path]);
    }
  }
  return importers;
}

/** The same seed takes the same ones. */
function sampleOf(mutations: readonly Mutation[], count: number, seed: string): Mutation[] {
  const rank = ({ path, start, text }: Mutation) =>
    createHash('sha256').update(`${seed} ${path} ${start} ${text}`).digest('hex');
  return mutations.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1)).slice(0, count);
}

let heardAt = 0;
const hears = () => {
  heardAt = performance.now();
};

/** The first test file that fails. */
async function noticedBy(vitest: Vitest, specifications: TestSpecification[]): Promise<string | undefined> {
  if (specifications.length === 0) return undefined;
  /* It counts failures of earlier runs as well, and would end this one for them. */
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  let isLate = false;
  hears();
  const watch = setInterval(() => {
    if (isLate || performance.now() - heardAt < SILENCE_MILLISECONDS_MAX) return;
    isLate = true;
    /* The first one asks, and a process in an endless loop hears nothing any more; the second one kills. */
    for (let times = 0; times < 2; times += 1) void vitest.cancelCurrentRun('keyboard-input');
  }, 1000);
  const run = await vitest.runTestSpecifications(specifications).finally(() => clearInterval(watch));
  if (isLate) return TIMED_OUT;
  const failed = run.testModules.find((module) => !module.ok())?.relativeModuleId;
  return failed ?? (run.unhandledErrors.length > 0 ? 'an error outside of tests' : undefined);
}

async function main(): Promise<void> {
  const options = {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (positionals.length === 0) throw new Error(USAGE);
  const files = codeFiles('src', 'test');
  const importers = importersOf(files);
  const paths = files.map(({ path }) => path);
  const mutations = files
    .filter(({ path }) => positionals.some((place) => path.startsWith(place)))
    .filter(({ path }) => importers.has(path))
    .flatMap(mutationsOf);
  const sample = sampleOf(mutations, Number(values.count), values.seed);
  console.log(`${sample.length} of ${mutations.length} changes`);

  const { createVitest } = await import('vitest/node');
  const reporters = [{ onTestCaseResult: hears, onTestModuleEnd: hears }];
  const vitest = await createVitest('test', { ...{ watch: false, bail: 1 }, reporters });
  const unnoticed: Mutation[] = [];
  try {
    /* Starts the servers, before anything is broken. */
    const [first] = sample.flatMap(({ path }) =>
      testsOf(path, importers, paths).filter(({ length }) => length > 0),
    );
    const broken = await noticedBy(vitest, await vitest.globTestSpecifications(first));
    if (broken !== undefined) throw new Error(`${broken} fails without a change`);
    for (const mutation of sample) {
      const { path, start, end, text } = mutation;
      const startedAt = performance.now();
      const file = join(projectFolder, path);
      const before = readFileSync(file, 'utf8');
      let noticed: string | undefined;
      try {
        writeFileSync(file, before.slice(0, start) + text + before.slice(end));
        vitest.invalidateFile(file);
        for (const tests of testsOf(path, importers, paths)) {
          if (noticed !== undefined || tests.length === 0) continue;
          noticed = await noticedBy(vitest, await vitest.globTestSpecifications(tests));
        }
      } finally {
        writeFileSync(file, before);
        vitest.invalidateFile(file);
      }
      if (noticed === undefined) unnoticed.push(mutation);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(`${seconds.padStart(3)} s  ${shown(mutation)}  ${noticed ?? 'UNNOTICED'}`);
    }
    console.log(`\n${unnoticed.length} noticed by no test`);
    for (const mutation of unnoticed) console.log(shown(mutation));
  } finally {
    await vitest.exit();
  }
}

const shown = ({ path, line, was, text }: Mutation) =>
  `${path}:${line}  ${was.replaceAll(/\s+/g, ' ').slice(0, 60)}  →  ${text.replaceAll(/\s+/g, ' ').slice(0, 60)}`;

if (import.meta.main) await main();
