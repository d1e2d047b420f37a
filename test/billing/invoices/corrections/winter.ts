import { berlinMidnight } from '../../../../src/platform/time/berlin-calendar.ts';
import type { Contract } from '../../../contracts/usage/metered.ts';
import { payInFull } from '../../../setup/invoices.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { type Billed, startBilled } from '../billing.ts';

/* December 2026 and January 2027 are supplied and billed: values from 2027 on are kept until 2030 is over. */

const BILLED_ON = '2027-02-15T05:30:00.000Z';

export async function startWinter(): Promise<Billed> {
  const billed = await startBilled(BILLED_ON);
  await billed.price('2026-11-01', '2027-02-01', 80);
  await billed.issuer();
  for (const table of ['levies', 'grid_fees', 'grid_fee_schedules'])
    await storedRows(billed.api, `UPDATE ${table} SET valid_to = '2031-01-01' WHERE valid_to = '2027-01-01'`);
  return billed;
}

/** Billed elsewhere from February 2027 on, where it does not end then. */
export async function winterContract(
  billed: Billed,
  meter_type: 'smart' | 'analog',
  hasEnded: boolean,
): Promise<Contract> {
  billed.clock.set(BILLED_ON);
  const made = await billed.contract({
    ...{ meter_type, start_at: berlinMidnight('2026-12-01') },
    ...(hasEnded && { end_at: berlinMidnight('2027-02-01'), status: 'ended' }),
  });
  await storedRows(
    billed.api,
    `INSERT INTO billing_terms (organization_id, customer_id, subscription_id, valid_from, mode, basis)
     VALUES ($1, $2, $3, '2027-02-01', 'none', 'forecast')`,
    [billed.organization, made.place.customer, made.id],
  );
  return made;
}

export async function payBills(billed: Billed, contract: Contract): Promise<void> {
  const { database, clock } = billed.api.deps;
  for (const { id } of await billed.bills(contract))
    await database.inOrganization({ organization: billed.organization }, (connection) =>
      payInFull(connection, billed.organization, id, clock),
    );
}
