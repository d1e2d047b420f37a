import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import { Findings } from '../../platform/errors.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import { holdMeter, meterNumberOf, recordType, stateOn } from '../meters/service.ts';
import { exchangeDevice, findEntered, type MeterExchange } from './exchange.ts';

/**
 * The partner mounted the smart meter that was ordered, or connected the device that is there: then the number stays, and
 * the register with it. What the back office has entered already is not entered again: false then.
 */
export async function installSmartMeter(
  connection: Connection,
  organization: string,
  id: string,
  mounted: Pick<MeterExchange, 'number' | 'closing'> & Partial<Pick<MeterExchange, 'on'>>,
  act: StaffAct,
): Promise<boolean> {
  /* Without a day whichever it was entered for: the line may come again on another one. */
  if ((await findEntered(connection, organization, id, () => ({ ...mounted, type: 'smart' }))) !== null)
    return false;
  const { on = berlinDayOf(act.now), number, closing } = mounted;
  const meter = await holdMeter(connection, organization, id);
  const present = stateOn(meter.states, on);
  if (present.number !== meterNumberOf({ number })) {
    await exchangeDevice(connection, organization, id, { ...mounted, on, type: 'smart' }, act);
    return true;
  }
  const findings = new Findings();
  if (on > berlinDayOf(act.now)) findings.conflict('custom', 'on', 'The day is still to come');
  if (closing !== undefined) {
    findings.conflict('custom', 'closing', 'The device stays: enter what it showed as a reading of the day');
  }
  /* Smart since one day, whatever other rows say of the device since; what a sign-up says may be of days to come. */
  const ofDevice = meter.states.filter(({ register }) => register === present.register);
  const since = ofDevice[ofDevice.findLastIndex(({ type }) => type !== 'smart') + 1]?.valid_from ?? null;
  if (mounted.on !== undefined && since !== null && since <= berlinDayOf(act.now) && mounted.on !== since) {
    const isNewest = present.register === meter.states.at(-1)?.register;
    const command = since === ofDevice[0]?.valid_from ? 'correct-exchange' : 'change';
    const message = `It is smart since ${since}: leave the day out, or correct that one (meters ${command})`;
    if (isNewest) findings.conflict('custom', 'on', message);
    else findings.conflict('custom', 'number', 'Another device was mounted after this one');
  }
  findings.throwIfAny();
  if (present.type === 'smart') return false;
  await recordType(connection, organization, meter, { on, type: 'smart' }, act.now);
  await audit(connection, { ...staffOf(act, organization), act: 'meter.change', object_id: id });
  return true;
}
