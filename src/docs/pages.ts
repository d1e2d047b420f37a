import { join } from 'node:path';
import { pageRenderer } from '../platform/http/pages/render.ts';

export const renderPage = pageRenderer(join(import.meta.dirname, 'views'));
