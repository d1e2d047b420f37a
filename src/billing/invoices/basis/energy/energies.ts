import { partsWithin, settledUntil } from '../../../../contracts/usage/service.ts';
import type { Connection } from '../../../../platform/database/db.ts';
import type { CalendarDay } from '../../../../platform/time/berlin-calendar.ts';
import { type CurvePoint, realizedQuarterHours } from '../../../../spot-prices/service.ts';
import type { BilledPeriod } from '../../calculate/contract.ts';
import type { PeriodEnergy, SlotPlan } from '../../calculate/energy.ts';
import { BillingRefused } from '../../refusal.ts';
import { type AnalogContract, addAnalogEnergy } from './analog.ts';
import { EnergySum } from './energy-sum.ts';
import { type ContractPeriod, unfrozenMonths } from './freeze.ts';
import { addSmartEnergy, type SmartGroup } from './smart.ts';

/** Beside its days the prices of the grid on them. */
export interface MeteredBill extends ContractPeriod {
  readonly plan: SlotPlan;
}

export interface EnergyOptions {
  /** Quarter hours that nobody measured are estimated by the load profile, and the bill says so. Else they refuse it. */
  readonly estimateGaps: boolean;
  readonly nowMilliseconds: number;
}

interface Open extends MeteredBill {
  readonly collected: EnergySum;
  readonly prices: readonly CurvePoint[];
}

/**
 * Energy that contracts used, or fed in, by the slots of their plans. The result is by the id of the contract, so that each
 * may be asked for once. Reads only: months that nobody has frozen yet are frozen before, by `freezeMonths`, or refused here.
 */
export async function energiesOf(
  connection: Connection,
  organization: string,
  bills: readonly MeteredBill[],
  { estimateGaps, nowMilliseconds }: EnergyOptions,
): Promise<Map<string, PeriodEnergy | BillingRefused>> {
  if (new Set(bills.map(({ contract }) => contract.id)).size < bills.length)
    throw new Error('A contract is asked for once at a time');
  const pricesOf = rememberedPrices(connection);
  const open: Open[] = [];
  for (const bill of bills) {
    open.push({ ...bill, collected: new EnergySum(), prices: await pricesOf(bill.period) });
  }
  await refuseUnsettled(connection, organization, open, nowMilliseconds);

  const analog: AnalogContract[] = [];
  const smart = new Map<
    string,
    { group: Omit<SmartGroup, 'contracts'>; contracts: SmartGroup['contracts'][number][] }
  >();
  for (const bill of open.filter(({ collected }) => collected.refusal === null)) {
    const { contract, plan, period, prices, collected } = bill;
    const parts = partsWithin(contract.meterParts, period.from, period.until);
    const ofAnalog = parts.filter(({ type }) => type === 'analog');
    if (ofAnalog.length > 0) analog.push({ contract, plan, parts: ofAnalog, prices, collected });
    const spans = parts.filter(({ type }) => type === 'smart');
    if (spans.length === 0) continue;
    const key = [plan.key, ...spans.flatMap(({ first, end }) => [first, end])].join(' ');
    const known = smart.get(key) ?? { group: { plan, spans, prices }, contracts: [] };
    known.contracts.push({ contract, collected, spans });
    smart.set(key, known);
  }
  await addAnalogEnergy(connection, organization, analog, nowMilliseconds);
  for (const { group, contracts } of smart.values()) {
    try {
      await addSmartEnergy(connection, organization, { ...group, contracts }, { estimateGaps });
    } catch (error) {
      if (!(error instanceof BillingRefused)) throw error;
      for (const { collected } of contracts) collected.refuse(error);
    }
  }
  return new Map(
    open.map(({ contract, collected }) => [contract.id, collected.refusal ?? collected.energy()]),
  );
}

/** Portions of a run have one period, or a few: its prices are read once. */
function rememberedPrices(connection: Connection) {
  const known = new Map<string, readonly CurvePoint[]>();
  return async ({ from, until }: BilledPeriod): Promise<readonly CurvePoint[]> => {
    const key = `${from} ${until}`;
    const prices = known.get(key) ?? (await realizedQuarterHours(connection, from, until));
    known.set(key, prices);
    return prices;
  };
}

async function refuseUnsettled(
  connection: Connection,
  organization: string,
  open: readonly Open[],
  nowMilliseconds: number,
): Promise<void> {
  const end = settledUntil(nowMilliseconds);
  const unfrozen = new Map<string, CalendarDay>();
  for (const { subscription, month } of await unfrozenMonths(
    connection,
    organization,
    open,
    nowMilliseconds,
  )) {
    if (!unfrozen.has(subscription)) unfrozen.set(subscription, month);
  }
  for (const { contract, period, collected } of open) {
    const parts = partsWithin(contract.meterParts, period.from, period.until);
    const smart = parts.findLast(({ type }) => type === 'smart');
    if (smart !== undefined && smart.end > end) {
      const detail = `usage_quarter_hours: values of ${end} and later may still change`;
      collected.refuse(new BillingRefused('not_settled', detail));
    }
    const month = unfrozen.get(contract.id);
    if (month === undefined) continue;
    const detail = `settled_usage_months: the month of ${month} is not frozen for ${contract.id} yet; the job settle-usage does it`;
    collected.refuse(new BillingRefused('not_settled', detail));
  }
}
