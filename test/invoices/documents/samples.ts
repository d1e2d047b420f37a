import type { InvoiceDocument } from '../../../src/invoices/documents/document.ts';
import type { DocumentFacts, Language } from '../../../src/invoices/documents/fact-types.ts';
import { exitSummaryDraft } from '../../../src/invoices/lines/corrections.ts';
import { prepaymentDraft } from '../../../src/invoices/lines/prepayment.ts';
import type { Draft } from '../../../src/invoices/lines/types.ts';
import { Exact } from '../../../src/platform/money.ts';
import { plainGrid } from '../../quotes/plain-figures.ts';
import { billOf, listsFrom, moduleFrom, REFERENCE, termsOf } from '../lines/billed.ts';

/* One document of each kind, with the lines that bills of such contracts have. */

const ISSUER: DocumentFacts['issuer'] = {
  name: 'Beispielstrom & Söhne GmbH',
  address: { street: 'Am Umspannwerk', houseNumber: '7', zip: '10115', city: 'Berlin' },
  country: 'DE',
  registerCourt: 'Amtsgericht Charlottenburg',
  registerNumber: 'HRB 12345',
  representedBy: 'Jana Beispiel, Tomasz Łukasiewicz',
  contactName: 'Kundenservice',
  email: 'service@beispielstrom.example',
  phone: '+49 30 1234567',
  website: 'https://beispielstrom.example',
  vatId: 'DE123456788',
  taxNumber: null,
  supplierCode: '9907248000001',
  accountHolder: 'Beispielstrom & Söhne GmbH',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
};

const PREVIOUS = [312, 301, 268, 244, 231, 219, 225, 222, 236, 262, 288, 319];
const CURRENT = [298, 290, 251, 240, 214, 207, 219, 205, 221, 249, 271, 305];

function monthsOf(first: readonly (number | null)[], second: readonly (number | null)[]) {
  return first.map((kwh, index) => ({
    month: index < 2 ? `2025-${index + 11}` : `2026-${String(index - 1).padStart(2, '0')}`,
    kwh: kwh === null ? null : kwh.toFixed(2),
    previousYearKwh: second[index]?.toFixed(2) ?? null,
  }));
}

export function factsOfSample(given: Partial<DocumentFacts> = {}): DocumentFacts {
  return {
    language: 'de',
    issuer: ISSUER,
    recipient: {
      ...{ customer: 'cus_test', type: 'person', companyName: null },
      ...{ firstName: 'Zoë', lastName: 'Gökçe-Wójcik', email: 'zoe@example.org', vatId: null },
      address: { street: 'Große Elbstraße', houseNumber: '145 c', zip: '22767', city: 'Hamburg' },
    },
    supply: {
      address: { street: 'Große Elbstraße', houseNumber: '145 c', zip: '22767', city: 'Hamburg' },
      ...{ malo: '50123456789', melo: 'DE0009993707300000000000000123456' },
      meters: [{ number: '1EMH0087654321', type: 'smart', from: '2026-10-01' }],
      gridOperator: { name: 'Hamburger Energienetze', code: '9910203000005' },
      meteringOperator: { name: 'Hamburger Energienetze', code: '9910203000005' },
    },
    contract: {
      ...{ number: 'K7P2M9QX', type: 'consumption', planName: 'Dynamisch', isBasicSupply: false },
      ...{ first: '2024-03-01', end: null, noticeMonths: 1, nextTerminationOn: '2026-12-12' },
      ...{ baseFeeNet: '5.00', marginCtNet: '1.80', isTaxExempt: false },
    },
    usage: { kwh: '305.123', origin: 'metering_operator', byOrigin: [], isEstimated: false },
    readings: [
      {
        ...{ meterNumber: '1EMH0087654321', register: 1, kwh: '305.123' },
        start: { on: '2026-10-01', value: '18342.700', obtained: 'remote' },
        end: { on: '2026-11-01', value: '18647.823', obtained: 'remote' },
      },
    ],
    comparison: {
      months: monthsOf(CURRENT, PREVIOUS),
      previousPeriodKwh: '319.00',
      year: { kwh: '2970.00', basis: 'measured' },
      groups: [
        {
          code: 'one_person',
          kwhYear: '1500',
          source: 'Typical usage of households without electric heating',
        },
        {
          code: 'two_persons',
          kwhYear: '2500',
          source: 'Typical usage of households without electric heating',
        },
        {
          code: 'three_persons',
          kwhYear: '3500',
          source: 'Typical usage of households without electric heating',
        },
        { code: 'house', kwhYear: '4500', source: 'Typical usage of households without electric heating' },
      ],
    },
    payment: {
      ...{ mandateReference: '0F8C1D525A3E4B0E9D572C1F7BE3A940', mandateSignedOn: '2024-02-10' },
      ...{ accountHolder: 'Zoë Gökçe-Wójcik', maskedIban: 'DE****************3000' },
      creditorId: 'DE98ZZZ09999999999',
    },
    deductions: [],
    ...given,
  };
}

const OCTOBER = { from: '2026-10-01', until: '2026-11-01' } as const;

/** The price lists of the tests call every unit alike. */
const UNITS: Readonly<Record<string, string>> = {
  grid_base_price: 'EUR/year net',
  module_1_credit: 'EUR/year net',
  metering_fee: 'EUR/year with VAT',
  vat_rate: 'share',
};

function withUnits(lines: Draft['lines']): Draft['lines'] {
  return lines.map((line) => ({
    ...line,
    figures: line.figures.map((figure) =>
      figure.unit === 'of the test' ? { ...figure, unit: UNITS[figure.name] ?? 'ct/kWh net' } : figure,
    ),
  }));
}

function documentOf(draft: Draft, given: Partial<InvoiceDocument> = {}): InvoiceDocument {
  return {
    ...{ id: 'inv_test', type: 'usage', invoiceNumber: 'K7P2M9QX-033', ...OCTOBER, usageKwh: null },
    ...{ lines: withUnits(draft.lines), sums: draft.sums, isEstimated: false, isFinal: false },
    ...{ dueOn: '2026-11-26', issuedAt: '2026-11-12T05:30:00.000Z', voids: null, corrects: null },
    facts: factsOfSample(),
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
  return documentOf(smartBill, { usageKwh: smartBill.usageKwh, facts: factsOfSample({ language }) });
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
      kwh: bill.usageKwh,
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
  return documentOf(bill, { ...period, usageKwh: bill.usageKwh, isEstimated: true, facts });
}

function monthOf(index: number): string {
  return index < 2 ? `2025-${11 + index}-01` : `2026-${String(index - 1).padStart(2, '0')}-01`;
}

export function prepayment(language: Language = 'de'): InvoiceDocument {
  const draft = prepaymentDraft(OCTOBER, '60.00', REFERENCE.vatRate);
  const facts = factsOfSample({ language, usage: null, readings: [], comparison: null });
  return documentOf(draft, { type: 'prepayment', facts });
}

const VOIDED = { invoiceNumber: 'K7P2M9QX-032', issuedOn: '2026-11-12' } as const;

/** As the database writes a reversal: quantities and amounts the other way round, prices as they are. */
function reversed({ lines, sums }: Draft): Draft {
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
  const draft = exitSummaryDraft([
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
  return documentOf(draft, { type: 'exit_summary', from: '2026-08-01', until: '2026-10-01', facts });
}

/** Of a roof, paid by the rates of the EEG, to a company that charges VAT. */
export function feedInCredit(language: Language = 'de'): InvoiceDocument {
  const draft = billOf({
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
  return documentOf(draft, { usageKwh: draft.usageKwh, facts });
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
