import { join } from 'node:path';
import { pageRenderer } from '../platform/http/pages.ts';

export const renderPage = pageRenderer(join(import.meta.dirname, 'views'));
