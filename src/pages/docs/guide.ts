import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { PREVIEW_VERSION } from '../../config/versions.ts';
import { PACE_IN_WORDS } from '../../platform/body/pace.ts';
import type { Deps } from '../../platform/deps.ts';
import { installLastingFiles } from '../../platform/http/pages/lasting-files.ts';
import { type FieldType, operatorsOf } from '../../platform/interface/filters.ts';
import type { RouteName } from '../../platform/interface/route.ts';
import { demoClientFor } from './demo-client.ts';
import { renderPage, sendPage } from './pages.ts';
import { SIGNS } from './signs.ts';

const views = join(import.meta.dirname, 'views');

/** Programs that the guide shows as they stand, and that a test runs. */
const GATEWAYS = {
  node: readFileSync(join(views, 'gateway.js'), 'utf8'),
  python: readFileSync(join(views, 'gateway.py'), 'utf8'),
};

const FIELD_TYPES: readonly FieldType[] = ['string', 'number', 'date', 'boolean', 'enum'];

/** In the order in which they are read. */
const PAGES = [
  { path: '/docs', template: 'start', name: 'First snapshot', title: 'Guide' },
  { path: '/docs/rows', template: 'rows', name: 'Rows of a batch', title: 'Rows of a batch' },
  { path: '/docs/gateways', template: 'gateways', name: 'Gateways', title: 'Gateways' },
  { path: '/docs/rules', template: 'rules', name: 'Rules', title: 'Rules of the interface' },
  {
    ...{ path: '/docs/customers', template: 'customers', name: 'Customers and prices' },
    title: 'Customers, prices and events',
  },
] as const;

export function guidePages(
  app: FastifyInstance,
  { config }: Pick<Deps, 'config'>,
  callsOfCustomers: readonly RouteName[],
): void {
  const addFile = installLastingFiles(app, '/docs/files');
  const copy = addFile('js', 'text/javascript; charset=utf-8', [join(views, 'copy.js')]);
  const fieldTypes = FIELD_TYPES.map((type) => ({ name: type, operators: operatorsOf({ type }).join(' ') }));
  const values = {
    ...{ baseUrl: config.BASE_URL, preview: PREVIEW_VERSION, fieldTypes, signs: SIGNS },
    ...{ retention: retentionSentence(config.SNAPSHOT_RETENTION_MONTHS), pace: PACE_IN_WORDS },
    isPlainHttp: config.BASE_URL.startsWith('http:'),
    ...{ gateways: GATEWAYS, scripts: [copy], callsOfCustomers },
  };
  for (const [index, { path, template, title }] of PAGES.entries()) {
    const page = {
      ...{ ...values, title, before: PAGES[index - 1] ?? null, next: PAGES[index + 1] ?? null },
      beside: {
        name: 'Guide',
        pages: PAGES.map((other) => ({ ...other, isCurrent: other.path === path })),
      },
    };
    app.get(path, async (request, reply) => {
      const demo = demoClientFor(request, config);
      return sendPage(reply, renderPage(`guide/${template}`, { ...page, demo }), { isKept: demo === null });
    });
  }
}

function retentionSentence(months: number): string {
  if (months === 0)
    return 'Raw snapshots are kept without limit here: only rows before 1715 are refused as too old.';
  return `Raw snapshots are kept for ${months} months, and older rows are refused.`;
}
