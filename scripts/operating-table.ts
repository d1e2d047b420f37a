import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './data-folder.mjs';

const page = join(projectFolder, 'docs', 'operating.md');

/** A page as it is, and as it should be. */
export interface WrittenPage {
  present: string;
  expected: string;
}

/** docs/operating.md with these rows, each the texts of its cells, in the table that has these columns. */
export function withTable(columns: readonly string[], rows: readonly (readonly string[])[]): WrittenPage {
  const present = readFileSync(page, 'utf8');
  const head = `| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}\n`;
  const start = present.indexOf(head);
  if (start === -1) throw new Error(`docs/operating.md has no table of ${columns.join(', ')}`);
  const before = present.slice(0, start + head.length);
  const behind = present.slice(before.length).replace(/^(?:\|.*\n)*/, '');
  return { present, expected: before + rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('') + behind };
}

export function writeOperatingPage({ expected }: WrittenPage): void {
  writeFileSync(page, expected);
}
