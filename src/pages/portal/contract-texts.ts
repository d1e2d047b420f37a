import type { Language } from '../../platform/http/pages/language.ts';

/** On the pages about one contract. */
const de = {
  ways: { prices: 'Preise heute und morgen' },
  about: (plan: string, number: string | null) => (number === null ? plan : `${plan}, Vertrag ${number}`),
  asTable: 'Als Tabelle',
  time: 'Zeit',
  notSupplied: 'Ihr Netzbetreiber hat die Belieferung noch nicht bestätigt.',

  pricesTitle: 'Ihre Preise heute und morgen',
  now: 'Jetzt',
  noPriceNow: 'Für jetzt ist kein Preis bekannt.',
  today: 'Heute',
  tomorrow: 'Morgen',
  cheapest: 'Am günstigsten',
  dearest: 'Am teuersten',
  hourCosts: (from: string, to: string, cents: string) => `${from} bis ${to} Uhr, im Mittel ${cents} ct/kWh`,
  noPricesToday: 'Die Preise dieses Tages sind nicht vollständig bekannt, oder alle sind gleich.',
  noPricesTomorrow: 'Die Preise für morgen kommen gegen 13 Uhr, oder alle sind gleich.',
  priceCurve: 'Verlauf',
  centsInclusive: 'ct/kWh einschließlich Umsatzsteuer',
  price: 'Preis',
  electricity: 'Energie',
  grid: 'Netz',
  levies: 'Steuern und Umlagen',
  mark: 'Hinweis',
  marks: { cheap: 'günstig', dear: 'teuer' },
  pricesHint:
    'Der Preis ist die Summe aus Energie (Börsenpreis und Aufschlag), Netz, Steuern und Umlagen, alle mit Umsatzsteuer. Grundpreise kommen hinzu. Zeiten von Berlin.',
};

const en: typeof de = {
  ways: { prices: 'Prices today and tomorrow' },
  about: (plan, number) => (number === null ? plan : `${plan}, contract ${number}`),
  asTable: 'As a table',
  time: 'Time',
  notSupplied: 'Your grid operator has not confirmed the supply yet.',

  pricesTitle: 'Your prices today and tomorrow',
  now: 'Now',
  noPriceNow: 'No price is known for now.',
  today: 'Today',
  tomorrow: 'Tomorrow',
  cheapest: 'Cheapest',
  dearest: 'Dearest',
  hourCosts: (from, to, cents) => `${from} to ${to}, ${cents} ct/kWh on average`,
  noPricesToday: 'Not all prices of this day are known, or all are the same.',
  noPricesTomorrow: 'The prices of tomorrow come about 13:00, or all are the same.',
  priceCurve: 'Curve',
  centsInclusive: 'ct/kWh including VAT',
  price: 'Price',
  electricity: 'Energy',
  grid: 'Grid',
  levies: 'Taxes and levies',
  mark: 'Remark',
  marks: { cheap: 'cheap', dear: 'dear' },
  pricesHint:
    'The price is the sum of energy (market price and margin), grid, taxes and levies, all including VAT. Base fees come on top. Times are those of Berlin.',
};

export const contractTexts: Readonly<Record<Language, typeof de>> = { de, en };
