import { audit } from '../../platform/audit.ts';
import type { Database } from '../../platform/database/db.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { holdMeter } from '../meters/service.ts';
import { findSubscription } from '../subscriptions/queries.ts';
import { assertFits } from './fits.ts';
import {
  findReading,
  findReplacement,
  findSameReading,
  insertReading,
  listReadingsOfDay,
  type ReadingRow,
  updateReadingWithdrawn,
} from './queries.ts';
import { isReal } from './rules.ts';
import { newMeterReadingId } from './schema.ts';

/**
 * Takes back a reading that was wrong, and enters what the same counter showed on that day, where that is known. The wrong one
 * stays stored and counts no more: else no true reading below it would ever fit, and its bills could not be put right.
 */
export function correctReading(
  database: Database,
  organization: string,
  id: string,
  { value }: { value?: string },
  act: StaffAct,
): Promise<{ withdrawn: string; reading: ReadingRow | null }> {
  return database.inOrganization({ organization }, async (connection) => {
    const found = isId(id) ? await findReading(connection, organization, id) : undefined;
    if (found === undefined) throw notFound();
    const { subscription_id, meter_id, customer_id, read_on, register, type } = found;
    await holdMeter(connection, organization, meter_id);
    const line = staffOf(act, organization);
    if (!(await updateReadingWithdrawn(connection, organization, id, act.now))) {
      const same = (text: string) =>
        findSameReading(connection, organization, subscription_id, { read_on, type, value: text });
      const reading = value === undefined ? null : await same(value);
      if (reading === undefined) throw refused('no reading that counts on its day has this value');
      if (reading === null) {
        const ofDay = await listReadingsOfDay(connection, organization, meter_id, read_on);
        const other = ofDay.find(
          (counting) =>
            counting.subscription_id === subscription_id &&
            counting.register === register &&
            isReal(counting),
        );
        const replacement = await findReplacement(connection, organization, id);
        const counting = replacement ?? (isReal(found) ? other?.id : undefined);
        if (counting !== undefined) throw refused(`${counting} counts in its place`);
      }
      await audit(connection, { ...line, act: 'meter_reading.withdraw', object_id: id, result: 'unchanged' });
      return { withdrawn: id, reading };
    }
    await audit(connection, { ...line, act: 'meter_reading.withdraw', object_id: id });
    if (value === undefined) return { withdrawn: id, reading: null };
    const subscription = await findSubscription(connection, organization, undefined, subscription_id);
    if (subscription === undefined) throw new Error(`Reading ${id} is of no contract`);
    const sent = { value, read_on, register, type };
    await assertFits(connection, organization, subscription, sent, 'supplier');
    const reading = await insertReading(connection, organization, {
      ...sent,
      ...{ id: newMeterReadingId(), customer_id, subscription_id, meter_id, created_at: act.now },
    });
    await audit(connection, { ...line, act: 'meter_reading.create', object_id: reading.id });
    return { withdrawn: id, reading };
  });
}

function refused(why: string) {
  return conflict([{ code: 'custom', field: 'reading', message: `It was withdrawn before, and ${why}` }]);
}
