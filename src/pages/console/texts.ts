import { textsIn as signInTexts } from '../../identity/oauth/screens/texts.ts';
import type { Language } from '../../platform/http/pages/language.ts';
import { commonTexts } from '../../platform/http/pages/texts.ts';
import type { Publication } from '../../spot-prices/service.ts';
import { contractTexts } from './contract-texts.ts';
import { developerTexts } from './developer-texts.ts';
import { fleetTexts } from './fleet-texts.ts';
import { workTexts } from './work/texts.ts';

const de = {
  ...commonTexts.de,
  ...fleetTexts.de,
  contract: contractTexts.de,
  ...developerTexts.de,
  work: workTexts.de,
  console: 'Voltstream-Konsole',
  skip: 'Zum Inhalt',
  pages: 'Seiten der Konsole',
  names: {
    home: 'Übersicht',
    work: 'Aufgaben',
    fleet: 'Geräte',
    contracts: 'Verträge',
    requests: 'Anfragen',
    keys: 'Schlüssel',
    webhooks: 'Webhooks',
  },
  signedInAs: (email: string) => `Angemeldet: ${email}`,
  signOut: 'Abmelden',
  toHome: 'Zur Übersicht',
  refused: 'Das wurde abgelehnt',
  refusedHint: 'Der Dienst nennt dafür diese Gründe:',
  inEnglish: 'auf Englisch',
  /* An address chooses among them, and so anybody's link does: they claim nothing that happened. */
  notices: {
    sent: 'Ein Formular, das zweimal ankommt, wird einmal ausgeführt: Die Seite zeigt, was daraus wurde.',
    shown:
      'Ein Formular, das zweimal ankommt, wird einmal ausgeführt. Was nur einmal gezeigt wird, steht in der ersten Antwort: Ein Geheimnis, das Sie nicht gesehen haben, erneuern Sie.',
    lost: 'Ein Formular, das zweimal ankommt, wird einmal ausgeführt. Ein neues Geheimnis steht in der ersten Antwort: Wenn Sie es nicht gesehen haben, erneuern Sie es als eines, das niemand eingesetzt hat.',
    issued:
      'Was eine Korrektur ausstellt, steht hier mit Zeit und Verweis. Was sie nicht ersetzen kann, steht mit dem Grund beim Vertrag.',
    begun:
      'Ein Worker beginnt in höchstens 30 Sekunden mit dem, was fällig ist: Laden Sie die Seite dann noch einmal. Was weiter fehlt, steht hier mit dem Grund.',
    working:
      'Ein Formular, das zweimal ankommt, wird einmal ausgeführt. Sehen Sie noch nicht, was daraus wurde, laden Sie die Seite gleich noch einmal.',
    tried:
      'Ein Formular, das zweimal ankommt, wird einmal ausgeführt. Die Antwort auf ein Testereignis steht auf der ersten Seite: Wenn Sie sie nicht gesehen haben, senden Sie ein neues.',
  },
  reason: 'Grund',
  asTable: 'Als Tabelle',
  time: 'Zeit',
  rowsStored: 'Gespeicherte Messwerte',
  rowsOfDay: (rows: string) => `davon heute ${rows}`,
  rowsOfMinutes: (minutes: number) => `Messwerte der letzten ${minutes} Minuten`,
  recentRequests: (requests: string) => (requests === '1' ? 'in 1 Anfrage' : `in ${requests} Anfragen`),
  requests: 'Anfragen heute',
  refusedOfDay: (refused: string) => `davon abgelehnt ${refused}`,
  priceTomorrow: 'Preis morgen',
  priceTomorrowMadeUp: 'Erfundener Preis morgen',
  noPriceTomorrow: {
    stored: ['zum Teil', 'Nicht alle Viertelstunden haben einen Preis.'],
    expected: ['noch keiner', 'Er kommt gegen 13 Uhr.'],
    late: ['verspätet', 'Er wurde gegen 13 Uhr erwartet.'],
    held_back: ['zurückgehalten', 'Er wird geprüft.'],
  } as Readonly<Record<Publication, readonly [string, string]>>,
  lowestToHighest: (lowest: string, highest: string) => `${lowest} bis ${highest}`,
  health: 'Dienst',
  isHealthy: 'in Ordnung',
  isDisturbed: 'gestört',
  prices: 'Börsenpreise heute und morgen',
  pricesOfNoMarket: 'Erfundene Preise heute und morgen',
  price: 'Preis',
  priceMadeUp: 'Erfundener Preis',
  pricesMadeUp:
    'Erfundene Zahlen: Diese Preise kommen aus einer Quelle zum Ausprobieren und sind nicht die des Marktes.',
  pricesNote: 'Day-Ahead-Preise ohne Gebühren, Umlagen und Steuern; Zeiten von Berlin.',
  noPrices: 'Für heute und morgen sind keine Preise gespeichert.',
  requestsHint:
    'Was Ihre Programme in den letzten 30 Tagen angefragt haben, das Neueste zuerst. Status 499: Die Verbindung endete vor der Antwort.',
  requestId: 'requestId',
  berlinTime: 'Zeit (Berlin)',
  program: 'Schlüssel',
  anyStatus: 'alle',
  refusedOnly: 'nur abgelehnte',
  search: 'Suchen',
  noRequests: 'Dazu gibt es keine Anfrage.',
  route: 'Route',
  status: 'Status',
  rows: 'Neue Zeilen',
  problems: 'Erste Fehler',
  version: 'Version',
  older: 'Ältere',
  errorTitles: {
    ...commonTexts.de.errorTitles,
    no_supplier: 'Hier gibt es noch nichts',
    slow_down: signInTexts.de.errorTitles.slow_down,
  },
  errorHints: {
    ...commonTexts.de.errorHints,
    no_supplier: 'Der Betrieb legt mit "cli organizations create" eine Organisation an.',
    slow_down: signInTexts.de.errorHints.slow_down,
  },
};

export type Texts = typeof de;
export type ErrorKind = keyof Texts['errorTitles'];
export type PageName = keyof Texts['names'];

const en: Texts = {
  ...commonTexts.en,
  ...fleetTexts.en,
  contract: contractTexts.en,
  ...developerTexts.en,
  work: workTexts.en,
  console: 'Voltstream console',
  skip: 'Skip to content',
  pages: 'Pages of the console',
  names: {
    home: 'Overview',
    work: 'Work',
    fleet: 'Fleet',
    contracts: 'Contracts',
    requests: 'Requests',
    keys: 'Keys',
    webhooks: 'Webhooks',
  },
  signedInAs: (email) => `Signed in: ${email}`,
  signOut: 'Sign out',
  toHome: 'To the overview',
  refused: 'This was refused',
  refusedHint: 'The service gives these reasons:',
  inEnglish: '',
  notices: {
    sent: 'A form that comes in twice is carried out once: the page shows what became of it.',
    shown:
      'A form that comes in twice is carried out once. What is shown once stands in the first answer: renew a secret that you have not seen.',
    lost: 'A form that comes in twice is carried out once. A new secret stands in the first answer: if you have not seen it, renew it as one that nobody has put in.',
    issued:
      'What a correction issues stands here, with its time and a link. What it cannot replace stands with the contract, and why.',
    begun:
      'A worker begins what is due within 30 seconds: load the page again then. What is still missing stands here, and why.',
    working:
      'A form that comes in twice is carried out once. If you do not see yet what became of it, load the page again in a moment.',
    tried:
      'A form that comes in twice is carried out once. The answer to a test event stands on the first page: if you have not seen it, send another one.',
  },
  reason: 'Reason',
  asTable: 'As a table',
  time: 'Time',
  rowsStored: 'Values stored',
  rowsOfDay: (rows) => `${rows} of them today`,
  rowsOfMinutes: (minutes) => `Values of the last ${minutes} minutes`,
  recentRequests: (requests) => (requests === '1' ? 'in 1 request' : `in ${requests} requests`),
  requests: 'Requests today',
  refusedOfDay: (refused) => `${refused} of them refused`,
  priceTomorrow: 'Price tomorrow',
  priceTomorrowMadeUp: 'Made-up price tomorrow',
  noPriceTomorrow: {
    stored: ['in part', 'Not all quarter hours have a price.'],
    expected: ['none yet', 'It comes about 13:00.'],
    late: ['late', 'It was expected about 13:00.'],
    held_back: ['held back', 'It is being checked.'],
  },
  lowestToHighest: (lowest, highest) => `${lowest} to ${highest}`,
  health: 'Service',
  isHealthy: 'in order',
  isDisturbed: 'disturbed',
  prices: 'Market prices today and tomorrow',
  pricesOfNoMarket: 'Made-up prices today and tomorrow',
  price: 'Price',
  priceMadeUp: 'Made-up price',
  pricesMadeUp:
    'Made-up numbers: these prices come from a source for trying things out. They are not those of the market.',
  pricesNote: 'Day-ahead prices without fees, levies and taxes; times of Berlin.',
  noPrices: 'No prices are stored for today and tomorrow.',
  requestsHint:
    'What your programs asked for in the last 30 days, newest first. Status 499: the connection ended before the answer.',
  requestId: 'requestId',
  berlinTime: 'Time (Berlin)',
  program: 'Key',
  anyStatus: 'all',
  refusedOnly: 'refused ones only',
  search: 'Search',
  noRequests: 'There is no such request.',
  route: 'Route',
  status: 'Status',
  rows: 'New rows',
  problems: 'First problems',
  version: 'Version',
  older: 'Older ones',
  errorTitles: {
    ...commonTexts.en.errorTitles,
    no_supplier: 'There is nothing here yet',
    slow_down: signInTexts.en.errorTitles.slow_down,
  },
  errorHints: {
    ...commonTexts.en.errorHints,
    no_supplier: 'The operator makes an organization with "cli organizations create".',
    slow_down: signInTexts.en.errorHints.slow_down,
  },
};

export const textsIn: Readonly<Record<Language, Texts>> = { de, en };
