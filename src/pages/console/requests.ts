import { momentText, numberFormat } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { isRefused } from '../../platform/interface/request-record.ts';
import { addressOfNext, positionOf, ROWS_OF_PAGE } from './lists.ts';
import type { ConsoleSite } from './pages.ts';
import { listRequests } from './queries.ts';

const LOG_ID = /^\d{1,18}$/;
/** Whatever is no id of a request is found nowhere. */
const REQUEST_CHARACTERS_MAX = 100;

/** The requests of programs, the newest first: those of a page, a single one, or the refused ones. */
export function requestPages({ deps, page }: ConsoleSite): void {
  page('/requests', async ({ visitor: { organization }, t, query }) => {
    /* No text of the database holds a NUL. */
    const request = textOf(query, 'request').replaceAll('\0', '').trim().slice(0, REQUEST_CHARACTERS_MAX);
    const refusedOnly = textOf(query, 'refused') === 'yes';
    const after = positionOf(query, (id) => LOG_ID.test(id));
    const found = await deps.database.inOrganization({ organization }, (connection) =>
      listRequests(connection, organization, {
        ...{ request, refusedOnly, after, rows: ROWS_OF_PAGE + 1 },
      }),
    );
    const shown = found.slice(0, ROWS_OF_PAGE);
    const numbers = numberFormat(t.lang);
    const last = shown.at(-1);
    const next =
      found.length > shown.length && last !== undefined ? { created_at: last.at, id: last.id } : null;
    return {
      ...{ template: 'requests', of: 'requests' },
      values: {
        ...{ request, refusedOnly },
        requests: shown.map(({ at, rows_stored, problems, ...row }) => ({
          ...row,
          at,
          refused: isRefused(row.status),
          moment: momentText(at, t.lang),
          rows: rows_stored === null ? '–' : numbers.format(rows_stored),
          problems: (problems ?? []).map(({ code, field }) => (field === '' ? code : `${field}: ${code}`)),
        })),
        next: addressOfNext(next, { refused: refusedOnly ? 'yes' : '' }),
      },
    };
  });
}
