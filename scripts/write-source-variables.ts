// Writes what the descriptors of the sources of prices say about their variables: the rows of the table of variables and
// the lines of docker-compose.yml. `node scripts/node.mjs scripts/write-source-variables.ts`; a test compares both files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceVariables } from '../src/config/prices.ts';
import { MARKET_SOURCES } from '../src/spot-prices/providers/index.ts';
import { projectFolder } from './data-folder.mjs';

/** Behind it stand the variables of the sources. */
const FIRST = 'PRICES_SOURCES';

interface WrittenFile {
  /** From the project's folder. */
  readonly file: string;
  /** The variable that a line is about. */
  readonly variable: RegExp;
  readonly lines: readonly string[];
  /** The line before them, with the names of the sources in it. */
  readonly named?: (line: string) => string;
}

const WRITTEN: readonly WrittenFile[] = [
  {
    file: 'docs/configuration.md',
    variable: /^\| `([A-Z][A-Z0-9_]+)` \|/,
    lines: sourceVariables.map(
      ({ name, absent, meaning }) =>
        `| \`${name}\` | service, worker, command line | ${absent ?? 'none'} | ${meaning} |`,
    ),
    /* The default is the third cell. */
    named: (line) =>
      line.replace(
        /^(\| [^|]+ \| [^|]+ \| )[^|]+/,
        `$1\`${MARKET_SOURCES.map(({ name }) => name).join(',')}\` `,
      ),
  },
  {
    file: 'docker-compose.yml',
    variable: /^ {2}([A-Z][A-Z0-9_]+): \$\{/,
    lines: sourceVariables.map(({ name }) => `  ${name}: \${${name}:-}`),
  },
];

/** Each file as it is, and as the descriptors want it. */
export function sourceVariableFiles(): { file: string; present: string; expected: string }[] {
  const names = new Set<string>(sourceVariables.map(({ name }) => name));
  return WRITTEN.map(({ file, variable, lines, named = (line) => line }) => {
    const present = readFileSync(join(projectFolder, file), 'utf8');
    const nameIn = (line: string) => variable.exec(line)?.[1] ?? '';
    const others = present.split('\n').filter((line) => !names.has(nameIn(line)));
    const at = others.findIndex((line) => nameIn(line) === FIRST) + 1;
    if (at === 0) throw new Error(`${file} has no line about ${FIRST}`);
    const first = others[at - 1] ?? '';
    const expected = others.toSpliced(at - 1, 1, named(first), ...lines).join('\n');
    return { file, present, expected };
  });
}

if (import.meta.main) {
  for (const { file, expected } of sourceVariableFiles()) writeFileSync(join(projectFolder, file), expected);
}
