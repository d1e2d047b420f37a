import { exitSummaryCharges } from '../../../../src/billing/invoices/calculate/corrections.ts';
import type { Language } from '../../../../src/billing/invoices/calculate/fact-types.ts';
import { prepaymentCharges } from '../../../../src/billing/invoices/calculate/prepayment.ts';
import type { Charges } from '../../../../src/billing/invoices/calculate/types.ts';
import type { InvoiceDocument } from '../../../../src/billing/invoices/documents/document.ts';
import { Exact } from '../../../../src/platform/money.ts';
import { plainGrid } from '../../../tariffs/quotes/plain-figures.ts';
import { billOf, listsFrom, moduleFrom, REFERENCE, termsOf } from '../calculate/billed.ts';
import { CURRENT, factsOfSample, monthsOf, PREVIOUS } from './sample-facts.ts';

/* One document of each kind, with the lines that bills of such contracts have. */

const OCTOBER = { from: '2026-10-01', until: '2026-11-01' } as const;

/** The price lists of the tests call every unit alike. */
const UNITS: Readonly<Record<string, string>> = {
  grid_base_price: 'EUR/year net',
  module_1_credit: 'EUR/year net',
  metering_fee: 'EUR/year with VAT',
  vat_rate: 'share',
};

function withUnits(lines: Charges['lines']): Charges['lines'] {
  return lines.map((line) => ({
    ...line,
    figures: line.figures.map((figure) =>
      figure.unit === 'of the test' ? { ...figure, unit: UNITS[figure.name] ?? 'ct/kWh net' } : figure,
    ),
  }));
}

function documentOf(
  { lines, sums, usageKwh }: Charges,
  given: Partial<InvoiceDocument> = {},
): InvoiceDocument {
  return {
    ...{ id: 'inv_test', type: 'usage', invoiceNumber: 'K7P2M9QX-033', ...OCTOBER, usageKwh },
    ...{ lines: withUnits(lines), sums, isEstimated: false, isFinal: false },
    ...{ dueOn: '2026-11-26', issuedAt: '2026-11-12T05:30:00.000Z', voids: null, corrects: null },
    ...{ facts: factsOfSample(), customer: 'cus_test', hasFile: false, account: null },
    ...given,
  };
}

const schedule = { low: '0.95', standard: '9.53', high: '15.65', shareOfYear: '0.4986' };
const smartContract = { modules: [moduleFrom(1, '2026-01-01'), moduleFrom(3, '2026-01-01')] };
const smartBill = billOf({
  contract: smartContract,
  period: OCTOBER,
  lists: listsFrom({ grid: plainGrid({ schedule }) }),
  energy: [
    { kwh: '101.5', eur: '7.913402' },
    { kwh: '150.623', eur: '14.82991' },
    { kwh: '53', eur: '7.4011' },
  ],
});

/** A month of quarter hours, with the bands of module 3. */
export function smartUsage(language: Language = 'de'): InvoiceDocument {
  return documentOf(smartBill, { facts: factsOfSample({ language }) });
}

/** A year with instalments, read by the customer at one end and estimated at the other. */
export function estimatedYear(language: Language = 'de'): InvoiceDocument {
  const period = { from: '2025-11-01', until: '2026-11-01' };
  const bill = billOf({
    ...{ period, energy: { kwh: '228.1', eur: '20.3' }, context: { deducted: '720.00' } },
    contract: { supply: { first: '2025-11-01', end: null } },
  });
  const { supply } = factsOfSample();
  const meters = [
    { number: '1ITR0011223344', type: 'analog', from: '2025-11-01' },
    { number: '1ITR0099887766', type: 'analog', from: '2026-05-12' },
  ] as const;
  const facts = factsOfSample({
    language,
    supply: { ...supply, meters },
    usage: {
      kwh: bill.usageKwh ?? '',
      origin: 'mixed',
      byOrigin: [
        { origin: 'readings', kwh: '2500.2' },
        { origin: 'estimate', kwh: '237' },
      ],
      isEstimated: true,
    },
    readings: [
      {
        ...{ meterNumber: '1ITR0011223344', register: 1, kwh: '1400.5' },
        start: { on: '2025-11-01', value: '40210', obtained: 'customer_report' },
        end: { on: '2026-05-12', value: '41610.5', obtained: 'grid_reading' },
      },
      {
        ...{ meterNumber: '1ITR0099887766', register: 2, kwh: '1336.7' },
        start: { on: '2026-05-12', value: '0', obtained: 'grid_reading' },
        end: { on: '2026-11-01', value: '1336.7', obtained: 'grid_estimation' },
      },
    ],
    comparison: {
      ...{
        months: monthsOf(
          CURRENT.map(() => null),
          [],
        ),
        previousPeriodKwh: '2811.4',
      },
      year: { kwh: '2737.2', basis: 'expected' },
      groups: factsOfSample().comparison?.groups ?? [],
    },
    deductions: Array.from({ length: 12 }, (_, index) => ({
      invoiceNumber: `K7P2M9QX-0${String(20 + index)}`,
      from: monthOf(index),
      until: monthOf(index + 1),
      paidOn: monthOf(index),
      ...{ gross: '60.00', tax: '9.58' },
    })),
  });
  return documentOf(bill, { ...period, isEstimated: true, facts });
}

function monthOf(index: number): string {
  return index < 2 ? `2025-${11 + index}-01` : `2026-${String(index - 1).padStart(2, '0')}-01`;
}

export function prepayment(language: Language = 'de'): InvoiceDocument {
  const charges = prepaymentCharges(OCTOBER, '60.00', REFERENCE.vatRate);
  const facts = factsOfSample({ language, usage: null, readings: [], comparison: null });
  return documentOf(charges, { type: 'prepayment', facts });
}

const VOIDED = { invoiceNumber: 'K7P2M9QX-032', issuedOn: '2026-11-12' } as const;

/** As the database writes a reversal: quantities and amounts the other way round, prices as they are. */
function reversed({ lines, sums }: Charges): Charges {
  const turned = (amount: string) => new Exact(amount).negated().plus(0).toFixed(2);
  return {
    lines: lines.map((line) => ({
      ...line,
      quantity: line.quantity === null ? null : new Exact(line.quantity).negated().toFixed(),
      net: turned(line.net),
    })),
    sums: {
      ...{ net: turned(sums.net), tax: turned(sums.tax), deducted: turned(sums.deducted) },
      taxes: sums.taxes.map(({ rate, net, tax }) => ({ rate, net: turned(net), tax: turned(tax) })),
      total: turned(sums.total),
    },
    usageKwh: null,
  };
}

export function voidDocument(language: Language = 'de'): InvoiceDocument {
  const facts = factsOfSample({ language });
  return documentOf(reversed(smartBill), { type: 'void', voids: VOIDED, facts });
}

export function correctedBill(language: Language = 'de'): InvoiceDocument {
  return { ...smartUsage(language), corrects: VOIDED };
}

export function exitSummary(language: Language = 'de'): InvoiceDocument {
  const taxes = (net: string, tax: string) => ({ taxes: [{ rate: '0.19', net, tax }] });
  const charges = exitSummaryCharges([
    {
      ...{ from: '2026-08-01', until: '2026-09-01', invoiceNumber: 'K7P2M9QX-031' },
      ...{ invoiced: taxes('61.20', '11.63'), recomputed: taxes('52.10', '9.90') },
    },
    {
      ...{ from: '2026-09-01', until: '2026-10-01', invoiceNumber: 'K7P2M9QX-032' },
      ...{ invoiced: taxes('58.00', '11.02'), recomputed: taxes('59.10', '11.23') },
    },
  ]);
  const contract = { ...factsOfSample().contract, end: '2026-10-01', nextTerminationOn: null };
  const facts = factsOfSample({ language, contract, usage: null, readings: [], comparison: null });
  return documentOf(charges, { type: 'exit_summary', from: '2026-08-01', until: '2026-10-01', facts });
}

/** Of a roof, paid by the rates of the EEG, to a company that charges VAT. */
export function feedInCredit(language: Language = 'de'): InvoiceDocument {
  const credit = billOf({
    contract: {
      type: 'feed_in',
      plant: { is_tax_exempt: false, plant_commissioned_on: '2026-03-01', plant_size_kw: '9.8' },
      terms: [
        termsOf({
          base_fee_net: '2.50',
          feed_in_kind: 'eeg',
          feed_in_scope: 'partial',
          feed_in_up_to_kw: 10,
        }),
      ],
    },
    ...{ period: OCTOBER, lists: listsFrom(), energy: { kwh: '412.5', eur: '0' } },
  });
  const facts = factsOfSample({
    language,
    contract: { ...factsOfSample().contract, type: 'feed_in', planName: 'Einspeisung' },
    recipient: {
      ...factsOfSample().recipient,
      ...{ type: 'company', companyName: 'Bäckerei Müller & Söhne OHG', vatId: 'DE811569869' },
    },
    usage: { kwh: '412.5', origin: 'metering_operator', byOrigin: [], isEstimated: false },
    readings: [],
    comparison: {
      ...{ months: monthsOf(CURRENT, PREVIOUS), previousPeriodKwh: null, groups: [] },
      year: { kwh: '3100', basis: 'measured' },
    },
  });
  return documentOf(credit, { facts });
}

export const SAMPLES = {
  smartUsage,
  estimatedYear,
  prepayment,
  voidDocument,
  correctedBill,
  exitSummary,
  feedInCredit,
} as const satisfies Record<string, (language?: Language) => InvoiceDocument>;
