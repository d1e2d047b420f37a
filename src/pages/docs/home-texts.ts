import type { Language } from '../../platform/http/pages/language.ts';

/** Who comes, and what is there for them. Words between backticks are code. */
interface Door {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly links: readonly (readonly [address: string, words: string])[];
}

/** Stands for the address of the portal, which is configured. */
export const PORTAL = 'portal';

const englishDoors: readonly Door[] = [
  {
    ...{ id: 'gateways', name: 'Gateways', text: 'Send what devices measure.' },
    links: [
      ['/docs', 'Guide: the first snapshot'],
      ['/docs/gateways', 'Two gateways, in Node and Python'],
      ['/docs/errors', 'Error codes'],
    ],
  },
  {
    ...{ id: 'partners', name: 'Partners', text: 'Read prices, sell plans, follow contracts.' },
    links: [
      ['/docs/reference', 'API reference'],
      ['/docs/quotes', 'Quotes and savings'],
      ['/docs/topics', 'Events and webhooks'],
      ['/docs/customers', 'Acting for a customer'],
      ['/docs/served-zips', 'Served ZIP codes'],
      ['/changelog', 'Changes by version'],
    ],
  },
  {
    ...{ id: 'analysts', name: 'Analysts', text: 'Ask the database in SQL.' },
    links: [
      ['/docs/dictionary', 'Dictionary of the views'],
      ['/prices', 'Prices'],
      ['/docs/data-sources', 'Whom the prices come from'],
    ],
  },
  {
    ...{ id: 'testers', name: 'Capacity testers' },
    text: 'Measure what it takes. `npm run load -- --help` lists the runs.',
    links: [
      ['/docs/rules#limits', 'Limits of a client'],
      ['/docs/gateways#sending-again', 'What to do with 429 and 503'],
    ],
  },
  {
    ...{ id: 'operators', name: 'Operators' },
    text: 'Keep it running. `npm run cli -- doctor` says what is wrong.',
    links: [
      ['/readyz', 'Readiness'],
      ['/docs/style', 'How the pages look'],
    ],
  },
  {
    ...{ id: 'sign-in', name: 'Sign in', text: 'With a code that comes by mail.' },
    links: [
      [PORTAL, 'Customers: the portal'],
      ['/console', 'Developers and back office: the console'],
    ],
  },
];

const en = {
  lang: 'en' as Language,
  otherLanguage: { lang: 'de' as Language, words: 'Deutsch' },
  frame: { skip: 'To the content', pages: 'Main', prices: 'Prices' },
  title: 'Home',
  what: 'Telemetry ingestion, day-ahead prices and the programming interface of an electricity supplier.',
  stored: 'Values stored',
  inDays: (days: number) => `in the last ${days} days`,
  comingIn: 'Coming in',
  inMinutes: (minutes: number) => `a minute, in the last ${minutes} minutes`,
  notKnown: 'not known now',
  noDatabase: 'the database does not answer',
  below: (count: string) => `below ${count}`,
  about: (count: string) => `about ${count}`,
  priceNow: 'Market price now',
  madeUpPriceNow: 'Made-up price now',
  noPrice: 'none',
  forQuarterHour: 'for this quarter hour',
  withoutFees: 'day-ahead, without fees and taxes',
  service: 'Service',
  ready: 'ready',
  takesRequests: 'takes requests',
  disturbed: 'disturbed',
  readinessSays: 'readiness says why',
  pricesToday: 'Prices today',
  madeUp: 'Made-up numbers.',
  madeUpNote: 'These prices come from a synthetic feed on this machine. They are not the market’s.',
  curve: 'Day-ahead prices of today',
  madeUpCurve: 'Made-up prices of today',
  curveText: (low: string, high: string, known: number, all: number) =>
    `From ${low} to ${high} ct/kWh, ${known} of ${all} quarter hours. All of them: the page of prices.`,
  unit: 'ct/kWh by quarter hour, Berlin time, without fees, levies and taxes.',
  noPrices: 'No price of today is stored.',
  allPrices: 'Yesterday to tomorrow',
  whereToBegin: 'Where to begin',
  language: '',
  doors: englishDoors,
  tools: 'For your own tools',
  postman: 'Collection for Postman',
  postmanText:
    ': every call of the newest version with an example. Import it and set `client_id` and `client_secret`.',
  descriptions: 'API descriptions (OpenAPI 3.1):',
  notes: { preview: ' (preview)', stable: ' (latest stable)' },
};

export type HomeTexts = typeof en;

const germanDoors: readonly Door[] = [
  {
    ...{ id: 'gateways', name: 'Gateways', text: 'Senden, was Geräte messen.' },
    links: [
      ['/docs', 'Anleitung: der erste Messwert'],
      ['/docs/gateways', 'Zwei Gateways, in Node und Python'],
      ['/docs/errors', 'Fehlercodes'],
    ],
  },
  {
    ...{ id: 'partners', name: 'Partner', text: 'Preise lesen, Tarife verkaufen, Verträge verfolgen.' },
    links: [
      ['/docs/reference', 'Referenz der Schnittstelle'],
      ['/docs/quotes', 'Angebote und Ersparnis'],
      ['/docs/topics', 'Ereignisse und Webhooks'],
      ['/docs/customers', 'Für einen Kunden handeln'],
      ['/docs/served-zips', 'Belieferte Postleitzahlen'],
      ['/changelog', 'Änderungen je Version'],
    ],
  },
  {
    ...{ id: 'analysts', name: 'Analysten', text: 'Die Datenbank in SQL befragen.' },
    links: [
      ['/docs/dictionary', 'Wörterbuch der Sichten'],
      ['/prices', 'Preise'],
      ['/docs/data-sources', 'Woher die Preise kommen'],
    ],
  },
  {
    ...{ id: 'testers', name: 'Lasttests' },
    text: 'Messen, was der Dienst aushält. `npm run load -- --help` nennt die Läufe.',
    links: [
      ['/docs/rules#limits', 'Grenzen eines Clients'],
      ['/docs/gateways#sending-again', 'Was bei 429 und 503 zu tun ist'],
    ],
  },
  {
    ...{ id: 'operators', name: 'Betrieb' },
    text: 'Den Dienst betreiben. `npm run cli -- doctor` sagt, was nicht stimmt.',
    links: [
      ['/readyz', 'Bereitschaft'],
      ['/docs/style', 'Wie die Seiten aussehen'],
    ],
  },
  {
    ...{ id: 'sign-in', name: 'Anmelden', text: 'Mit einem Code, der per E-Mail kommt.' },
    links: [
      [PORTAL, 'Kunden: das Portal'],
      ['/console', 'Entwickler und Sachbearbeitung: die Konsole'],
    ],
  },
];

const de: HomeTexts = {
  lang: 'de',
  otherLanguage: { lang: 'en', words: 'English' },
  frame: { skip: 'Zum Inhalt', pages: 'Seiten', prices: 'Preise' },
  title: 'Start',
  what: 'Messwerte, Day-Ahead-Preise und die Programmierschnittstelle eines Stromlieferanten.',
  stored: 'Gespeicherte Werte',
  inDays: (days) => `in den letzten ${days} Tagen`,
  comingIn: 'Gerade kommen',
  inMinutes: (minutes) => `in der Minute, über die letzten ${minutes} Minuten`,
  notKnown: 'nicht bekannt',
  noDatabase: 'die Datenbank antwortet nicht',
  below: (count) => `unter ${count}`,
  about: (count) => `etwa ${count}`,
  priceNow: 'Börsenpreis jetzt',
  madeUpPriceNow: 'Erfundener Preis jetzt',
  noPrice: 'keiner',
  forQuarterHour: 'für diese Viertelstunde',
  withoutFees: 'Day-Ahead, ohne Gebühren und Steuern',
  service: 'Dienst',
  ready: 'bereit',
  takesRequests: 'nimmt Anfragen an',
  disturbed: 'gestört',
  readinessSays: 'die Bereitschaft sagt, warum',
  pricesToday: 'Preise heute',
  madeUp: 'Erfundene Zahlen.',
  madeUpNote:
    'Diese Preise kommen aus einer künstlichen Quelle auf diesem Rechner. Es sind nicht die des Marktes.',
  curve: 'Day-Ahead-Preise von heute',
  madeUpCurve: 'Erfundene Preise von heute',
  curveText: (low, high, known, all) =>
    `Von ${low} bis ${high} ct/kWh, ${known} von ${all} Viertelstunden. Alle stehen auf der Seite der Preise.`,
  unit: 'ct/kWh je Viertelstunde, Zeit von Berlin, ohne Gebühren, Steuern und Umlagen.',
  noPrices: 'Von heute ist kein Preis gespeichert.',
  allPrices: 'Gestern bis morgen',
  whereToBegin: 'Wo es losgeht',
  language: 'Anleitung, Referenz und Wörterbuch sind auf Englisch.',
  doors: germanDoors,
  tools: 'Für eigene Werkzeuge',
  postman: 'Sammlung für Postman',
  postmanText:
    ': jeder Aufruf der neuesten Version mit einem Beispiel. Nach dem Import `client_id` und `client_secret` eintragen.',
  descriptions: 'Beschreibungen der Schnittstelle (OpenAPI 3.1):',
  notes: { preview: ' (Vorschau)', stable: ' (neueste stabile)' },
};

export const textsIn: Readonly<Record<Language, HomeTexts>> = { de, en };
