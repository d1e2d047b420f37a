import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Marked, Renderer } from 'marked';
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
    const html = htmlOf(readFileSync(join(PROJECT, 'docs', file), 'utf8'), name);
    const page = renderPage('document', { title: name, html, beside: besideFor(path) });
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

/** A document as HTML: its headings have the addresses that links name, and a wide table scrolls by itself. */
function htmlOf(markdown: string, title: string): string {
  let section = title;
  const { heading, table, link } = Renderer.prototype;
  const marked = new Marked({
    renderer: {
      heading(token) {
        if (token.depth > 1) section = token.text;
        return heading.call(this, token).replace('>', ` id="${idOf(token.text)}">`);
      },
      table(token) {
        const rows = table.call(this, token).replaceAll('<th>', '<th scope="col">');
        return `<div class="scroll" tabindex="0" role="region" aria-label="${section}">${rows}</div>`;
      },
      link(token) {
        const to = addressOf(token.href);
        if (to !== undefined) return link.call(this, { ...token, href: to });
        /* Not served: whoever has the project finds it there. */
        const file = join('docs', token.href.replace(/#.*/, ''));
        return `${this.parser.parseInline(token.tokens)} (<code>${file}</code>)`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

const idOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w ]/g, '')
    .replaceAll(' ', '-');

/** Where a link of a document leads on the pages. */
function addressOf(address: string): string | undefined {
  if (address.startsWith('#')) return address;
  const query = /^\.\.\/sql\/queries(\/.*)?$/.exec(address);
  if (query !== null) return `/docs/queries${query[1] ?? ''}`;
  const [file = '', ...anchor] = address.split(/(?=#)/);
  const page = PAGES.find(({ path }) => file === `${path.slice('/docs/'.length)}.md`);
  return page && page.path + anchor.join('');
}
