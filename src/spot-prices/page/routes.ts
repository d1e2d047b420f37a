import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pricesAreSynthetic } from '../../config/prices.ts';
import { createSharedRead } from '../../platform/database/shared-read.ts';
import type { Deps } from '../../platform/deps.ts';
import { installLastingFiles, UPLOT } from '../../platform/http/pages/lasting-files.ts';
import { pageRenderer } from '../../platform/http/pages/render.ts';
import { addVary } from '../../platform/http/vary.ts';
import { MARKET_SOURCES, meansSource } from '../providers/index.ts';
import { sentenceName } from '../providers/price-source.ts';
import { readAttributions, readCurve } from './curve.ts';
import { curveDocument } from './document.ts';
import { sourceName, viewOf } from './view.ts';

const views = join(import.meta.dirname, 'views');
const renderPage = pageRenderer(views);

/** What everybody may keep, and for how long: the marker moves on by itself, prices appear once a day. */
const KEEP_CURVE = 'public, max-age=30';
const KEEP_SOURCES = 'public, max-age=300';

const MARKET_SOURCE_NAMES = new Intl.ListFormat('en-GB').format(MARKET_SOURCES.map(sentenceName));

/** The day-ahead prices for people: a curve with its tables, and whom the data come from. Nobody has to sign in. */
export async function pricePages(
  app: FastifyInstance,
  { deps }: { deps: Pick<Deps, 'config' | 'database' | 'clock'> },
): Promise<void> {
  const { config, database, clock } = deps;
  const addFile = installLastingFiles(app, '/prices/files');
  const script = addFile('js', 'text/javascript; charset=utf-8', [UPLOT.script, join(views, 'prices.js')]);
  const style = addFile('css', 'text/css; charset=utf-8', [UPLOT.style, join(views, 'prices.css')]);
  const shared = createSharedRead<string>();
  const curveNow = () => readCurve(database, clock.nowMilliseconds(), config.PRICES_PAGE_FORECASTS);

  async function renderCurve(): Promise<string> {
    const view = viewOf(await curveNow());
    const page = { ...view, title: 'Day-ahead prices', isSynthetic: pricesAreSynthetic(config) };
    return renderPage('prices', { ...page, styles: [style], scripts: [script] });
  }

  app.get('/prices', async (_request, reply) =>
    addVary(reply, 'accept-encoding')
      .header('cache-control', KEEP_CURVE)
      .type('text/html; charset=utf-8')
      .send(await shared('page', renderCurve)),
  );

  app.get('/prices/curve.json', async (_request, reply) =>
    addVary(reply, 'accept-encoding')
      .header('cache-control', KEEP_CURVE)
      .type('application/json; charset=utf-8')
      .send(await shared('document', async () => curveDocument(await curveNow()))),
  );

  app.get('/docs/data-sources', async (_request, reply) => {
    const attributions = await readAttributions(database);
    const sources = attributions.map(({ source, licence }) => ({ name: sourceName(source), licence }));
    const page = {
      ...{ title: 'Data sources', sources, isSynthetic: pricesAreSynthetic(config) },
      ...{ marketSources: MARKET_SOURCE_NAMES, means: meansSource.title },
    };
    const html = renderPage('data-sources', page);
    return addVary(reply, 'accept-encoding')
      .header('cache-control', KEEP_SOURCES)
      .type('text/html; charset=utf-8')
      .send(html);
  });
}
