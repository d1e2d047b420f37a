import { join } from 'node:path';
import { Eta } from 'eta';
import type { StepCurve } from './step-curve.ts';

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

/** The frame of the pages that are open to everybody; `styles` and `scripts` of a page are addresses of ours. */
const PUBLIC_FRAME = join(import.meta.dirname, 'views');

/** The frame of the pages on which customers sign in and look at what is theirs: no script, their language. */
export const SCREEN_FRAME = join(PUBLIC_FRAME, 'screens');

/** The look of the public frame, and the icon of all pages. */
export const PUBLIC_STYLE_FILE = join(PUBLIC_FRAME, 'style.css');
export const ICON_FILE = join(PUBLIC_FRAME, 'icon.svg');

/** One page: its template inside a frame, which gets the same values. */
export type RenderPage = (template: string, page: { title: string } & Record<string, unknown>) => string;

/** Pages of one folder, in the frame of the folder `frames`. */
export function pageRenderer(views: string, frames = PUBLIC_FRAME): RenderPage {
  const content = engine(views);
  const frame = frames === views ? content : engine(frames);
  return (template, page) => {
    const inner = new Markup(content.render(`./${template}`, page));
    return withColumnNames(frame.render('./frame', { ...page, content: inner }));
  };
}

/** On a phone the cells of such a table stand below one another: each says of which column it is. */
function withColumnNames(html: string): string {
  return html.replaceAll(/<table[^>]* class="stacked".*?<\/table>/gs, (table) => {
    const names = [...table.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g)].map(([, name = '']) => name);
    return table.replaceAll(/<tr.*?<\/tr>/gs, (row) => {
      let column = 0;
      return row.replaceAll('<td', () => `<td data-column="${names[++column]}"`);
    });
  });
}

function engine(views: string): Eta {
  return new Eta({
    views,
    cache: true,
    escapeFunction: (value: unknown) =>
      value instanceof Markup
        ? value.html
        : String(value).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character),
  });
}

/** A page of the platform itself in the public frame. */
export const renderPublicPage = pageRenderer(PUBLIC_FRAME);

const parts = engine(PUBLIC_FRAME);

/** What is drawn by `stepCurve`, for a page to put in its place. */
export function curveDrawing(curve: StepCurve, words: { id: string; title: string; text: string }): Markup {
  return new Markup(parts.render('./step-curve', { curve, ...words }));
}

/** A mail as a page of its own. */
export function renderMail(mail: Record<string, unknown>): string {
  return parts.render('./mail', mail);
}
