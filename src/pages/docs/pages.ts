import { join } from 'node:path';
import { pageRenderer } from '../../platform/http/pages/render.ts';

/** Words between backticks are code. */
export function partsOf(text: string): { text: string; isCode: boolean }[] {
  return text.split('`').map((part, index) => ({ text: part, isCode: index % 2 === 1 }));
}

export const renderPage = pageRenderer(join(import.meta.dirname, 'views'));
