import { audit } from '../../platform/audit.ts';
import type { Database } from '../../platform/database/db.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { auditLook, type StaffAct, staffOf } from '../../platform/staff-act.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import {
  findMeterPlace,
  listMeterStates,
  type MeterState,
  updateFirstType,
  upsertMeterChange,
} from './queries.ts';
import { holdMeter, lockMarketLocations, recordMeterLocations } from './service.ts';

/** What the back office learned of a meter. Another device is an exchange. */
export interface MeterChange {
  /** Null: it was so from the beginning. */
  valid_from: CalendarDay | null;
  type?: MeterState['type'];
  metering_operator?: string;
  melo?: string;
  malo?: string;
}

/**
 * Corrects what a meter is from a day on, or where it is; what the back office said of the same day before is replaced. Its
 * place is never another one from a day on.
 */
export function changeMeter(
  database: Database,
  organization: string,
  id: string,
  { valid_from, type, metering_operator, ...locations }: MeterChange,
  act: StaffAct,
) {
  if (valid_from === null && metering_operator !== undefined) {
    const message = 'The first one is the grid operator: give the day from which it is another one';
    throw badRequest([{ code: 'custom', field: 'metering_operator', message }]);
  }
  const [location] = Object.keys(locations);
  if (valid_from !== null && location !== undefined) {
    const message = 'It was so from the beginning: leave the day out';
    throw badRequest([{ code: 'custom', field: location, message }]);
  }
  return database.inOrganization({ organization }, async (connection) => {
    if (location !== undefined) await lockMarketLocations(connection, organization);
    const { customer_id } = await holdMeter(connection, organization, id);
    const fields = { ...(type !== undefined && { type }), ...(metering_operator && { metering_operator }) };
    const day = { meter_id: id, customer_id, ...fields };
    const isChanged =
      valid_from !== null
        ? await upsertMeterChange(connection, organization, { ...day, valid_from }, act.now)
        : type !== undefined && (await updateFirstType(connection, organization, id, type, act.now));
    const isLocated = await recordMeterLocations(connection, organization, id, locations, act.now);
    const result = isChanged || isLocated ? 'done' : 'unchanged';
    await audit(connection, { ...staffOf(act, organization), act: 'meter.change', object_id: id, result });
    const place = await findMeterPlace(connection, organization, id);
    return { ...place, id, states: await listMeterStates(connection, organization, id) };
  });
}

/** A meter with its history, for the back office. It names the device, so who looked is kept. */
export function meterForStaff(database: Database, organization: string, id: string, act: StaffAct) {
  return database.inOrganization({ organization }, async (connection) => {
    const place = isId(id) ? await findMeterPlace(connection, organization, id) : undefined;
    if (place === undefined) throw notFound();
    await auditLook(connection, act, organization, [id]);
    return { ...place, states: await listMeterStates(connection, organization, id) };
  });
}
