import { join } from 'node:path';
import { Eta } from 'eta';

/** HTML that a template made: the only text that goes into a page unescaped. */
class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const eta = new Eta({
  views: join(import.meta.dirname, 'views'),
  cache: true,
  escapeFunction: (value: unknown) =>
    value instanceof Markup
      ? value.html
      : String(value).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character),
});

/** One page: its template inside the frame that all pages share. */
export function renderPage(template: string, page: { title: string } & Record<string, unknown>): string {
  const content = new Markup(eta.render(`./${template}`, page));
  return eta.render('./frame', { title: page.title, content });
}
