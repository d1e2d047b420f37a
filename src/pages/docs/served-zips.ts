import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import { unavailable } from '../../platform/errors.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { type ZipService, zipService } from '../../tariffs/reference-data/service.ts';
import { renderPage } from './pages.ts';

/**
 * Everybody may ask, and each new code is a look into the database. A caller who tries all codes must not take the
 * connections of those who have a token.
 */
const LOOKS_AT_ONCE_MAX = 4;

const SHOWN_CHARACTERS_MAX = 10;

/** `/docs/served-zips?zip=10115`: a form without a script, and what is known of the code that was sent. */
export function servedZipsPage(
  app: FastifyInstance,
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
): void {
  let looks = 0;

  async function look(zip: string): Promise<ZipService> {
    if (looks >= LOOKS_AT_ONCE_MAX) throw unavailable();
    looks += 1;
    try {
      const on = berlinDayAt(clock.nowMilliseconds());
      return await database.asService((connection) => zipService(connection, zip, on));
    } finally {
      looks -= 1;
    }
  }

  app.get<{ Querystring: { zip?: unknown } }>('/docs/served-zips', async (request, reply) => {
    const { zip } = request.query;
    const isZip = typeof zip === 'string' && /^\d{5}$/.test(zip);
    const page = {
      title: 'Served ZIP codes',
      /* What was mistyped is there to be mended; a longer text was not typed. */
      zip: typeof zip === 'string' && zip.length <= SHOWN_CHARACTERS_MAX ? zip : '',
      found: isZip ? await look(zip) : null,
      isWrong: zip !== undefined && !isZip,
    };
    return reply
      .code(page.isWrong ? 400 : 200)
      .header('cache-control', 'public, max-age=60')
      .type('text/html; charset=utf-8')
      .send(renderPage('served-zips', page));
  });
}
