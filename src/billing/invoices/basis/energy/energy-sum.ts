import type { Decimal } from 'decimal.js';
import { Exact, roundHalfUp } from '../../../../platform/money.ts';
import type { EnergyOrigin, Estimate, PeriodEnergy, PeriodReading } from '../../calculate/energy.ts';
import type { BillingRefused } from '../../refusal.ts';

/** What some quarter hours of a slot add up to; nothing is rounded. */
export interface SlotSum {
  readonly kwh: Decimal.Value;
  /** Sum of kWh × EUR/MWh. */
  readonly kwhTimesPrice: Decimal.Value;
  readonly kwhAtNegativePrice: Decimal.Value;
}

/**
 * What is measured has no more digits than these and stays exact. Shares of a load profile never end: without a last digit
 * 200 kWh would come out as 200.000…2, and half a cent as less than half.
 */
const KWH_DIGITS = 12;
const EUR_DIGITS = 24;

/** kWh times EUR/MWh are a thousandth of a euro. */
const KWH_OF_MWH = 1_000;

/** The energy of one bill, from wherever its parts come. */
export class EnergySum {
  /** The bill cannot be made. The first reason stays. */
  refusal: BillingRefused | null = null;
  readonly readings: PeriodReading[] = [];
  readonly #slots = new Map<number, { kwh: Decimal; kwhTimesPrice: Decimal; kwhAtNegativePrice: Decimal }>();
  readonly #origins = new Map<EnergyOrigin, Decimal>();
  readonly #estimates = new Set<Estimate>();

  /** The slots of several parts, as if they had been one. */
  static together(parts: readonly EnergySum[]): EnergySum {
    const all = new EnergySum();
    for (const part of parts) for (const [slot, sum] of part.#slots) all.add(slot, sum);
    return all;
  }

  refuse(reason: BillingRefused): void {
    this.refusal ??= reason;
  }

  add(slot: number, sum: SlotSum): void {
    const known = this.#slots.get(slot);
    this.#slots.set(slot, {
      kwh: new Exact(sum.kwh).plus(known?.kwh ?? 0),
      kwhTimesPrice: new Exact(sum.kwhTimesPrice).plus(known?.kwhTimesPrice ?? 0),
      kwhAtNegativePrice: new Exact(sum.kwhAtNegativePrice).plus(known?.kwhAtNegativePrice ?? 0),
    });
  }

  addOrigin(origin: EnergyOrigin, kwh: Decimal.Value): void {
    this.#origins.set(origin, new Exact(kwh).plus(this.#origins.get(origin) ?? 0));
  }

  addEstimate(estimate: Estimate, kwh: Decimal.Value): void {
    this.#estimates.add(estimate);
    this.addOrigin('estimate', kwh);
  }

  energy(): PeriodEnergy {
    const slots = [...this.#slots].sort(([left], [right]) => left - right);
    const total = slots.reduce((sum, [, { kwh }]) => sum.plus(kwhText(kwh)), new Exact(0));
    const origins = [...this.#origins.keys()].sort();
    const read = origins.filter((origin) => origin !== 'estimate');
    return {
      bySlot: slots.map(([slot, sum]) => ({
        slot,
        kwh: kwhText(sum.kwh),
        eur: roundHalfUp(sum.kwhTimesPrice.dividedBy(KWH_OF_MWH), EUR_DIGITS).toFixed(),
        kwhAtNegativePrice: kwhText(sum.kwhAtNegativePrice),
      })),
      kwh: total.toFixed(),
      isEstimated: this.#estimates.size > 0,
      estimates: [...this.#estimates].sort(),
      origin: read.length > 1 ? 'mixed' : (read[0] ?? 'estimate'),
      byOrigin: origins.map((origin) => ({ origin, kwh: kwhText(this.#origins.get(origin) ?? 0) })),
      readings: this.readings.toSorted((left, right) => left.register - right.register),
    };
  }
}

export function kwhText(kwh: Decimal.Value): string {
  return roundHalfUp(kwh, KWH_DIGITS).toFixed();
}
