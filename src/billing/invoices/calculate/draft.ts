import { Exact, roundAmount, withoutVat } from '../../../platform/money.ts';
import { addDays, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { BillingPeriod } from '../plan/periods.ts';
import type { InvoiceType } from '../schema.ts';
import type { BilledContract, BilledPeriod } from './contract.ts';
import { type CorrectedPeriod, exitSummaryCharges } from './corrections.ts';
import { energyOfPieces, type PeriodEnergy, type SlotPlan } from './energy.ts';
import type { DocumentFacts } from './fact-types.ts';
import { agreed, lineOf, listed } from './line.ts';
import { type GridLine, module1CapLines } from './module-1-cap.ts';
import { pieceLines } from './piece-lines.ts';
import type { Piece } from './pieces.ts';
import { type Instalment, prepaymentCharges } from './prepayment.ts';
import { netOf, sumsOf } from './sums.ts';
import type { Charges, InvoiceLine, NamedRow } from './types.ts';

/* The calculation: plain values in, a draft out. It knows neither connection nor clock, so that a bill is checked as it was made. */

/** All that the amounts of one document follow from, read beforehand (`basis/`). */
export interface BillingBasis {
  readonly contract: BilledContract;
  readonly period: BillingPeriod;
  /** The days of the period, cut where a price changes; of a prepayment its first day. */
  readonly pieces: readonly Piece[];
  /** Energy by the slots of the plan, which was made of the pieces; null: of a prepayment. */
  readonly usage: { readonly plan: SlotPlan; readonly energy: PeriodEnergy } | null;
  /** Paid in advance for these days, EUR with VAT. */
  readonly deducted: string;
  /** Lines of GRID_KINDS on the contract's bills of the same calendar years that come before this one. */
  readonly earlierGridLines: readonly GridLine[];
  /** Behind a bill that closes a year of advance payment; else null. */
  readonly nextInstalment: NextInstalment | null;
}

export interface NextInstalment extends Instalment {
  /** First day of the month that it is for. */
  readonly from: CalendarDay;
  /** It follows from the bill; nobody has entered it yet. */
  readonly isNew: boolean;
}

/** What stands around the amounts. */
export interface DocumentFrame {
  /** What the document says beside its figures, frozen. */
  readonly facts: DocumentFacts;
  /** Days until what is charged is due, as the issuer says. */
  readonly dueDays: number;
  readonly issuedOn: CalendarDay;
  /** The billing run that makes it; null: none. */
  readonly run: string | null;
}

/** A document before it has an id and numbers. Void documents are made by `voidInvoice` alone. */
export interface DraftInvoice extends Charges {
  readonly type: Exclude<InvoiceType, 'void'>;
  readonly subscription: string;
  readonly customer: string;
  /** Days in Berlin; the end is no longer part of it. */
  readonly period: BilledPeriod;
  readonly periodNumber: number;
  readonly isEstimated: boolean;
  /** It covers the end of supply. */
  readonly isFinal: boolean;
  readonly dueOn: CalendarDay;
  readonly facts: DocumentFacts;
  readonly run: string | null;
  /** What it was made of beside the figures of its lines. */
  readonly namedRows: readonly NamedRow[];
}

/** A bill, a credit for feed-in, or a prepayment. */
export function draftInvoice(basis: BillingBasis, frame: DocumentFrame): DraftInvoice {
  const { contract, period, usage } = basis;
  return {
    ...{ type: period.type, subscription: contract.id, customer: contract.customer, period },
    ...{ periodNumber: period.number, isFinal: period.isFinal },
    isEstimated: usage?.energy.isEstimated ?? false,
    namedRows: basis.nextInstalment?.rows ?? [],
    ...framed(chargesOf(basis), frame),
  };
}

/**
 * The last document of a contract, from the first corrected day to the end of supply. Its lines say what the periods come to, and
 * not of which rows.
 */
export function draftExitSummary(
  {
    contract,
    period,
    periodNumber,
  }: { contract: BilledContract; period: BilledPeriod; periodNumber: number },
  corrected: readonly (CorrectedPeriod & { readonly figures: readonly NamedRow[] })[],
  frame: DocumentFrame,
): DraftInvoice {
  return {
    ...{ type: 'exit_summary', subscription: contract.id, customer: contract.customer, period, periodNumber },
    ...{ isFinal: true, isEstimated: false, namedRows: corrected.flatMap(({ figures }) => figures) },
    ...framed(exitSummaryCharges(corrected), frame),
  };
}

/** Credit is paid out within two weeks (§40c(3) EnWG); what is charged is due as the issuer says. */
const PAID_OUT_DAYS = 14;

function framed(charges: Charges, { facts, dueDays, issuedOn, run }: DocumentFrame) {
  const isCredit = charges.sums.total.startsWith('-');
  return { ...charges, dueOn: addDays(issuedOn, isCredit ? PAID_OUT_DAYS : dueDays), facts, run };
}

/** The amounts of a document by themselves: a correction compares them with those of the bill that stands. */
export function chargesOf(basis: Omit<BillingBasis, 'nextInstalment'>): Charges {
  const { contract, period, pieces, usage, deducted, earlierGridLines } = basis;
  if (usage === null) {
    const [piece] = pieces;
    if (piece === undefined || period.instalment === null)
      throw new Error(`${contract.id} has no instalment`);
    return prepaymentCharges(period, period.instalment, piece.vatRate);
  }
  const energies = energyOfPieces(pieces, usage.plan, usage.energy);
  const supplied = pieces.flatMap((piece, index) => {
    const energy = energies[index];
    return energy === undefined ? [] : pieceLines(contract.type, piece, energy);
  });
  const capped = [...supplied, ...module1CapLines(pieces, supplied, earlierGridLines, period.isFinal)];
  const lines = [...capped, ...discountLines(contract, pieces, capped)];
  const kwh = energies.reduce((sum, energy) => sum.plus(energy.kwh), new Exact(0));
  return { lines, sums: sumsOf(lines, deducted), usageKwh: kwh.toFixed() };
}

/** Discounts of the plan, as long as they run, and never more than the other lines of the bill come to. */
function discountLines(
  { supply }: Pick<BilledContract, 'supply'>,
  pieces: readonly Piece[],
  others: readonly InvoiceLine[],
): InvoiceLine[] {
  let left = Exact.max(netOf(others), 0);
  return pieces.flatMap((piece) => {
    const share = shareOf(piece, supply.first);
    const off = piece.terms.discount_amount_off;
    if (share === null || off === null) return [];
    const whole = roundAmount(withoutVat(off, piece.vatRate.value).times(share));
    const amount = Exact.min(whole, left);
    if (amount.isZero()) return [];
    left = left.minus(amount);
    const figures = [agreed('discount', off, 'EUR with VAT', piece), listed('vat_rate', piece.vatRate)];
    return [lineOf(piece, 'discount', { net: amount.negated(), figures })];
  });
}

/** The part of the amount that belongs to the days of a piece: whole on the first bill, else by the days of the month. */
function shareOf(piece: Piece, firstDay: string) {
  if (piece.terms.discount_duration === 'once') return piece.from === firstDay ? new Exact(1) : null;
  return piece.isDiscounted ? new Exact(piece.days).dividedBy(piece.daysOfMonth) : null;
}
