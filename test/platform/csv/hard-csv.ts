import { parentPort } from 'node:worker_threads';
import { readCsvTable } from '../../../src/platform/csv/table.ts';
import { filled, type HardText, MEBIBYTES } from '../../setup/hard-texts.ts';

/* Runs as a thread of its own: see readHardTexts. */

const SHAPES: Readonly<Record<string, string>> = {
  'doubled quotes on one line': filled('"', '""', '"'),
  'quoted fields on one line': filled('', '"a",', '"a"'),
  'quotes without an end': filled('"', '""', 'a'),
  'lines inside a quoted field': filled('"', '\n', '"'),
  fields: filled('', ','),
  lines: filled('', '\n'),
  'carriage returns': filled('', '\r'),
  'quotes inside plain fields': filled('', 'a"\n'),
  'names of columns': Array.from({ length: 100_000 * MEBIBYTES }, (_, index) => `name_${index}`).join(','),
};

for (const [shape, text] of Object.entries(SHAPES)) {
  parentPort?.postMessage({ shape } satisfies HardText);
  const { problems } = readCsvTable(Buffer.from(text), { columns: ['code', 'name'] });
  const answer = { status: problems.length > 0 ? 'refused' : 'read', reasonCharacters: 0 };
  parentPort?.postMessage({ shape, answer } satisfies HardText);
}
