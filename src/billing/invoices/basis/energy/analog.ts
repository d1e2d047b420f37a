import type { Decimal } from 'decimal.js';
import { listReadingsOfMeters, type ReadingOfMeter } from '../../../../contracts/meter-readings/queries.ts';
import type { MeterPart } from '../../../../contracts/meters/parts.ts';
import { registerUse } from '../../../../contracts/usage/register-use.ts';
import { partOn } from '../../../../contracts/usage/service.ts';
import type { Connection } from '../../../../platform/database/db.ts';
import { Exact, wholeNumbers } from '../../../../platform/money.ts';
import {
  berlinDayAt,
  type CalendarDay,
  earlier,
  firstOfMonth,
  later,
} from '../../../../platform/time/berlin-calendar.ts';
import type { CurvePoint } from '../../../../spot-prices/service.ts';
import {
  householdShares,
  householdWeights,
  type ShareOf,
} from '../../../../tariffs/expected-usage/service.ts';
import { MissingReferenceError } from '../../../../tariffs/reference-data/service.ts';
import type { BilledContract } from '../../calculate/contract.ts';
import type { PeriodReading, SlotPlan } from '../../calculate/energy.ts';
import { BillingRefused } from '../../refusal.ts';
import { type EnergySum, kwhText } from './energy-sum.ts';
import { type DaySpan, missingProfile, plannedQuarterHours } from './quarter-hours.ts';

export interface AnalogContract {
  readonly contract: BilledContract;
  readonly plan: SlotPlan;
  /** Those of the period, cut at its ends. */
  readonly parts: readonly MeterPart[];
  readonly prices: readonly CurvePoint[];
  readonly collected: EnergySum;
}

/** Share of a slot in the energy of some days, by the load profile; all slots together come to 1. */
interface SlotShare {
  readonly slot: number;
  readonly share: Decimal;
  /** Sum of share × EUR/MWh. */
  readonly shareTimesPrice: Decimal;
  readonly shareAtNegativePrice: Decimal;
}

/**
 * The energy of analog meters: what the usage of the contract says, piece by piece, at the mean price of its quarter hours
 * weighted by the load profile of households.
 */
export async function addAnalogEnergy(
  connection: Connection,
  organization: string,
  contracts: readonly AnalogContract[],
  nowMilliseconds: number,
): Promise<void> {
  if (contracts.length === 0) return;
  const meters = [...new Set(contracts.map(({ contract }) => contract.meter))];
  const ofMeter = Map.groupBy(
    await listReadingsOfMeters(connection, organization, meters),
    ({ meter_id }) => meter_id,
  );
  const days = contracts.flatMap(({ contract, parts }) => [
    contract.supply.first,
    ...parts.flatMap(({ first, end }) => [first, end]),
    ...(ofMeter.get(contract.meter) ?? []).map(({ read_on }) => read_on),
  ]);
  const shareOf = await householdShares(connection, days.reduce(earlier), days.reduce(later)).catch(
    (error: unknown) => {
      if (!(error instanceof MissingReferenceError)) throw error;
      const refused = new BillingRefused('missing_reference', `${error.message}.`);
      for (const { collected } of contracts) collected.refuse(refused);
    },
  );
  if (shareOf === undefined) return;
  const sharesOf = rememberedShares(connection);
  const estimatedUntil = firstOfMonth(berlinDayAt(nowMilliseconds));
  for (const bill of contracts) {
    try {
      const readings = ofMeter.get(bill.contract.meter) ?? [];
      for (const part of bill.parts)
        await addPart(bill, part, { readings, shareOf, sharesOf, estimatedUntil });
    } catch (error) {
      if (!(error instanceof BillingRefused)) throw error;
      bill.collected.refuse(error);
    }
  }
}

interface MeterFigures {
  /** Of the meter. */
  readonly readings: readonly ReadingOfMeter[];
  readonly shareOf: ShareOf;
  readonly sharesOf: (bill: AnalogContract, days: DaySpan) => Promise<readonly SlotShare[]>;
  readonly estimatedUntil: CalendarDay;
}

async function addPart(bill: AnalogContract, part: MeterPart, known: MeterFigures): Promise<void> {
  const { contract, plan, collected } = bill;
  const { readings, shareOf, sharesOf, estimatedUntil } = known;
  const { register, number, first, end } = part;
  if (contract.type === 'feed_in') {
    const detail = `meters: what ${contract.id} feeds in from ${first} on is not measured; it needs a smart meter`;
    throw new BillingRefused('missing_usage', detail);
  }
  const use = registerUse({
    rows: readings.filter((reading) => reading.register === register),
    ...{ first, end, shareOf, estimatedUntil },
    suppliedFrom: later(contract.supply.first, partOn(contract.meterParts, first).first),
    estimatedUsage: contract.estimatedUsage,
  });
  let total = new Exact(0);
  for (const piece of piecesWithin(plan, part)) {
    const { kwh, byBasis, unknownOn } = use.energyOf(piece.first, piece.end);
    if (unknownOn !== null) throw unknown(contract, part, { unknownOn, estimatedUntil });
    for (const { slot, share, shareTimesPrice, shareAtNegativePrice } of await sharesOf(bill, piece)) {
      collected.add(slot, {
        kwh: kwh.times(share),
        kwhTimesPrice: kwh.times(shareTimesPrice),
        kwhAtNegativePrice: kwh.times(shareAtNegativePrice),
      });
    }
    for (const [basis, used] of byBasis) {
      if (basis === 'readings') collected.addOrigin(basis, used);
      else collected.addEstimate(basis, used);
    }
    total = total.plus(kwh);
  }
  const at = (on: CalendarDay): PeriodReading['start'] => {
    const value = use.valueOn(on);
    return value === null ? null : { on, ...value };
  };
  collected.readings.push({
    ...{ meterNumber: number, register, start: at(first), end: at(end), kwh: kwhText(total) },
  });
}

function unknown(
  contract: BilledContract,
  { register }: MeterPart,
  { unknownOn, estimatedUntil }: { unknownOn: CalendarDay; estimatedUntil: CalendarDay },
): BillingRefused {
  return unknownOn >= estimatedUntil
    ? new BillingRefused(
        'not_settled',
        `meter_readings: the month of ${unknownOn} is not over, and nothing was read behind it`,
      )
    : new BillingRefused(
        'missing_reading',
        `meter_readings: register ${register} of ${contract.meter} ran backwards, so that its use from ${unknownOn} on is not known`,
      );
}

/** The days of the pieces of a plan, cut at the ends of a part. */
function piecesWithin({ slots, runs }: SlotPlan, part: DaySpan): DaySpan[] {
  const days = new Map<number, DaySpan>();
  for (const { slot, from, until } of runs) {
    const piece = slots[slot]?.piece ?? -1;
    const first = days.get(piece)?.first ?? berlinDayAt(from);
    days.set(piece, { first, end: berlinDayAt(until) });
  }
  return [...days.values()].flatMap((piece) => {
    const cut = { first: later(piece.first, part.first), end: earlier(piece.end, part.end) };
    return cut.first < cut.end ? [cut] : [];
  });
}

/** Contracts with the same plan have the same shares: 3,000 quarter hours are added up once for all of them. */
function rememberedShares(connection: Connection): MeterFigures['sharesOf'] {
  const known = new Map<string, Promise<readonly SlotShare[]>>();
  return ({ plan, prices }, days) => {
    const key = `${plan.key} ${days.first} ${days.end}`;
    const shares = known.get(key) ?? slotShares(connection, plan, prices, days);
    known.set(key, shares);
    return shares;
  };
}

async function slotShares(
  connection: Connection,
  plan: SlotPlan,
  prices: readonly CurvePoint[],
  days: DaySpan,
): Promise<SlotShare[]> {
  const planned = plannedQuarterHours(plan, prices, [days]);
  const missing = await missingProfile(connection, days);
  if (missing !== null) throw missing;
  const weights = await householdWeights(connection, days.first, days.end);
  const { digits, numbers } = wholeNumbers(planned.map(({ price }) => price));
  let total = 0n;
  /* Added up first and divided once: of 3,000 divisions to 60 digits no sum needs one. */
  const sums = new Map<number, { weight: bigint; weightTimesPrice: bigint; weightAtNegativePrice: bigint }>();
  for (const [index, { slot }] of planned.entries()) {
    const [weight, price] = [weights[index] ?? 0n, numbers[index] ?? 0n];
    const sum = sums.get(slot) ?? { weight: 0n, weightTimesPrice: 0n, weightAtNegativePrice: 0n };
    sums.set(slot, sum);
    sum.weight += weight;
    sum.weightTimesPrice += weight * price;
    if (price < 0n) sum.weightAtNegativePrice += weight;
    total += weight;
  }
  const ofTotal = (weight: bigint) => new Exact(weight).dividedBy(new Exact(total));
  return [...sums].map(([slot, { weight, weightTimesPrice, weightAtNegativePrice }]) => ({
    slot,
    share: ofTotal(weight),
    shareTimesPrice: ofTotal(weightTimesPrice).times(`1e-${digits}`),
    shareAtNegativePrice: ofTotal(weightAtNegativePrice),
  }));
}
