import { ERROR_CATALOGUE } from '../../platform/errors.ts';
import { momentText, numberFormat } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { isRefused, LEFT } from '../../platform/interface/request-record.ts';
import { addressOfNext, positionOf, ROWS_OF_PAGE } from './lists.ts';
import { CONSOLE_PATH, type ConsoleSite } from './pages.ts';
import { listRequests } from './queries.ts';

/** What programs are answered, out of which a visitor chooses. */
const STATUSES = [
  ...[200, 201, 204, 304, 400, 402, 403, 404, 405, 408, 409, 413, 415, 422, 429],
  ...[LEFT, 500, 503],
] as const;

/** The code at the top of a refusal, by its status: where a refusal has no entry, or one without a code of its own. */
const codeOf = (status: number) =>
  Object.entries(ERROR_CATALOGUE).find(([, kind]) => kind.status === status)?.[0] ??
  (status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR');

const LOG_ID = /^\d{1,18}$/;
/** Whatever is no id of a request is found nowhere. */
const REQUEST_CHARACTERS_MAX = 100;

/** The requests of programs, the newest first: those of a page, a single one, or the refused ones. */
export function requestPages({ deps, page }: ConsoleSite): void {
  page('/requests', async ({ visitor: { organization }, t, query }) => {
    /* No text of the database holds a NUL. */
    const request = textOf(query, 'request').replaceAll('\0', '').trim().slice(0, REQUEST_CHARACTERS_MAX);
    const refusedOnly = textOf(query, 'refused') === 'yes';
    const status = STATUSES.find((each) => String(each) === textOf(query, 'status')) ?? null;
    const after = positionOf(query, (id) => LOG_ID.test(id));
    const found = await deps.database.inOrganization({ organization }, (connection) =>
      listRequests(connection, organization, {
        ...{ request, refusedOnly, status, after, rows: ROWS_OF_PAGE + 1 },
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
        ...{ request, refusedOnly, status, statuses: STATUSES },
        requests: shown.map(({ at, rows_stored, problems, ...row }) => ({
          ...row,
          at,
          refused: isRefused(row.status),
          moment: momentText(at, t.lang),
          rows: rows_stored === null ? '–' : numbers.format(rows_stored),
          address: `${CONSOLE_PATH}/keys/${row.client_id}`,
          problems: problemsIn(row.status, problems ?? []),
        })),
        next: addressOfNext(next, { refused: refusedOnly ? 'yes' : '', status: String(status ?? '') }),
      },
    };
  });
}

function problemsIn(status: number, problems: readonly { code: string; field: string }[]): string[] {
  if (!isRefused(status)) return [];
  if (problems.length === 0) return [codeOf(status)];
  return problems.map(({ code, field }) => {
    const shown = code === 'custom' ? codeOf(status) : code;
    return field === '' ? shown : `${field}: ${shown}`;
  });
}
