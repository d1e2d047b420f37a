import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { fastestMilliseconds } from '../setup/fastest.ts';
import { sampled } from '../setup/tier.ts';
import { codeFiles } from './project-files.ts';

/*
 * The rule of `npm run check` finds what follows from the form of a pattern, for one repeated character. Here every pattern
 * runs on repetitions of one and two of its own characters: that finds `"(?:[^"\\]|\\.)*"` on `\"\"\"…`, where each
 * quote begins a search to the end.
 */

const LENGTH = 12_000;
/** A linear search takes less than 0.1 ms; a quadratic one 100 ms and more. */
const MILLISECONDS_MAX = 40;

interface Literal {
  place: string;
  pattern: RegExp;
}

function literalsOf(path: string, text: string): Literal[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const line = file.getLineAndCharacterOfPosition(node.pos).line + 1;
      found.push({
        place: `${path}:${line}`,
        pattern: new RegExp(node.text.slice(1, end), node.text.slice(end + 1)),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** What the pattern is made of, and neighbours that it may not expect. */
function charactersOf({ source }: RegExp): string[] {
  return [...new Set([...source.replaceAll(/\\[a-zA-Z]/g, ''), ...' \t\n"\\a0-.;=%/'])].filter(
    (character) => character.length === 1,
  );
}

/** By `npm test` each character alone, and of the pairs one in `oneOf`: each pattern others. */
function slowTextOf(pattern: RegExp, oneOf: number, turn: number): string | undefined {
  const characters = charactersOf(pattern);
  const units = [
    ...characters,
    ...sampled(
      characters.flatMap((first) => ['"', '\\', ' ', '0'].map((two) => first + two)),
      oneOf,
      turn,
    ),
  ];
  return units.find((unit) => {
    const text = unit.repeat(LENGTH / unit.length);
    const search = () => text.replace(pattern, '');
    const startedAt = performance.now();
    search();
    if (performance.now() - startedAt < MILLISECONDS_MAX) return false;
    return fastestMilliseconds(search) >= MILLISECONDS_MAX;
  });
}

const slowOf = (literals: readonly Literal[], oneOf = 1) =>
  literals.flatMap(({ place, pattern }, turn) => {
    const unit = slowTextOf(pattern, oneOf, turn);
    return unit === undefined ? [] : [`${place} ${pattern} on many ${JSON.stringify(unit)}`];
  });

test('every regular expression of the service takes linear time on repetitions of its characters', () => {
  const literals = codeFiles('src', 'workers').flatMap(({ path, text }) => literalsOf(path, text));
  expect(literals.length).toBeGreaterThan(100);
  expect(slowOf(literals, 30)).toEqual([]);
});

test('so do those that the schemas bring along', () => {
  const patterns = [z.email(), z.url(), z.uuidv4(), z.iso.datetime({ offset: true }), z.iso.date()].flatMap(
    (schema) => [...(schema._zod.def.pattern === undefined ? [] : [schema._zod.def.pattern as RegExp])],
  );
  expect(patterns.length).toBeGreaterThan(2);
  expect(slowOf(patterns.map((pattern) => ({ place: 'zod', pattern })))).toEqual([]);
});

test('the search finds a quote that begins a search to the end, from each of many quotes', () => {
  expect(slowOf([{ place: 'here', pattern: /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/g }])).toHaveLength(1);
});

/** The exit code and the output of the rule on these lines of code, each in a file of its own. */
async function ruleOn(lines: readonly string[]): Promise<{ code: number; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'patterns-'));
  try {
    for (const [index, line] of lines.entries()) {
      await writeFile(join(folder, `line-${index}.ts`), `export const line = ${line};\n`);
    }
    const oxlint = join(projectFolder, 'node_modules/oxlint/bin/oxlint');
    const config = join(projectFolder, 'scripts/linear-patterns.json');
    const rule = ['--config', config, '-A', 'all', '-D', 'patterns/linear', folder];
    const { stdout } = await promisify(execFile)(process.execPath, [oxlint, ...rule], { cwd: projectFolder });
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { code, output: stdout };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the rule of npm run check refuses patterns that are not linear, and no others', async () => {
  const slow = ['/\\s*;\\s*/', '/%.*$/', '/^(a+)+$/', '/^[^x]*\\S[^x]*$/'];
  const { code, output } = await ruleOn(slow);
  expect(code).toBe(1);
  expect(output.match(/(quadratic|exponential) time/g)).toHaveLength(slow.length);
  for (const index of slow.keys()) expect(output).toContain(`line-${index}.ts`);
  expect(await ruleOn(['/\\s+/g', '/^\\d{4}-\\d\\d$/', '/;/'])).toMatchObject({ code: 0 });
});
