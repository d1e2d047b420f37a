import { isDeepStrictEqual } from 'node:util';
import { assertCustomerNotErased } from '../../identity/customers/service.ts';
import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { type CalendarDay, earlier } from '../../platform/time/berlin-calendar.ts';
import { noteChangedBills } from '../held-contracts/service.ts';
import {
  findPlant,
  listSuppliesOfHousehold,
  lockSubscription,
  type Plant,
  type SubscriptionRow,
  updatePlant,
} from './queries.ts';

/** The known facts about the plant of a feed-in contract, and about the taxes of its operator. */
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
    await assertCustomerNotErased(connection, organization, row.customer_id, 'subscription');
    const before = await findPlant(connection, organization, id);
    const plant = await updatePlant(connection, organization, id, known);
    if (!isDeepStrictEqual(before, plant))
      await noteBills(connection, organization, row, [before, plant], act);
    await audit(connection, { ...staffOf(act, organization), act: 'subscription.set_plant', object_id: id });
    return { id, ...plant };
  });
}

const ALWAYS = '0001-01-01';

/** All that was fed in is paid by it; what the household uses costs more metering from the day on which the plant began. */
async function noteBills(
  connection: Connection,
  organization: string,
  { id, household_id }: SubscriptionRow,
  plants: readonly (Plant | undefined)[],
  { now }: StaffAct,
): Promise<void> {
  await noteChangedBills(connection, organization, [id], ALWAYS, now);
  const begun = plants.map((plant) => plant?.plant_commissioned_on ?? ALWAYS);
  const supplies = await listSuppliesOfHousehold(connection, organization, household_id);
  await noteChangedBills(connection, organization, supplies, begun.reduce(earlier), now);
}
