import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { ENERGY_SOURCES } from '../../../tariffs/reference-data/codes.ts';
import type { PeriodEnergy, PeriodReading } from './energy.ts';

/*
 * Facts that a document states beside its figures (sections 40 to 40c EnWG, section 14(4) UStG), as they were on the day of
 * issue. They are stored with the document as JSON, so that the same document can be drawn again when names, addresses or
 * accounts have changed since. Energy and prices are decimal texts, days are days in Germany.
 */

/** The language of the document. Names, and what the reference data says, stay as they are. */
export type Language = 'de' | 'en';

export interface PostalAddress {
  readonly street: string;
  readonly houseNumber: string;
  readonly zip: string;
  readonly city: string;
}

export interface IssuerFacts {
  readonly name: string;
  readonly address: PostalAddress;
  /** Two letters. */
  readonly country: string;
  readonly registerCourt: string | null;
  readonly registerNumber: string | null;
  readonly representedBy: string | null;
  readonly contactName: string;
  readonly email: string;
  readonly phone: string;
  readonly website: string | null;
  /** One of these two is always there. */
  readonly vatId: string | null;
  readonly taxNumber: string | null;
  /** BDEW code, 13 digits. */
  readonly supplierCode: string;
  readonly accountHolder: string;
  readonly iban: string;
  readonly bic: string | null;
}

export interface RecipientFacts {
  readonly customer: string;
  readonly type: 'person' | 'company';
  readonly companyName: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly vatId: string | null;
  readonly address: PostalAddress;
}

export interface MeterFacts {
  readonly number: string;
  readonly type: 'smart' | 'analog';
  /** First day within the period. */
  readonly from: CalendarDay;
}

export interface OperatorFacts {
  readonly name: string;
  /** BDEW code; null: the reference data has none. */
  readonly code: string | null;
}

export interface SupplyFacts {
  /** Null: no address of the place is known. */
  readonly address: PostalAddress | null;
  readonly malo: string | null;
  readonly melo: string | null;
  readonly meters: readonly MeterFacts[];
  readonly gridOperator: OperatorFacts | null;
  readonly meteringOperator: OperatorFacts | null;
}

export interface ContractFacts {
  readonly number: string;
  readonly type: 'consumption' | 'feed_in';
  readonly planName: string;
  readonly isBasicSupply: boolean;
  readonly first: CalendarDay;
  /** First day without supply; null while no end is known. */
  readonly end: CalendarDay | null;
  readonly noticeMonths: number;
  /** The last day of supply, if the contract were terminated on the day of issue; null: it ends anyway. */
  readonly nextTerminationOn: CalendarDay | null;
  /** Net, as they hold at the end of the period. */
  readonly baseFeeNet: string;
  readonly marginCtNet: string;
  /** Feed-in by someone who charges no VAT (section 19 UStG). */
  readonly isTaxExempt: boolean;
}

export interface UsageFacts {
  readonly kwh: string;
  readonly origin: PeriodEnergy['origin'];
  /** How much of it is known from where: own measurements are told apart from those of the operator. */
  readonly byOrigin: PeriodEnergy['byOrigin'];
  readonly isEstimated: boolean;
  /** Absent without an estimate, and in older documents. */
  readonly estimates?: PeriodEnergy['estimates'];
  /** kWh a year from which an estimate was made. Absent where none was made of it, and in older documents. */
  readonly estimatedFrom?: string;
}

export interface MonthUsage {
  /** `2026-11` */
  readonly month: string;
  /** Null: not known, or not known for all days of the month. */
  readonly kwh: string | null;
  readonly previousYearKwh: string | null;
}

export interface UsageGroup {
  /** `one_person`, as the reference data has it. */
  readonly code: string;
  readonly kwhYear: string;
  readonly source: string;
}

export interface UsageComparison {
  /** Ascending, the month of the last billed day is the last one. */
  readonly months: readonly MonthUsage[];
  /** The same days a year before; null: not known. */
  readonly previousPeriodKwh: string | null;
  /** Usage of a year: the last twelve months if all are known, else what the contract is expected to use. */
  readonly year: { readonly kwh: string; readonly basis: 'measured' | 'expected' };
  /** Households of other sizes; empty for companies and feed-in. */
  readonly groups: readonly UsageGroup[];
}

export interface PaymentFacts {
  readonly mandateReference: string;
  readonly mandateSignedOn: CalendarDay;
  readonly accountHolder: string;
  /** Country and the last four characters. */
  readonly maskedIban: string;
  readonly creditorId: string;
  /**
   * Absent: by a debit on the due day. `transfer`: the account did not pay the document in whose place this one stands.
   * `stopped`: staff stopped that one, and the debit has no day.
   */
  readonly way?: 'transfer' | 'stopped';
}

/** A prepayment that was paid, and that this document deducts. */
export interface DeductedPrepayment {
  readonly invoiceNumber: string;
  readonly from: CalendarDay;
  readonly until: CalendarDay;
  readonly paidOn: CalendarDay | null;
  readonly gross: string;
  readonly tax: string;
}

/** What electricity was made of in a year (section 42 EnWG). */
export interface EnergyMix {
  readonly year: number;
  /** Each from 0 to 1. */
  readonly shares: Readonly<Record<(typeof ENERGY_SOURCES)[number], string>>;
  readonly co2GramsPerKwh: string;
  readonly wasteGramsPerKwh: string;
  readonly source: string;
}

export interface DocumentFacts {
  readonly language: Language;
  /** The stored spot prices come from a feed on the machine itself and not from the market: the document is a sample. */
  readonly hasInventedPrices: boolean;
  readonly issuer: IssuerFacts;
  readonly recipient: RecipientFacts;
  readonly supply: SupplyFacts;
  readonly contract: ContractFacts;
  /** Null: the document is not about usage. */
  readonly usage: UsageFacts | null;
  readonly readings: readonly PeriodReading[];
  readonly comparison: UsageComparison | null;
  readonly payment: PaymentFacts;
  readonly deductions: readonly DeductedPrepayment[];
  /** EUR a month with VAT, from the first day of a month on. Absent in older documents; null: nothing is paid in advance. */
  readonly nextInstalment?: { readonly from: CalendarDay; readonly amount: string } | null;
  /** Absent: the supplier gave none for the day of issue. */
  readonly energyMix?: { readonly own: EnergyMix; readonly germany: EnergyMix | null };
}
