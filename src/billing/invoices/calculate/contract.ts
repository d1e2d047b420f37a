import type { MeterPart } from '../../../contracts/meters/parts.ts';
import type { Plant } from '../../../contracts/subscriptions/queries.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { PlanTermsRow } from '../../../tariffs/plans/queries.ts';
import type { GridFigures } from '../../../tariffs/reference-data/figures.ts';
import type { ModuleSpan } from '../../../tariffs/reference-data/module-prices.ts';
import type { ReferenceSet } from '../../../tariffs/reference-data/reference-set.ts';
import type { BillingPeriod, SupplyDays } from '../plan/periods.ts';

/** All of a contract that its bill depends on, beside energy and the price lists. */
export interface BilledContract {
  readonly organization: string;
  readonly id: string;
  /** Null before the contract has one: nothing can be billed then. */
  readonly number: string | null;
  readonly customer: string;
  readonly customerType: 'person' | 'company';
  readonly household: string;
  readonly meter: string;
  readonly type: 'consumption' | 'feed_in';
  readonly supply: SupplyDays;
  /** kWh a year. */
  readonly estimatedUsage: string;
  /** Those that hold on a day of supply until now, in the order in which they begin. */
  readonly terms: readonly PlanTermsRow[];
  readonly planName: string;
  /** Of the place of supply; null where no address is known. */
  readonly zip: string | null;
  readonly modules: readonly ModuleSpan[];
  /** Ascending and without a gap. */
  readonly meterParts: readonly MeterPart[];
  /** Ascending; null: the grid operator. */
  readonly meteringOperators: readonly { readonly from: CalendarDay; readonly operator: string | null }[];
  /** Of a feed-in contract. */
  readonly plant: Plant | null;
  /** Those that feed in from the same household. */
  readonly plants: readonly HouseholdPlant[];
  /** kWh of the last three years that are complete; fewer where there are fewer. */
  readonly yearlyKwh: readonly string[];
}

export interface HouseholdPlant {
  /** Null: the day is not known, and it counts always. */
  readonly commissionedOn: CalendarDay | null;
  readonly kw: string;
}

/** Days that are billed together. */
export type BilledPeriod = Pick<BillingPeriod, 'from' | 'until'>;

/**
 * The price lists of a day. It is asked for each day of a period, and for the day on which a plant was commissioned. The same
 * objects for the same day make it quick.
 */
export type ReferenceOf = (day: CalendarDay) => {
  readonly reference: ReferenceSet;
  /** Of the contract's zip; undefined where nobody serves it. */
  readonly grid: GridFigures | undefined;
};
