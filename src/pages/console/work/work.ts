import { auditRead } from '../forms.ts';
import { ConsoleFailure, type ConsoleSite, WORK } from '../pages.ts';
import { entryPages } from './entries.ts';
import { placeIn, shownList, WORK_LISTS, type WorkListName } from './lists.ts';
import { orderPages } from './orders.ts';

const NAMES = Object.keys(WORK_LISTS) as WorkListName[];
/** The first rows of every list on one page; then each list has pages of its own. */
const ROWS_AT_FIRST = 5;
const ROWS_OF_PAGE = 25;

const whoseRows = ({ rows }: Awaited<ReturnType<typeof shownList>>) => rows.flatMap(({ whose }) => whose);

/** What waits for a person of the back office, and where it is done. */
export function workPages(site: ConsoleSite): void {
  const { deps, page } = site;
  const { clock, database } = deps;

  page(WORK, async (visit) => {
    const { t, visitor } = visit;
    const { organization } = visitor;
    const request = {
      organization,
      t,
      after: null,
      rows: ROWS_AT_FIRST,
      nowMilliseconds: clock.nowMilliseconds(),
    };
    const lists = await database.inOrganization({ organization }, async (connection) => {
      const found: Awaited<ReturnType<typeof shownList>>[] = [];
      for (const name of NAMES) found.push(await shownList(connection, name, request));
      await auditRead(connection, visit, found.flatMap(whoseRows));
      return found;
    });
    return { template: 'work', of: 'work', values: { hint: t.work.hint, lists } };
  });

  page(`${WORK}/:list`, async (visit) => {
    const { t, visitor, params, query } = visit;
    const { organization } = visitor;
    const name = NAMES.find((known) => known === params.list);
    if (name === undefined) throw new ConsoleFailure('not_found', 404);
    const after = placeIn(query, WORK_LISTS[name]);
    const request = { organization, t, after, rows: ROWS_OF_PAGE, nowMilliseconds: clock.nowMilliseconds() };
    const list = await database.inOrganization({ organization }, async (connection) => {
      const found = await shownList(connection, name, request);
      await auditRead(connection, visit, whoseRows(found));
      return found;
    });
    return {
      ...{ template: 'work', of: 'work', title: t.work.lists[name].title },
      values: { hint: null, lists: [list] },
    };
  });

  entryPages(site);
  orderPages(site);
}
