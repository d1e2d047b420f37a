import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { pageRenderer } from '../../platform/http/pages/render.ts';

/** Words between backticks are code. */
export function partsOf(text: string): { text: string; isCode: boolean }[] {
  return text.split('`').map((part, index) => ({ text: part, isCode: index % 2 === 1 }));
}

export const renderPage = pageRenderer(join(import.meta.dirname, 'views'));

/** Kept by browsers for five minutes, but for a page that shows the keys of a demo. */
export function sendPage(reply: FastifyReply, page: string, { isKept = true } = {}): FastifyReply {
  return reply
    .header('cache-control', isKept ? 'public, max-age=300' : 'no-store')
    .type('text/html; charset=utf-8')
    .send(page);
}
