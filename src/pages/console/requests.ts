import { momentText, numberFormat } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { instantInUtc } from '../../platform/time/instant.ts';
import type { ConsoleSite } from './pages.ts';
import { listRequests } from './queries.ts';

const ROWS_OF_PAGE = 50;
/** `2026-11-20T10:00:00.123Z.17`: behind which row of the log the page begins. */
const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z)\.(\d{1,18})$/;
/** Whatever is no id of a request is found nowhere. */
const REQUEST_CHARACTERS_MAX = 100;

/** What programs asked for, the newest first: of a page, of one request, or of those that were refused. */
export function requestPages({ deps, page }: ConsoleSite): void {
  page('/requests', async ({ visitor: { organization }, t, query }) => {
    const request = textOf(query, 'request').trim().slice(0, REQUEST_CHARACTERS_MAX);
    const refusedOnly = textOf(query, 'refused') === 'yes';
    const [, instant = '', id = ''] = PLACE.exec(textOf(query, 'after')) ?? [];
    const createdAt = instantInUtc(instant);
    const found = await deps.database.inOrganization({ organization }, (connection) =>
      listRequests(connection, organization, {
        ...{ request, refusedOnly, rows: ROWS_OF_PAGE + 1 },
        after: createdAt === null ? null : { createdAt, id },
      }),
    );
    const shown = found.slice(0, ROWS_OF_PAGE);
    const numbers = numberFormat(t.lang);
    const last = shown.at(-1);
    const next = new URLSearchParams({
      ...(refusedOnly && { refused: 'yes' }),
      ...(last && { after: `${last.at}.${last.id}` }),
    });
    return {
      ...{ template: 'requests', of: 'requests' },
      values: {
        ...{ request, refusedOnly },
        requests: shown.map(({ at, rows_stored, problems, ...row }) => ({
          ...row,
          at,
          moment: momentText(at, t.lang),
          rows: rows_stored === null ? '–' : numbers.format(rows_stored),
          problems: (problems ?? []).map(({ code, field }) => (field === '' ? code : `${field}: ${code}`)),
        })),
        next: found.length > shown.length ? `?${next}` : null,
      },
    };
  });
}
