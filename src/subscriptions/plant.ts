import { audit } from '../platform/audit.ts';
import type { Database } from '../platform/database/db.ts';
import { conflict, notFound } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { type StaffAct, staffOf } from '../platform/staff-act.ts';
import type { CalendarDay } from '../platform/time/berlin-calendar.ts';
import { lockSubscription, type Plant, updatePlant } from './queries.ts';

/** What is known of the plant of a feed-in contract, and of the taxes of who runs it. */
export interface KnownPlant {
  is_tax_exempt?: boolean;
  plant_commissioned_on?: CalendarDay;
  /** A decimal number as text: kW. */
  plant_size_kw?: string;
}

/** Enters what feed-in is paid by; what is not mentioned stays. */
export function setPlant(
  database: Database,
  organization: string,
  id: string,
  known: KnownPlant,
  act: StaffAct,
): Promise<{ id: string } & Plant> {
  return database.inOrganization({ organization }, async (connection) => {
    const row = isId(id) ? await lockSubscription(connection, organization, id) : undefined;
    if (row === undefined) throw notFound();
    if (row.type !== 'feed_in') {
      const message = 'Only a feed-in contract has a plant';
      throw conflict([{ code: 'custom', field: 'subscription', message }]);
    }
    const plant = await updatePlant(connection, organization, id, known);
    await audit(connection, { ...staffOf(act, organization), act: 'subscription.set_plant', object_id: id });
    return { id, ...plant };
  });
}
