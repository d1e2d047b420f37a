import { audit } from '../../platform/audit.ts';
import type { Database } from '../../platform/database/db.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { berlinMilliseconds, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { listReplacedUsage, type ReplacedValue } from './queries.ts';

/** A year of quarter hours, each replaced three times. */
const ROWS_MAX = 100_000;

/** Final values of some days, the second one exclusive, that an import replaced. */
export function usageHistory(
  database: Database,
  organization: string,
  subscription: string,
  days: { start: CalendarDay; end: CalendarDay },
  act: StaffAct,
): Promise<ReplacedValue[]> {
  return database.inOrganization({ organization }, async (connection) => {
    const span = { from: berlinMilliseconds(days.start), until: berlinMilliseconds(days.end) };
    const rows = await listReplacedUsage(connection, { organization, subscription }, span, ROWS_MAX + 1);
    if (rows.length > ROWS_MAX) throw new Error(`More than ${ROWS_MAX} values: ask for fewer days`);
    const entry = { ...staffOf(act, organization), act: 'usage.history', object_id: subscription };
    await audit(connection, entry);
    return rows;
  });
}
