import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { projectFolder } from './data-folder.mjs';

/*
 * The questions of sql/queries, as scripts, tests and load runs ask them.
 */

const queriesFolder = join(projectFolder, 'sql/queries');

export const SAMPLE_BEGINS = '-- Of the learning data, ';
/** Nothing is made of them: what the server says is what is shown. */
const AS_TEXT = { getTypeParser: () => (text: string | Buffer) => text };

export interface CookbookQuery {
  /** `01-load-duration-curve`. */
  name: string;
  /** The first line. */
  question: string;
  /** The comment without the sample. */
  head: string;
  statement: string;
  /** As the file has it. */
  text: string;
}

export async function cookbook(): Promise<CookbookQuery[]> {
  const names = (await readdir(queriesFolder)).filter((name) => name.endsWith('.sql')).sort();
  return await Promise.all(
    names.map(async (name) => readQuery(name, await readFile(join(queriesFolder, name), 'utf8'))),
  );
}

function readQuery(file: string, text: string): CookbookQuery {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => !line.startsWith('--'));
  const comment = lines.slice(0, begin);
  const sampleAt = comment.findIndex((line) => line.startsWith(SAMPLE_BEGINS));
  const head = (sampleAt === -1 ? comment : comment.slice(0, sampleAt - 1)).join('\n');
  return {
    name: file.replace(/\.sql$/, ''),
    question: (lines[0] ?? '').replace('-- ', ''),
    head,
    statement: lines.slice(begin).join('\n'),
    text,
  };
}

export interface Answer {
  columns: string[];
  rows: (string | null)[][];
}

/** The values as the server writes them. */
export async function answerOf(client: pg.ClientBase, { statement }: CookbookQuery): Promise<Answer> {
  const { fields, rows } = await client.query<(string | null)[]>({
    text: statement,
    rowMode: 'array',
    types: AS_TEXT,
  });
  return { columns: fields.map(({ name }) => name), rows };
}
