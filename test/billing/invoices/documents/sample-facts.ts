import type { DocumentFacts } from '../../../../src/billing/invoices/calculate/fact-types.ts';

/* What documents of the tests say beside their figures. */

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

export const PREVIOUS = [312, 301, 268, 244, 231, 219, 225, 222, 236, 262, 288, 319];
export const CURRENT = [298, 290, 251, 240, 214, 207, 219, 205, 221, 249, 271, 305];

export function monthsOf(first: readonly (number | null)[], second: readonly (number | null)[]) {
  return first.map((kwh, index) => ({
    month: index < 2 ? `2025-${index + 11}` : `2026-${String(index - 1).padStart(2, '0')}`,
    kwh: kwh === null ? null : kwh.toFixed(2),
    previousYearKwh: second[index]?.toFixed(2) ?? null,
  }));
}

export function factsOfSample(given: Partial<DocumentFacts> = {}): DocumentFacts {
  return {
    language: 'de',
    hasInventedPrices: false,
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
          source: 'Übliche Werte von Haushalten ohne elektrische Heizung',
        },
        {
          code: 'two_persons',
          kwhYear: '2500',
          source: 'Übliche Werte von Haushalten ohne elektrische Heizung',
        },
        {
          code: 'three_persons',
          kwhYear: '3500',
          source: 'Übliche Werte von Haushalten ohne elektrische Heizung',
        },
        { code: 'house', kwhYear: '4500', source: 'Übliche Werte von Haushalten ohne elektrische Heizung' },
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
