import { join } from 'node:path';
import { pageRenderer } from '../platform/pages.ts';

export const renderPage = pageRenderer(join(import.meta.dirname, 'views'));
