import { maskedIban } from '../../../contracts/payment-methods/service.ts';
import { earliestEnd } from '../../../contracts/subscriptions/earliest-end.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { Exact } from '../../../platform/money.ts';
import {
  addDays,
  addMonths,
  berlinDayOf,
  berlinDays,
  type CalendarDay,
} from '../../../platform/time/berlin-calendar.ts';
import { findPriceKind } from '../../../spot-prices/service.ts';
import { termsOn } from '../../../tariffs/plans/service.ts';
import { listEnergyMixes, listOperators } from '../../../tariffs/reference-data/queries.ts';
import { referenceSet } from '../../../tariffs/reference-data/service.ts';
import { findIssuer } from '../../issuers/queries.ts';
import type { BilledContract, BilledPeriod } from '../calculate/contract.ts';
import type { PeriodEnergy } from '../calculate/energy.ts';
import type {
  DocumentFacts,
  EnergyMix,
  IssuerFacts,
  OperatorFacts,
  PostalAddress,
  UsageGroup,
} from '../calculate/fact-types.ts';
import { BillingRefused } from '../refusal.ts';
import { comparedMonths, kwhOfYear } from './comparison.ts';
import {
  type AddressRow,
  type BilledUsage,
  listBilledUsage,
  listDeductions,
  listMetersOfPeriods,
  listParties,
  listUsageByMonth,
  type MeterRow,
  type PartyRow,
  type UsageOfMonth,
} from './fact-queries.ts';

/** Subject of a document: the basis of a bill, or what is left of it for a document that is not about usage. */
export interface DocumentSubject {
  readonly contract: BilledContract;
  readonly period: BilledPeriod;
  /** The one at the end of the period tells the grid operator. */
  readonly pieces: readonly { readonly grid: { readonly operator: string } | null }[];
  /** Null: the document is not about usage. */
  readonly usage: { readonly energy: PeriodEnergy } | null;
  /** Of a bill that closes a year of advance payment. */
  readonly nextInstalment?: DocumentFacts['nextInstalment'];
}

const CONTRACTS_MAX = 500;

/**
 * Facts that the documents of some contracts state beside their figures, by contract; one document of each contract. However
 * many there are, it takes nine statements, and two where the price lists are to be read.
 */
export async function factsOf(
  connection: Connection,
  organization: string,
  subjects: readonly DocumentSubject[],
  now: string,
): Promise<Map<string, DocumentFacts>> {
  const byContract = new Map(subjects.map((subject) => [subject.contract.id, subject]));
  if (subjects.length > CONTRACTS_MAX || byContract.size < subjects.length) {
    throw new RangeError(`At most ${CONTRACTS_MAX} contracts at once, each once`);
  }
  if (subjects.length === 0) return new Map();
  const common = await commonFacts(connection, organization, subjects, berlinDayOf(now));
  const periods = subjects.map(({ contract, period }) => ({
    ...{ contract: contract.id, meter: contract.meter, period },
  }));
  const parties = await listParties(connection, organization, [...byContract.keys()]);
  const meters = Map.groupBy(await listMetersOfPeriods(connection, organization, periods), ofContract);
  const days = Map.groupBy(await listUsageByMonth(connection, organization, periods), ofContract);
  const bills = Map.groupBy(await listBilledUsage(connection, organization, periods), ofContract);
  const deductions = Map.groupBy(await listDeductions(connection, organization, periods), ofContract);
  const facts = subjects.map((subject) => {
    const { id } = subject.contract;
    const party = parties.get(id);
    if (party === undefined) throw new Error(`Contract ${id} is billed and does not exist`);
    const known = { days: days.get(id) ?? [], bills: bills.get(id) ?? [] };
    const place = placeOf(subject, party, meters.get(id) ?? [], common);
    const own = { ...common, place, known, paid: deductions.get(id) ?? [] };
    return [id, factsOfContract(subject, party, own)] as const;
  });
  return new Map(facts);
}

/** Of a contract that is among the subjects. */
export function factsFor(facts: ReadonlyMap<string, DocumentFacts>, contract: string): DocumentFacts {
  const own = facts.get(contract);
  if (own === undefined) throw new Error(`Nobody read what the document of ${contract} says`);
  return own;
}

interface Common {
  readonly today: CalendarDay;
  readonly issuer: IssuerFacts;
  readonly language: DocumentFacts['language'];
  readonly hasInventedPrices: boolean;
  readonly creditorId: string;
  readonly operators: ReadonlyMap<string, OperatorFacts>;
  readonly groups: readonly UsageGroup[];
  readonly energyMix?: DocumentFacts['energyMix'];
}

function energyMix(row: Awaited<ReturnType<typeof listEnergyMixes>>[number]): EnergyMix {
  const { year, nuclear, coal, gas, other_fossil, renewable_funded, renewable_other, source } = row;
  return {
    ...{ year, shares: { nuclear, coal, gas, other_fossil, renewable_funded, renewable_other }, source },
    ...{ co2GramsPerKwh: row.co2_g_kwh, wasteGramsPerKwh: row.radioactive_waste_g_kwh },
  };
}

async function commonFacts(
  connection: Connection,
  organization: string,
  subjects: readonly DocumentSubject[],
  today: CalendarDay,
): Promise<Common> {
  const row = await findIssuer(connection, organization);
  if (row === undefined) throw new BillingRefused('missing_issuer', `issuers ${organization}`);
  const keys = subjects.flatMap(({ contract, pieces }) => [
    ...pieces.flatMap(({ grid }) => grid?.operator ?? []),
    ...contract.meteringOperators.flatMap(({ operator }) => operator ?? []),
  ]);
  const operators = await listOperators(connection, [...new Set(keys)], today);
  const reference = await referenceSet(connection, today, null);
  const mixes = await listEnergyMixes(connection, row.supplier_code, today);
  const mixOf = (supplier: string) => mixes.filter((mix) => mix.supplier === supplier).map(energyMix)[0];
  const own = mixOf(row.supplier_code);
  const groups = reference.usageGroups.map(({ code, kwhYear }) => ({
    ...{ code, kwhYear: kwhYear.value, source: kwhYear.origin.source },
  }));
  return {
    ...{ today, groups, language: row.language, creditorId: row.creditor_id },
    ...(own === undefined ? {} : { energyMix: { own, germany: mixOf('germany') ?? null } }),
    hasInventedPrices: !['market', null].includes(await findPriceKind(connection)),
    operators: new Map(
      operators.map(({ operator, name, bdew_code }) => [operator, { name, code: bdew_code }]),
    ),
    issuer: {
      ...{ name: row.name, address: addressOf(row), country: row.country },
      ...{ registerCourt: row.register_court, registerNumber: row.register_number },
      ...{ representedBy: row.represented_by, contactName: row.contact_name, email: row.email },
      ...{ phone: row.phone, website: row.website, vatId: row.vat_id, taxNumber: row.tax_number },
      ...{ supplierCode: row.supplier_code, accountHolder: row.account_holder, iban: row.iban, bic: row.bic },
    },
  };
}

interface OfContract extends Common {
  readonly place: DocumentFacts['supply'];
  readonly known: { readonly days: readonly UsageOfMonth[]; readonly bills: readonly BilledUsage[] };
  readonly paid: Awaited<ReturnType<typeof listDeductions>>;
}

function factsOfContract(
  subject: DocumentSubject,
  party: PartyRow,
  {
    today,
    issuer,
    language,
    hasInventedPrices,
    creditorId,
    groups,
    energyMix: mix,
    place,
    known,
    paid,
  }: OfContract,
): DocumentFacts {
  const { contract, usage, nextInstalment = null } = subject;
  const energy = usage?.energy ?? null;
  return {
    ...{ language, hasInventedPrices, issuer, supply: place },
    recipient: {
      ...{ customer: party.customer_id, type: party.customer_type, companyName: party.company_name },
      ...{ firstName: party.first_name, lastName: party.last_name, email: party.email, vatId: party.vat_id },
      address: addressOf(party.billing),
    },
    contract: contractFacts(subject, party, today),
    usage: energy && usageFacts(contract, energy),
    readings: energy?.readings ?? [],
    comparison: energy && comparisonOf(subject, energy, known, comparesWith(contract, groups)),
    payment: {
      ...{ mandateReference: party.mandate_reference, mandateSignedOn: party.mandate_signed_on, creditorId },
      ...{ accountHolder: party.account_holder, maskedIban: maskedIban(party.iban) },
    },
    deductions: paid.map(({ invoice_number, from, until, paid_on, gross, tax }) => ({
      ...{ invoiceNumber: invoice_number, from, until, paidOn: paid_on, gross, tax },
    })),
    ...(mix !== undefined && energy !== null && contract.type === 'consumption' ? { energyMix: mix } : {}),
    nextInstalment: nextInstalment && { from: nextInstalment.from, amount: nextInstalment.amount },
  };
}

function usageFacts(
  { estimatedUsage }: BilledContract,
  { kwh, origin, byOrigin, isEstimated, estimates }: PeriodEnergy,
): DocumentFacts['usage'] {
  const isByYear = estimates.some((estimate) => estimate !== 'estimated_reading');
  return {
    ...{ kwh, origin, byOrigin, isEstimated },
    ...(isEstimated && { estimates }),
    ...(isByYear && { estimatedFrom: estimatedUsage }),
  };
}

function contractFacts(
  { contract }: DocumentSubject,
  party: PartyRow,
  today: CalendarDay,
): DocumentFacts['contract'] {
  const { type, planName, supply, terms } = contract;
  const last = supply.end === null ? today : addDays(supply.end, -1);
  const held = termsOn(terms, last < today ? last : today);
  if (held === undefined) throw new BillingRefused('missing_terms', `plan_terms ${planName} ${today}`);
  const termination = {
    ...{ reason: 'ORDINARY' as const, today, startOn: supply.first },
    ...{ cancellationMonths: held.cancellation_months, firstOfMonthOnly: type === 'feed_in' },
  };
  return {
    /* A contract without a number is refused where documents get theirs, by itself and not with all others. */
    number: contract.number ?? '',
    ...{ type, planName, isBasicSupply: false, first: supply.first, end: supply.end },
    noticeMonths: held.cancellation_months,
    nextTerminationOn: supply.end === null ? addDays(earliestEnd(termination), -1) : null,
    ...{ baseFeeNet: held.base_fee_net, marginCtNet: held.margin_ct_net, isTaxExempt: party.is_tax_exempt },
  };
}

function placeOf(
  { pieces }: DocumentSubject,
  { place, malo, melo }: PartyRow,
  meters: readonly MeterRow[],
  { operators }: Common,
): DocumentFacts['supply'] {
  const nameOf = (operator: string | null | undefined): OperatorFacts | null =>
    operator == null ? null : (operators.get(operator) ?? { name: operator, code: null });
  const gridOperator = nameOf(pieces.at(-1)?.grid?.operator);
  return {
    ...{ address: place && addressOf(place), malo, melo, gridOperator },
    meters: meters.map(({ number, type, from }) => ({ number, type, from })),
    /* Nobody was named: the one in whose grid the meter is, who is in charge of it by law (section 3 MsbG). */
    meteringOperator: nameOf(meters.at(-1)?.metering_operator) ?? gridOperator,
  };
}

/** §40(2) no. 8 EnWG speaks of groups of household customers. */
function comparesWith({ type, customerType }: BilledContract, groups: readonly UsageGroup[]) {
  return type === 'consumption' && customerType === 'person' ? groups : [];
}

const MONTHS_OF_YEAR = 12;

function comparisonOf(
  { contract, period }: DocumentSubject,
  energy: PeriodEnergy,
  { days, bills }: OfContract['known'],
  groups: readonly UsageGroup[],
): DocumentFacts['comparison'] {
  const lastMonth = addDays(period.until, -1).slice(0, 7);
  const billed = [...bills, { ...period, kwh: energy.kwh }].flatMap((bill) => {
    const month = bill.from.slice(0, 7);
    const isOfOneMonth = addDays(bill.until, -1).startsWith(month);
    return isOfOneMonth ? [{ month, kwh: bill.kwh, days: daysBetween(bill) }] : [];
  });
  const months = comparedMonths([...billed, ...days], lastMonth);
  const year = kwhOfYear(months);
  return {
    ...{ months, groups, previousPeriodKwh: previousKwh(period, days, bills) },
    year:
      year === null ? { kwh: contract.estimatedUsage, basis: 'expected' } : { kwh: year, basis: 'measured' },
  };
}

/** Usage on the same days a year before: as it was billed, else by days, if all of them are known. */
function previousKwh(
  { from, until }: BilledPeriod,
  days: readonly UsageOfMonth[],
  bills: readonly BilledUsage[],
): string | null {
  const previous = { from: addMonths(from, -MONTHS_OF_YEAR), until: addMonths(until, -MONTHS_OF_YEAR) };
  const billed = bills.find((bill) => bill.from === previous.from && bill.until === previous.until);
  if (billed !== undefined) return billed.kwh;
  const known = days.filter(({ previous_days }) => previous_days > 0);
  const count = known.reduce((sum, { previous_days }) => sum + previous_days, 0);
  if (count < daysBetween(previous)) return null;
  return known.reduce((sum, { previous_kwh }) => sum.plus(previous_kwh ?? 0), new Exact(0)).toFixed();
}

function daysBetween({ from, until }: BilledPeriod): number {
  return berlinDays(from, until).length;
}

const ofContract = ({ contract }: { contract: string }): string => contract;

function addressOf({ street, house_number, zip, city }: AddressRow): PostalAddress {
  return { street, houseNumber: house_number, zip, city };
}
