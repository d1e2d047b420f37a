import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { pricesAreSynthetic } from '../../config-prices.ts';
import type { Deps } from '../../deps.ts';
import { createSharedRead } from '../../platform/database/shared-read.ts';
import { Failure } from '../../platform/errors.ts';
import { pageRenderer } from '../../platform/http/pages.ts';
import { addVary } from '../../platform/http/vary.ts';
import { acceptsGzip } from '../../platform/interface/prepared-answer.ts';
import { readAttributions, readCurve } from './curve.ts';
import { curveDocument } from './document.ts';
import { sourceName, viewOf } from './view.ts';

const views = join(import.meta.dirname, 'views');
const renderPage = pageRenderer(views);

/** What everybody may keep, and for how long: the marker moves on by itself, prices appear once a day. */
const KEEP_CURVE = 'public, max-age=30';
const KEEP_SOURCES = 'public, max-age=300';
/** Its name changes with its content. */
const KEEP_FOR_EVER = 'public, max-age=31536000, immutable';

interface Asset {
  type: string;
  bytes: Buffer;
  gzipped: Buffer;
}

/** The day-ahead prices for people: a curve with its tables, and whom the data come from. Nobody has to sign in. */
export async function pricePages(
  app: FastifyInstance,
  { deps }: { deps: Pick<Deps, 'config' | 'database' | 'clock'> },
): Promise<void> {
  const { config, database, clock } = deps;
  const assets = new Map<string, Asset>();
  const script = addAsset('js', 'text/javascript; charset=utf-8', [
    readFileSync(fileURLToPath(import.meta.resolve('uplot/dist/uPlot.iife.min.js'))),
    viewFile('prices.js'),
  ]);
  const style = addAsset('css', 'text/css; charset=utf-8', [
    readFileSync(fileURLToPath(import.meta.resolve('uplot/dist/uPlot.min.css'))),
    viewFile('prices.css'),
  ]);
  const shared = createSharedRead<string>();
  const curveNow = () => readCurve(database, clock.nowMilliseconds(), config.PRICES_PAGE_FORECASTS);

  function addAsset(suffix: string, type: string, parts: readonly Buffer[]): string {
    const bytes = Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')]));
    const name = `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.${suffix}`;
    assets.set(name, { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) });
    return `/prices/files/${name}`;
  }

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

  app.get<{ Params: { file: string } }>('/prices/files/:file', async (request, reply) => {
    const asset = assets.get(request.params.file);
    if (asset === undefined) throw new Failure('NOT_FOUND');
    const takesGzip = acceptsGzip(request.headers['accept-encoding']);
    if (takesGzip) reply.header('content-encoding', 'gzip');
    return addVary(reply, 'accept-encoding')
      .header('cache-control', KEEP_FOR_EVER)
      .type(asset.type)
      .send(takesGzip ? asset.gzipped : asset.bytes);
  });

  app.get('/docs/data-sources', async (_request, reply) => {
    const attributions = await readAttributions(database);
    const sources = attributions.map(({ source, licence }) => ({ name: sourceName(source), licence }));
    const page = { title: 'Data sources', sources, isSynthetic: pricesAreSynthetic(config) };
    const html = renderPage('data-sources', page);
    return addVary(reply, 'accept-encoding')
      .header('cache-control', KEEP_SOURCES)
      .type('text/html; charset=utf-8')
      .send(html);
  });
}

function viewFile(name: string): Buffer {
  return readFileSync(join(views, name));
}
