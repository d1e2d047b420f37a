import { holdContract } from '../../../contracts/held-contracts/service.ts';
import { audit } from '../../../platform/audit.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { badRequest, conflict } from '../../../platform/errors.ts';
import { Exact } from '../../../platform/money.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import {
  berlinDayOf,
  type CalendarDay,
  firstOfMonth,
  isFirstOfMonth,
} from '../../../platform/time/berlin-calendar.ts';
import { keepBilledRows } from '../../../tariffs/reference-data/keep-billed-rows.ts';
import { contractsOf } from '../basis/contracts.ts';
import type { BillingDeps } from '../jobs.ts';
import type { BillingMode } from '../plan/periods.ts';
import { listBillingTerms } from '../plan/queries.ts';
import { BillingRefused } from '../refusal.ts';
import { instalmentOn } from './instalments.ts';
import { type BillingTermsRow, findDocumentsFrom, findTermsOn, upsertTerms } from './queries.ts';

export interface ModeChange {
  readonly mode: BillingMode;
  /** First day of a month. */
  readonly from: CalendarDay;
  /** EUR a month with VAT, whole; absent with advance payment: what a quote for the contract comes to. */
  readonly instalment?: string;
}

type StoredTerms = Pick<BillingTermsRow, 'valid_from' | 'mode' | 'instalment' | 'basis'>;

const MODE_ACT = 'subscription.set_billing_mode';
const INSTALMENT_ACT = 'subscription.set_instalment';

/** How a contract is billed from a month on for which it has no document yet. */
export async function setBillingMode(
  { database }: Pick<BillingDeps, 'database'>,
  organization: string,
  id: string,
  { mode, from, instalment }: ModeChange,
  act: StaffAct,
): Promise<StoredTerms> {
  if (!isFirstOfMonth(from)) throw refused('from', 'The mode changes on the first day of a month');
  if (mode !== 'advance' && instalment !== undefined)
    throw refused('instalment', 'Only advance payment has an instalment');
  if (instalment !== undefined) checkWhole(instalment);
  return await database.inOrganization({ organization }, async (connection) => {
    const row = await heldContract(connection, organization, id);
    const change = { id, mode, from, instalment };
    const standing = await standingTerms(connection, organization, change, act, MODE_ACT);
    if (standing !== null) return standing;
    if (mode === 'advance') {
      if (row.type === 'feed_in') throw refused('mode', 'Nothing is paid in advance for what is fed in');
      const current = firstOfMonth(berlinDayOf(act.now));
      if (from < current)
        throw refused('from', `Months that are over are not paid in advance: from ${current} on`);
    }
    const document = await findDocumentsFrom(connection, organization, id, from);
    if (document !== undefined) {
      const message = `${document.invoice_number} is about days from ${from} on: the mode may change behind it`;
      throw conflict([{ code: 'custom', field: 'from', message }]);
    }
    const terms = { mode, instalment: null, basis: 'forecast' as const };
    const known =
      mode !== 'advance'
        ? terms
        : { ...terms, ...(await instalmentFor(connection, organization, { id, from, instalment })) };
    return await store(connection, organization, { ...row, valid_from: from, ...known }, act, MODE_ACT);
  });
}

/** Another instalment, on credible evidence of the customer (§41b(3) EnWG), from a month on that was not asked for yet. */
export async function setInstalment(
  { database }: Pick<BillingDeps, 'database'>,
  organization: string,
  id: string,
  { from, instalment }: { from: CalendarDay; instalment: string },
  act: StaffAct,
): Promise<StoredTerms> {
  checkWhole(instalment);
  return await database.inOrganization({ organization }, async (connection) => {
    const row = await heldContract(connection, organization, id);
    const change = { id, mode: 'advance', from, instalment } as const;
    const standing = await standingTerms(connection, organization, change, act, INSTALMENT_ACT);
    if (standing !== null) return standing;
    const terms = (await listBillingTerms(connection, organization, { first: id, last: id })).get(id) ?? [];
    const holding = terms.findLast(({ validFrom }) => validFrom <= from);
    if (holding?.mode !== 'advance') {
      const message = `The contract is not paid in advance on ${from}: invoices mode`;
      throw conflict([{ code: 'custom', field: 'from', message }]);
    }
    const document = await findDocumentsFrom(connection, organization, id, from);
    if (document !== undefined) {
      const message = `${document.invoice_number} asked for days from ${from} on already; the first free month is behind it`;
      throw conflict([{ code: 'custom', field: 'from', message }]);
    }
    const changed = {
      ...row,
      valid_from: from,
      mode: 'advance' as const,
      instalment,
      basis: 'evidence' as const,
    };
    return await store(connection, organization, changed, act, INSTALMENT_ACT);
  });
}

const refused = (field: string, message: string) => badRequest([{ code: 'custom', field, message }]);

function checkWhole(instalment: string): void {
  const amount = /^\d{1,6}$/.test(instalment) ? new Exact(instalment) : null;
  if (amount === null || amount.isZero())
    throw refused('instalment', 'An instalment is 1 to 999999 whole EUR');
}

async function heldContract(connection: Connection, organization: string, id: string) {
  const row = await holdContract(connection, organization, id);
  return { customer_id: row.customer_id, subscription_id: row.id, type: row.type };
}

/**
 * What was entered for this day before and says the same: a file of the back office runs again when one line of it was mended.
 * Where no instalment is said, that of the day stays.
 */
async function standingTerms(
  connection: Connection,
  organization: string,
  {
    id,
    mode,
    from,
    instalment,
  }: Pick<ModeChange, 'mode' | 'from'> & { id: string; instalment: string | undefined },
  act: StaffAct,
  name: string,
): Promise<StoredTerms | null> {
  const terms = await findTermsOn(connection, organization, id, from);
  if (terms?.valid_from !== from || terms.mode !== mode) return null;
  const isEvidence = terms.basis === 'evidence';
  if (instalment !== undefined && !(isEvidence && new Exact(instalment).equals(terms.instalment ?? 0)))
    return null;
  await audit(connection, { ...staffOf(act, organization), act: name, object_id: id, result: 'unchanged' });
  return terms;
}

async function instalmentFor(
  connection: Connection,
  organization: string,
  { id, from, instalment }: { id: string; from: CalendarDay; instalment: string | undefined },
): Promise<Pick<BillingTermsRow, 'instalment' | 'basis'>> {
  if (instalment !== undefined) return { instalment, basis: 'evidence' };
  const contract = (await contractsOf(connection, organization, [{ id, from }])).get(id);
  if (contract === undefined)
    throw conflict([
      { code: 'custom', field: 'subscription', message: 'The contract has no start of supply yet' },
    ]);
  const computed = await instalmentOn(connection, contract, from);
  if (!(computed instanceof BillingRefused)) {
    await keepBilledRows(connection, computed.rows);
    return { instalment: computed.amount, basis: 'forecast' };
  }
  const message = `What a month costs cannot be said: ${computed.detail} Give --instalment.`;
  throw conflict([{ code: 'custom', field: 'instalment', message }]);
}

async function store(
  connection: Connection,
  organization: string,
  row: Omit<BillingTermsRow, 'created_at'> & { type: string },
  act: StaffAct,
  name: string,
): Promise<StoredTerms> {
  const { type: _, ...terms } = row;
  await upsertTerms(connection, organization, { ...terms, created_at: act.now });
  await audit(connection, { ...staffOf(act, organization), act: name, object_id: terms.subscription_id });
  const { valid_from, mode, instalment, basis } = terms;
  return { valid_from, mode, instalment, basis };
}
