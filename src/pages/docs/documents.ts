import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Failure } from '../../platform/errors.ts';
import { renderPage, sendPage } from './pages.ts';

/** What analysts read, in that order. All but the dictionary stand as files in `docs`. */
const PAGES = [
  { path: '/docs/analysts', name: 'Analysts', file: 'analysts.md' },
  { path: '/docs/dictionary', name: 'Dictionary', file: null },
  { path: '/docs/queries', name: 'Questions', file: 'queries.md' },
  { path: '/docs/trust', name: 'Trust', file: 'trust.md' },
] as const;

const PROJECT = join(import.meta.dirname, '../../..');
const QUERIES_FOLDER = join(PROJECT, 'sql/queries');

/** The navigation beside each of them. */
export function besideFor(path: string): object {
  const pages = PAGES.map((page) => ({ ...page, isCurrent: page.path === path }));
  return { name: 'Analysts', pages };
}

/** Documents of the project as pages, and the queries that they name as files. */
export function documentPages(app: FastifyInstance): void {
  for (const { path, name, file } of PAGES) {
    if (file === null) continue;
    const blocks = blocksOf(readFileSync(join(PROJECT, 'docs', file), 'utf8'));
    const page = renderPage('document', { title: name, blocks, beside: besideFor(path) });
    app.get(path, async (_request, reply) => sendPage(reply, page));
  }
  const queries = new Map(
    readdirSync(QUERIES_FOLDER).map((name) => [name, readFileSync(join(QUERIES_FOLDER, name))]),
  );
  app.get<{ Params: { file: string } }>('/docs/queries/:file', async (request, reply) => {
    const query = queries.get(request.params.file);
    if (query === undefined) throw new Failure('NOT_FOUND');
    return reply.header('cache-control', 'public, max-age=300').type('text/plain; charset=utf-8').send(query);
  });
}

/** Words, code, or a link. */
interface Part {
  text: string;
  isCode?: boolean;
  isStrong?: boolean;
  to?: string;
}

/** A heading and a paragraph have one line, a list one for each item; of a table the first row has the heads. */
type Block =
  | { kind: 'h1' | 'h2'; id: string; lines: Part[][] }
  | { kind: 'p' | 'list'; lines: Part[][] }
  | { kind: 'table'; rows: Part[][][] }
  | { kind: 'code'; code: string };

/** The blocks of a document, as far as those that are shown have them: no empty line in code, no list in a list. */
function blocksOf(markdown: string): Block[] {
  return markdown
    .trim()
    .split(/\n{2,}/)
    .map((block): Block => {
      const lines = block.split('\n');
      const [, marks, heading = ''] = /^(##?) (.*)$/.exec(block) ?? [];
      if (marks !== undefined)
        return { kind: marks === '#' ? 'h1' : 'h2', id: idOf(heading), lines: [partsOf(heading)] };
      if (block.startsWith('```')) return { kind: 'code', code: lines.slice(1, -1).join('\n') };
      if (block.startsWith('    '))
        return { kind: 'code', code: lines.map((line) => line.slice(4)).join('\n') };
      if (block.startsWith('|')) {
        const cells = lines.map((line) => line.split('|').slice(1, -1));
        return {
          kind: 'table',
          rows: cells.toSpliced(1, 1).map((row) => row.map((cell) => partsOf(cell.trim()))),
        };
      }
      if (block.startsWith('- ')) return { kind: 'list', lines: block.slice(2).split('\n- ').map(partsOf) };
      return { kind: 'p', lines: [partsOf(block)] };
    });
}

const idOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w ]/g, '')
    .replaceAll(' ', '-');

function partsOf(text: string): Part[] {
  const marked = /`([^`]+)`|\[([^[\]]+)\]\(([^()]+)\)|\*\*([^*]+)\*\*|([^`[*]+|.)/gs;
  return [...text.matchAll(marked)].flatMap(([, code, words, address = '', strong, plain = '']): Part[] => {
    if (code !== undefined) return [{ text: code, isCode: true }];
    if (strong !== undefined) return [{ text: strong, isStrong: true }];
    if (words === undefined) return [{ text: plain }];
    const to = addressOf(address);
    if (to !== undefined) return [{ text: words, to }];
    /* Not served: whoever has the project finds it there. */
    const file = join('docs', address.replace(/#.*/, ''));
    return [{ text: `${words} (` }, { text: file, isCode: true }, { text: ')' }];
  });
}

/** Where a link of a document leads on the pages. */
function addressOf(address: string): string | undefined {
  if (address.startsWith('#')) return address;
  const query = /^\.\.\/sql\/queries(\/.*)?$/.exec(address);
  if (query !== null) return `/docs/queries${query[1] ?? ''}`;
  const [file = '', ...anchor] = address.split(/(?=#)/);
  const page = PAGES.find(({ path }) => file === `${path.slice('/docs/'.length)}.md`);
  return page && page.path + anchor.join('');
}
