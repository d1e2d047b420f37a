import { compensationCents, isPaymentOver } from '../../../contracts/subscription-prices/feed-in-rate.ts';
import { Exact } from '../../../platform/money.ts';
import { type CalendarDay, later } from '../../../platform/time/berlin-calendar.ts';
import type { PlanTermsRow } from '../../../tariffs/plans/queries.ts';
import type { Figure } from '../../../tariffs/reference-data/figures.ts';
import type { ReferenceSet } from '../../../tariffs/reference-data/reference-set.ts';
import { BillingRefused } from '../refusal.ts';
import type { BilledContract, ReferenceOf } from './contract.ts';
import { missingRow, required, validFigure } from './strict.ts';

/** What is paid for a kWh on the days of one piece. */
export interface FeedInRate {
  /** ct/kWh net. */
  readonly cents: string;
  /** The credit of a small business (§19 UStG) is without VAT. */
  readonly isTaxExempt: boolean;
  /** Nothing is paid for quarter hours with a negative price (§51 EEG). */
  readonly isUnpaidAtNegativePrices: boolean;
  /** The years of payment are over (§25 EEG). */
  readonly isOver: boolean;
  /** Rows and plant data it was made of. */
  readonly figures: readonly { readonly name: string; readonly figure: Figure }[];
}

/** §51 EEG as changed by the law of 21 February 2025: for plants commissioned from this day on. */
const UNPAID_FROM = '2025-02-25';
/** §51(2) EEG: smaller ones only from the year after the smart meter; the smallest not before the authority says so. */
const ALWAYS_UNPAID_KW = 100;
const NEVER_UNPAID_KW = 2;

interface KnownPlant {
  readonly commissionedOn: CalendarDay;
  readonly sizeKw: string;
  readonly isTaxExempt: boolean;
}

/** Changes where the days of one rate end, beside changes of rows. */
export function feedInPhase(contract: BilledContract, terms: PlanTermsRow, day: CalendarDay): string {
  if (terms.feed_in_kind === 'fixed') return 'fixed';
  const plant = plantOf(contract);
  return `${isPaymentOver(plant.commissionedOn, day)} ${isUnpaid(contract, plant, day)}`;
}

export function feedInRateOf(
  contract: BilledContract,
  { day, terms, reference }: { day: CalendarDay; terms: PlanTermsRow; reference: ReferenceSet },
  referenceOf: ReferenceOf,
): FeedInRate {
  const isTaxExempt = contract.plant?.is_tax_exempt === true;
  if (terms.feed_in_kind === 'fixed') {
    const cents = terms.feed_in_ct_net ?? refuseTerms(contract);
    return { cents, isTaxExempt, isUnpaidAtNegativePrices: false, isOver: false, figures: [] };
  }
  if (terms.feed_in_kind === null || terms.feed_in_scope === null) return refuseTerms(contract);
  const plant = plantOf(contract);
  const over = isPaymentOver(plant.commissionedOn, day);
  const used = new Map<string, Figure>();
  const rateOf = eegRates(terms.feed_in_scope, plant, referenceOf);
  const use = (name: string, figure: Figure) => {
    used.set(name, figure);
    return figure.value;
  };
  const cents = compensationCents(terms, plant.sizeKw, {
    tariffUpTo: (kw) => (over ? '0' : use(`eeg_tariff_up_to_${kw}_kw`, rateOf(kw).tariff)),
    valueUpTo: (kw) => (over ? '0' : use(`eeg_value_up_to_${kw}_kw`, rateOf(kw).value)),
    solarMarketValue:
      terms.feed_in_kind === 'direct'
        ? use('solar_market_value', validFigure(required(day, reference.solarMarketValue), day))
        : null,
  });
  /* The law fixes no rate for larger plants than the last class has. */
  if (cents === null)
    throw missingRow({ table: 'eeg_rates', key: `${plant.sizeKw} kW` }, plant.commissionedOn);
  const figures = [...used].map(([name, figure]) => ({ name, figure }));
  return {
    ...{ cents, isTaxExempt, isOver: over, figures },
    isUnpaidAtNegativePrices: isUnpaid(contract, plant, day),
  };
}

/** Rates of the period in which the plant was commissioned. */
function eegRates(scope: 'partial' | 'full', { commissionedOn }: KnownPlant, referenceOf: ReferenceOf) {
  return (upToKw: number) =>
    required(commissionedOn, () => {
      const { value, tariff } = referenceOf(commissionedOn).reference.eegRate(scope, upToKw);
      return { value: validFigure(value, commissionedOn), tariff: validFigure(tariff, commissionedOn) };
    });
}

/** A quote takes the class of the plan; a bill needs the plant. */
function plantOf({ id, plant }: BilledContract): KnownPlant {
  const { plant_commissioned_on: commissionedOn, plant_size_kw: sizeKw } = plant ?? {};
  if (!commissionedOn || !sizeKw)
    throw new BillingRefused(
      'missing_terms',
      `subscriptions plant_commissioned_on, plant_size_kw: ${id} is paid by them. They are entered with "subscriptions set-plant".`,
    );
  return { commissionedOn, sizeKw, isTaxExempt: plant?.is_tax_exempt === true };
}

function refuseTerms({ id }: BilledContract): never {
  throw new BillingRefused(
    'missing_terms',
    `plan_terms: the plan of ${id} does not say what feed-in is paid.`,
  );
}

function isUnpaid(contract: BilledContract, plant: KnownPlant, day: CalendarDay): boolean {
  const { commissionedOn, sizeKw } = plant;
  const size = new Exact(sizeKw);
  if (commissionedOn < UNPAID_FROM || size.lessThan(NEVER_UNPAID_KW)) return false;
  if (isPaymentOver(commissionedOn, day)) return false;
  const fitted = smartSince(contract, day);
  if (fitted === undefined) return false;
  if (size.greaterThanOrEqualTo(ALWAYS_UNPAID_KW)) return true;
  return day.slice(0, 4) > later(fitted, commissionedOn).slice(0, 4);
}

/** Since when a smart meter has measured without a break until this day; undefined where none measures. */
function smartSince({ meterParts }: BilledContract, day: CalendarDay): CalendarDay | undefined {
  const begun = meterParts.filter(({ first }) => first <= day);
  const lastOther = begun.findLastIndex(({ type }) => type !== 'smart');
  return begun[lastOther + 1]?.first;
}
