import type { Bill, BilledLine, Party } from '../../../../src/billing/invoices/e-invoice/bill.ts';

/* One bill of every kind, as the standard sees it. */

export const SUPPLIER: Party = {
  name: 'Beispielstrom GmbH',
  street: 'Am Umspannwerk 7',
  zip: '10115',
  city: 'Berlin',
  country: 'DE',
  email: 'rechnung@beispielstrom.example',
  phone: '+49 30 1234567',
  contact: 'Kundenservice',
  vatId: 'DE123456788',
  id: null,
  registration: 'HRB 12345',
  taxNumber: null,
  legal: 'Amtsgericht Berlin, HRB 12345',
};

export const COMPANY: Party = {
  name: 'Bäckerei Müller & Söhne <OHG>',
  street: 'Hauptstraße 12',
  zip: '53111',
  city: 'Bonn',
  country: 'DE',
  email: 'buchhaltung@baeckerei.example',
  phone: null,
  contact: 'Erika Müller',
  vatId: 'DE811569869',
  id: null,
  registration: null,
  taxNumber: null,
  legal: null,
};

const OCTOBER = { from: '2026-10-01', until: '2026-11-01' } as const;

export function line(part: Partial<BilledLine> & Pick<BilledLine, 'net'>): BilledLine {
  return {
    name: 'Energie, Börsenpreis',
    ...OCTOBER,
    quantity: null,
    unit: null,
    unitPrice: null,
    vatRate: '0.19',
    ...part,
  };
}

const USAGE_LINES: readonly BilledLine[] = [
  line({ name: 'Grundgebühr', quantity: '1', unit: 'month', unitPrice: '4.99', net: '4.99' }),
  line({ name: 'Netzentgelt, Grundpreis', quantity: '31', unit: 'day', unitPrice: '0.161123', net: '4.99' }),
  line({ name: 'Modul 1', quantity: '31', unit: 'day', unitPrice: '-0.356164', net: '-11.04' }),
  /* A mean that was rounded to six digits does not give the amount back. */
  line({ quantity: '123456.789', unit: 'kWh', unitPrice: '0.087346', net: '10783.42' }),
  line({ name: 'Stromsteuer', quantity: '123456.789', unit: 'kWh', unitPrice: '0.0205', net: '2530.86' }),
];

const FACTS = {
  issuedOn: '2026-11-12',
  dueOn: '2026-11-27',
  period: OCTOBER,
  isReversal: false,
  preceding: [],
  contract: 'K7P2M9QX',
  buyerReference: 'K7P2M9QX',
  routeId: null,
  seller: SUPPLIER,
  buyer: COMPANY,
  delivery: { location: '51238696780', street: 'Hauptstraße 12', zip: '53111', city: 'Bonn', country: 'DE' },
  payment: {
    by: 'debit',
    mandate: 'MANDAT-0001',
    creditor: 'DE98ZZZ09999999999',
    account: 'DE89370400440532013000',
  },
  paymentTerms: 'Der Betrag wird am 27.11.2026 eingezogen.',
  exemption: null,
  notes: [],
} as const;

export const USAGE: Bill = {
  ...FACTS,
  number: 'K7P2M9QX-004',
  typeCode: '380',
  lines: USAGE_LINES,
  sums: {
    net: '13313.22',
    taxes: [{ rate: '0.19', net: '13313.22', tax: '2529.51' }],
    tax: '2529.51',
    deducted: '1000.00',
    total: '14842.73',
  },
  notes: ['Erste Anmerkung.', 'Zweite Anmerkung.'],
};

export const NEGATIVE_PRICE: Bill = {
  ...FACTS,
  number: 'K7P2M9QX-005',
  typeCode: '380',
  lines: [
    line({ quantity: '50.5', unit: 'kWh', unitPrice: '-0.012376', net: '-0.62' }),
    line({ name: 'Beschaffung', quantity: '50.5', unit: 'kWh', unitPrice: '0.015', net: '0.76' }),
    line({ name: 'KWKG-Umlage', quantity: '0', unit: 'kWh', unitPrice: '0.00277', net: '0.00' }),
  ],
  sums: {
    net: '0.14',
    taxes: [{ rate: '0.19', net: '0.14', tax: '0.03' }],
    tax: '0.03',
    deducted: '0',
    total: '0.17',
  },
};

export const TWO_RATES: Bill = {
  ...FACTS,
  number: 'K7P2M9QX-006',
  typeCode: '380',
  payment: { by: 'transfer', account: 'DE89370400440532013000', holder: 'Beispielstrom GmbH' },
  lines: [
    line({
      quantity: '100',
      unit: 'kWh',
      unitPrice: '0.1',
      net: '10.00',
      vatRate: '0.16',
      until: '2026-10-11',
    }),
    line({ quantity: '200', unit: 'kWh', unitPrice: '0.1', net: '20.00', from: '2026-10-11' }),
  ],
  sums: {
    net: '30.00',
    taxes: [
      { rate: '0.19', net: '20.00', tax: '3.80' },
      { rate: '0.16', net: '10.00', tax: '1.60' },
    ],
    tax: '5.40',
    deducted: '0.00',
    total: '35.40',
  },
};

export const PREPAYMENT: Bill = {
  ...FACTS,
  number: 'K7P2M9QX-007',
  typeCode: '386',
  lines: [line({ name: 'Abschlag', quantity: '1', unit: 'month', unitPrice: '84.03', net: '84.03' })],
  sums: {
    net: '84.03',
    taxes: [{ rate: '0.19', net: '84.03', tax: '15.97' }],
    tax: '15.97',
    deducted: '0.00',
    total: '100.00',
  },
};

export const VOID: Bill = {
  ...FACTS,
  number: 'K7P2M9QX-008',
  typeCode: '384',
  isReversal: true,
  preceding: [{ number: 'K7P2M9QX-006', issuedOn: '2026-11-12' }],
  payment: { by: 'settlement' },
  lines: TWO_RATES.lines.map((line) => ({ ...line, net: `-${line.net}` })),
  sums: {
    net: '-30.00',
    taxes: TWO_RATES.sums.taxes.map(({ rate, net, tax }) => ({ rate, net: `-${net}`, tax: `-${tax}` })),
    tax: '-5.40',
    deducted: '0.00',
    total: '-35.40',
  },
};

export const EXIT_SUMMARY: Bill = {
  ...FACTS,
  number: 'K7P2M9QX-009',
  typeCode: '384',
  preceding: [
    { number: 'K7P2M9QX-004', issuedOn: '2026-11-12' },
    { number: 'K7P2M9QX-005', issuedOn: '2026-12-10' },
  ],
  payment: { by: 'settlement' },
  lines: [line({ name: 'Korrektur', net: '-7.31' })],
  sums: {
    net: '-7.31',
    taxes: [{ rate: '0.19', net: '-7.31', tax: '-1.39' }],
    tax: '-1.39',
    deducted: '0.00',
    total: '-8.70',
  },
};

/** Self-billed: the customer sells, the supplier writes the bill and takes its fee off. */
export const FEED_IN: Bill = {
  ...FACTS,
  number: 'F7P2M9QX-001',
  typeCode: '389',
  seller: { ...COMPANY, vatId: null, id: 'cus_000000000000000000000001', taxNumber: '12/345/67890' },
  buyer: SUPPLIER,
  payment: { by: 'transfer', account: 'DE02120300000000202051', holder: 'Erika Müller' },
  lines: [
    line({
      name: 'Vergütung',
      quantity: '812.4',
      unit: 'kWh',
      unitPrice: '0.0773',
      net: '62.80',
      vatRate: '0',
    }),
    line({
      name: 'Dienstleistungsentgelt',
      quantity: '812.4',
      unit: 'kWh',
      unitPrice: '0.004',
      net: '-3.25',
    }),
  ],
  sums: {
    net: '59.55',
    taxes: [
      { rate: '0.19', net: '-3.25', tax: '-0.62' },
      { rate: '0', net: '62.80', tax: '0.00' },
    ],
    tax: '-0.62',
    deducted: '0.00',
    total: '58.93',
  },
  exemption: 'Steuerbefreiung für Kleinunternehmer (§ 19 UStG)',
  notes: ['Gutschrift'],
};

export const EVERY_KIND = {
  usage: USAGE,
  'negative price': NEGATIVE_PRICE,
  'two rates': TWO_RATES,
  prepayment: PREPAYMENT,
  void: VOID,
  'exit summary': EXIT_SUMMARY,
  'feed-in': FEED_IN,
} as const satisfies Record<string, Bill>;
