import type { Language } from '../../platform/http/pages/language.ts';
import { FRAME_WORDS } from '../../platform/http/pages/texts.ts';

type Words = Readonly<Record<Language, string>>;

/** Who comes, and what is there for them. Words between backticks are code. */
interface Door {
  readonly id: string;
  readonly name: Words;
  readonly text: Words;
  readonly links: readonly (readonly [address: string, words: Words])[];
}

/** Stands for the address of the portal, which is configured. */
export const PORTAL = 'portal';

export const DOORS: readonly Door[] = [
  {
    id: 'gateways',
    name: { en: 'Gateways', de: 'Gateways' },
    text: { en: 'Send what devices measure.', de: 'Senden, was Geräte messen.' },
    links: [
      ['/docs', { en: 'Guide: the first snapshot', de: 'Anleitung: der erste Messwert' }],
      ['/docs/gateways', { en: 'Two gateways, in Node and Python', de: 'Zwei Gateways, in Node und Python' }],
      ['/docs/errors', { en: 'Error codes', de: 'Fehlercodes' }],
    ],
  },
  {
    id: 'partners',
    name: { en: 'Partners', de: 'Partner' },
    text: {
      en: 'Read prices, sell plans, follow contracts.',
      de: 'Preise lesen, Tarife verkaufen, Verträge verfolgen.',
    },
    links: [
      ['/docs/reference', { en: 'API reference', de: 'Referenz der Schnittstelle' }],
      ['/docs/quotes', { en: 'Quotes and savings', de: 'Angebote und Ersparnis' }],
      ['/docs/topics', { en: 'Events and webhooks', de: 'Ereignisse und Webhooks' }],
      ['/docs/customers', { en: 'Acting for a customer', de: 'Für einen Kunden handeln' }],
      ['/docs/served-zips', { en: 'Served ZIP codes', de: 'Belieferte Postleitzahlen' }],
      ['/changelog', { en: 'Changes by version', de: 'Änderungen je Version' }],
    ],
  },
  {
    id: 'analysts',
    name: { en: 'Analysts', de: 'Analysten' },
    text: {
      en: 'Ask the database in SQL: `npm run -s db -- psql --as analyst` beside a local start.',
      de: 'Die Datenbank in SQL befragen: `npm run -s db -- psql --as analyst` neben einem lokalen Start.',
    },
    links: [
      ['/docs/analysts', { en: 'How to ask', de: 'Wie man fragt' }],
      ['/docs/queries', { en: 'Questions with their queries', de: 'Fragen mit ihren Abfragen' }],
      ['/docs/trust', { en: 'How far to believe a number', de: 'Wie weit eine Zahl trägt' }],
      ['/docs/dictionary', { en: 'Dictionary of the views', de: 'Wörterbuch der Sichten' }],
      ['/prices', { en: 'Prices', de: 'Preise' }],
      ['/docs/data-sources', { en: 'Whom the prices come from', de: 'Woher die Preise kommen' }],
    ],
  },
  {
    id: 'testers',
    name: { en: 'Capacity testers', de: 'Lasttests' },
    text: {
      en: 'Measure what it takes. `npm run load -- --help` lists the runs.',
      de: 'Messen, was der Dienst aushält. `npm run load -- --help` nennt die Läufe.',
    },
    links: [
      ['/docs/rules#limits', { en: 'Limits of a client', de: 'Grenzen eines Clients' }],
      [
        '/docs/gateways#sending-again',
        { en: 'What to do with 429 and 503', de: 'Was bei 429 und 503 zu tun ist' },
      ],
    ],
  },
  {
    id: 'operators',
    name: { en: 'Operators', de: 'Betrieb' },
    text: {
      en: 'Keep it running. `npm run cli -- doctor` says what is wrong, `docs/operating.md` what to do.',
      de: 'Den Dienst betreiben. `npm run cli -- doctor` sagt, was nicht stimmt, `docs/operating.md`, was zu tun ist.',
    },
    links: [
      ['/readyz', { en: 'Readiness', de: 'Bereitschaft' }],
      ['/docs/style', { en: 'How the pages look', de: 'Wie die Seiten aussehen' }],
    ],
  },
  {
    id: 'sign-in',
    name: { en: 'Sign in', de: 'Anmelden' },
    text: { en: 'With a code that comes by mail.', de: 'Mit einem Code, der per E-Mail kommt.' },
    links: [
      [PORTAL, { en: 'Customers: the portal', de: 'Kunden: das Portal' }],
      [
        '/console',
        { en: 'Developers and back office: the console', de: 'Entwickler und Sachbearbeitung: die Konsole' },
      ],
    ],
  },
];

const en = {
  lang: 'en' as Language,
  frame: FRAME_WORDS.en,
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
  tools: 'For your own tools',
  postman: 'Collection for Postman',
  postmanText:
    ': every call of the newest version with an example. Import it and set `client_id` and `client_secret`, which a demo has filled in.',
  descriptions: 'API descriptions (OpenAPI 3.1):',
  notes: { preview: ' (preview)', stable: ' (latest stable)' },
};

export type HomeTexts = typeof en;

const de: HomeTexts = {
  lang: 'de',
  frame: FRAME_WORDS.de,
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
  tools: 'Für eigene Werkzeuge',
  postman: 'Sammlung für Postman',
  postmanText:
    ': jeder Aufruf der neuesten Version mit einem Beispiel. Nach dem Import `client_id` und `client_secret` eintragen, was eine Demo schon getan hat.',
  descriptions: 'Beschreibungen der Schnittstelle (OpenAPI 3.1):',
  notes: { preview: ' (Vorschau)', stable: ' (neueste stabile)' },
};

export const textsIn: Readonly<Record<Language, HomeTexts>> = { de, en };
