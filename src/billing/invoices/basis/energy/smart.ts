import type { Decimal } from 'decimal.js';
import { listKeptStarts } from '../../../../contracts/usage/queries.ts';
import type { Connection } from '../../../../platform/database/db.ts';
import { Exact } from '../../../../platform/money.ts';
import { berlinMilliseconds } from '../../../../platform/time/berlin-calendar.ts';
import type { CurvePoint } from '../../../../spot-prices/service.ts';
import { householdQuarterHours } from '../../../../tariffs/expected-usage/service.ts';
import type { BilledContract } from '../../calculate/contract.ts';
import type { SlotPlan } from '../../calculate/energy.ts';
import { BillingRefused } from '../../refusal.ts';
import { type EnergySum, kwhText } from './energy-sum.ts';
import {
  type DaySpan,
  missingProfile,
  type PlannedQuarterHour,
  plannedQuarterHours,
} from './quarter-hours.ts';
import { type KeptSum, listFirstGaps, listKeptSums } from './queries.ts';

/** Days of a smart meter with one device. */
export interface SmartSpan extends DaySpan {
  readonly number: string;
  readonly register: number;
}

interface SmartContract {
  readonly contract: BilledContract;
  readonly collected: EnergySum;
  /** As many as those of the group, on the same days. */
  readonly spans: readonly SmartSpan[];
}

/** Contracts with one plan whose meters were smart on the same days: they are summed together. */
export interface SmartGroup {
  readonly plan: SlotPlan;
  readonly spans: readonly DaySpan[];
  readonly contracts: readonly SmartContract[];
  readonly prices: readonly CurvePoint[];
}

/** One statement reads about so many quarter hours, a month of 200 contracts: 2 s on a busy machine, far from its limit. */
const QUARTER_HOURS_AT_ONCE = 600_000;

/** A contract, what is known of it, and what each span of it comes to. */
interface Tally extends SmartContract {
  quarterHours: number;
  readonly kwhOfSpan: Decimal[];
}

export async function addSmartEnergy(
  connection: Connection,
  organization: string,
  { plan, spans, contracts, prices }: SmartGroup,
  { estimateGaps }: { estimateGaps: boolean },
): Promise<void> {
  const schedule = plannedQuarterHours(plan, prices, spans);
  const atOnce = Math.max(1, Math.floor(QUARTER_HOURS_AT_ONCE / schedule.length));
  const tallies: Tally[] = [];
  for (let begin = 0; begin < contracts.length; begin += atOnce) {
    const portion = contracts.slice(begin, begin + atOnce);
    const ids = portion.map(({ contract }) => contract.id);
    const sums = await listKeptSums(connection, organization, ids, schedule);
    const ofContract = Map.groupBy(sums, ({ subscription }) => subscription);
    tallies.push(...portion.map((smart) => tallyOf(smart, ofContract.get(smart.contract.id) ?? [])));
  }
  const open = tallies.filter(({ quarterHours }) => quarterHours < schedule.length);
  /* Feed-in is paid for when it was measured, and never by the profile of those who use energy. */
  const fillable = open.filter(({ contract }) => estimateGaps && contract.type === 'consumption');
  if (fillable.length > 0) await fill(connection, organization, fillable, { schedule, spans });
  await refuse(
    connection,
    organization,
    open.filter((tally) => !fillable.includes(tally)),
    schedule,
  );
  for (const { collected, spans: devices, kwhOfSpan } of tallies) {
    for (const [index, { number, register, first, end }] of devices.entries()) {
      collected.readings.push({
        ...{ meterNumber: number, register, kwh: kwhText(kwhOfSpan[index] ?? 0) },
        start: { on: first, value: null, obtained: 'remote' },
        end: { on: end, value: null, obtained: 'remote' },
      });
    }
  }
}

function tallyOf(smart: SmartContract, sums: readonly KeptSum[]): Tally {
  const { collected, spans } = smart;
  const tally: Tally = { ...smart, quarterHours: 0, kwhOfSpan: spans.map(() => new Exact(0)) };
  let [kwh, own] = [new Exact(0), new Exact(0)];
  let ownQuarterHours = 0;
  for (const sum of sums) {
    collected.add(sum.slot, {
      kwh: sum.kwh,
      kwhTimesPrice: sum.kwh_times_price,
      kwhAtNegativePrice: sum.kwh_at_negative_price,
    });
    addTo(tally.kwhOfSpan, sum.span, sum.kwh);
    tally.quarterHours += sum.quarter_hours;
    ownQuarterHours += sum.own_quarter_hours;
    own = own.plus(sum.own_kwh);
    kwh = kwh.plus(sum.kwh);
  }
  if (ownQuarterHours > 0) collected.addOrigin('own_measurement', own);
  if (tally.quarterHours > ownQuarterHours) collected.addOrigin('metering_operator', kwh.minus(own));
  return tally;
}

function addTo(sums: Decimal[], index: number, kwh: Decimal.Value): void {
  sums[index] = new Exact(kwh).plus(sums[index] ?? 0);
}

async function refuse(
  connection: Connection,
  organization: string,
  open: readonly Tally[],
  schedule: readonly PlannedQuarterHour[],
): Promise<void> {
  if (open.length === 0) return;
  const ids = open.map(({ contract }) => contract.id);
  const gaps = await listFirstGaps(connection, organization, ids, schedule);
  for (const { contract, collected, quarterHours } of open) {
    const count = `${schedule.length - quarterHours} of ${schedule.length} quarter hours`;
    const detail = `usage_quarter_hours: ${count} of ${contract.id} are missing, the first ${gaps.get(contract.id)}`;
    collected.refuse(new BillingRefused('missing_usage', `${detail}; cli usage import takes them in`));
  }
}

/** Fills what nobody measured, by the expected usage of a year and the load profile of households. */
async function fill(
  connection: Connection,
  organization: string,
  open: readonly Tally[],
  { schedule, spans }: { schedule: readonly PlannedQuarterHour[]; spans: readonly DaySpan[] },
): Promise<void> {
  const shares = new Map<number, Decimal>();
  for (const { first, end } of spans) {
    const missing = await missingProfile(connection, { first, end });
    if (missing !== null) {
      for (const { collected } of open) collected.refuse(missing);
      return;
    }
    const ofSpan = await householdQuarterHours(connection, first, end);
    for (const { begins, share } of ofSpan) shares.set(begins, share);
  }
  const instants = spans.map(({ first, end }) => ({
    from: berlinMilliseconds(first),
    until: berlinMilliseconds(end),
  }));
  for (const { contract, collected, kwhOfSpan } of open) {
    const kept = await listKeptStarts(connection, { organization, subscription: contract.id }, instants);
    let estimated = new Exact(0);
    for (const { start, slot, span, price } of schedule) {
      if (kept.has(start)) continue;
      const kwh = new Exact(shares.get(start) ?? 0).times(contract.estimatedUsage);
      const isNegative = new Exact(price).isNegative();
      collected.add(slot, {
        kwh,
        kwhTimesPrice: kwh.times(price),
        kwhAtNegativePrice: isNegative ? kwh : 0,
      });
      addTo(kwhOfSpan, span, kwh);
      estimated = estimated.plus(kwh);
    }
    collected.addEstimate('filled_quarter_hours', estimated);
  }
}
