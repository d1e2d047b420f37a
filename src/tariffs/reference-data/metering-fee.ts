import { Exact } from '../../platform/money.ts';
import type { MeteringFee } from './figures.ts';

/** What the fee of a metering point depends on. Figures are decimal texts. */
export interface MeteringPoint {
  readonly meter: 'analog' | 'smart';
  /** A year. */
  readonly kwh: string;
  /** Size of the plant behind it; null where there is none, or where nobody says so. */
  readonly pvKw: string | null;
  /** Whether a device is controlled by the grid operator (§14a EnWG). */
  readonly has14aModule: boolean;
}

/** Only the highest of the cases that fit a metering point counts (§30(5) MsbG). Undefined where none fits. */
export function highestMeteringFee(
  fees: readonly MeteringFee[],
  point: MeteringPoint,
): MeteringFee | undefined {
  const fitting = fees.filter((fee) => isFitting(fee, point));
  return fitting.toSorted((left, right) => new Exact(right.fee.value).comparedTo(left.fee.value))[0];
}

function isFitting(fee: MeteringFee, { meter, kwh, pvKw, has14aModule }: MeteringPoint): boolean {
  if (fee.meter !== meter || (fee.needs14aModule && !has14aModule)) return false;
  const isBoundByPv = fee.overPvKw !== null || fee.upToPvKw !== null;
  if (isBoundByPv && (pvKw === null || !isWithin(pvKw, fee.overPvKw, fee.upToPvKw))) return false;
  return isWithin(kwh, fee.overKwh, fee.upToKwh);
}

function isWithin(value: string, over: string | null, upTo: string | null): boolean {
  const exact = new Exact(value);
  return (over === null || exact.greaterThan(over)) && (upTo === null || exact.lessThanOrEqualTo(upTo));
}
