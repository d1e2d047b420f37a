import { WITHDRAWAL_NOT_ALLOWED } from '../../contracts/subscriptions/terminate.ts';
import { dayText, momentText } from '../../platform/http/pages/chart.ts';
import { berlinDayOf, isBerlinMidnight } from '../../platform/time/berlin-calendar.ts';
import { isInstant } from '../../platform/time/instant.ts';
import type { Texts } from './texts.ts';

/** What is wrong with a form. */
export interface Problem extends Sentence {
  /** The name in the form; where the form has no such field, that of the rule. */
  readonly field: string;
  /** What people call it. */
  readonly name: string;
}

interface Entry {
  code?: string;
  field: string;
  message: string;
}

/** What fields of forms are called that services speak of. */
const FIELDS: Readonly<Record<string, string>> = {
  account_holder: 'Kontoinhaber',
  amount: 'Betrag',
  appointment_at: 'Termin',
  cause: 'Warum',
  closing: 'Letzter Stand',
  contact_email: 'E-Mail-Adresse',
  description: 'Beschreibung',
  display_name: 'Name',
  end_on: 'Erster Tag ohne Belieferung',
  endpoint: 'Empfänger',
  event: 'Ereignis',
  entry: 'Bewegung',
  from: 'Ab dem Monat',
  iban: 'IBAN',
  instalment: 'Abschlag',
  kind: 'Art',
  malo: 'Marktlokation',
  melo: 'Messlokation',
  number: 'Nummer des Zählers',
  on: 'Tag',
  opening: 'Erster Stand',
  organization: 'Organisation',
  overlap: 'Wie lange das bisherige gilt',
  reason: 'Grund',
  start_on: 'Erster Tag der Belieferung',
  status: 'Stand',
  subscription: 'Vertrag',
  topics: 'Themen',
  total: 'Rechnungsbetrag',
  url: 'Adresse',
  valid_from: 'Gilt ab',
  valid_until: 'Gilt nicht mehr ab',
  why: 'Art',
};

/** What the interface calls otherwise than a form. */
const FIELDS_OF_FORMS: Readonly<Record<string, string>> = {
  intended_end_at: 'end_on',
  meter_number: 'number',
};

/**
 * Sentences of services in German; `{}` stands for a value, in both in the same order. One that is missing here is shown as
 * the service says it.
 */
export const GERMAN_SENTENCES: Readonly<Record<string, string>> = {
  /* What is typed. */
  'Needed: one line of at most {} characters': 'Nötig ist eine Zeile mit höchstens {} Zeichen',
  'Needed: a day (2026-10-05)': 'Nötig ist ein Tag (2026-10-05)',
  'Not a day of the calendar (2026-10-05)': 'Kein Tag des Kalenders (2026-10-05)',
  'One of: {}': 'Möglich sind: {}',
  'The IBAN is not valid': 'Diese IBAN gibt es nicht',
  'Not a month (2026-10)': 'Kein Monat (2026-10)',
  'Needed: the date of the visit': 'Nötig ist der Termin',
  'Not a day and a time (2026-11-24T09:00)': 'Kein Tag mit Uhrzeit (2026-11-24T09:00)',
  'A number of at most {}, as 18342.7': 'Nötig ist eine Zahl bis {}, zum Beispiel 18342.7',
  'Not the 11 digits of a market location': 'Eine Marktlokation hat 11 Ziffern',
  'Not the 33 characters of a metering location': 'Eine Messlokation hat 33 Zeichen',
  'The check digit is wrong': 'Die Prüfziffer stimmt nicht',
  'Bidirectional overrides are not allowed': 'Zeichen, die die Schreibrichtung umkehren, sind nicht erlaubt',
  'Nothing visible in it': 'Darin ist nichts zu sehen',
  'Control characters and unpaired surrogates are not allowed': 'Steuerzeichen sind nicht erlaubt',
  'Too small: expected string to have >={} characters': 'Nötig ist mindestens {} Zeichen',
  'Too big: expected string to have <={} characters': 'Möglich sind höchstens {} Zeichen',
  'Invalid email address': 'Keine vollständige E-Mail-Adresse',
  /* Contracts. */
  'Only a pending subscription can be confirmed; this one is {}':
    'Bestätigt wird nur ein Vertrag, der auf den Netzbetreiber wartet; dieser ist: {}',
  'Only a pending subscription can be confirmed; this one was withdrawn from: call the switch back':
    'Der Kunde hat widerrufen: Rufen Sie den Wechsel zurück',
  'Only a pending subscription can be rejected; this one is {}':
    'Abgelehnt wird nur ein Vertrag, der auf den Netzbetreiber wartet; dieser ist: {}',
  'Supply began at {}: terminate the subscription instead':
    'Die Belieferung hat begonnen ({}): Kündigen Sie den Vertrag stattdessen',
  'The subscription has ended': 'Der Vertrag ist beendet',
  'The start of the subscription is not confirmed': 'Der Beginn der Belieferung ist nicht bestätigt',
  'The start must lie before the end, {}': 'Der Beginn muss vor dem Ende liegen ({})',
  '{} supplies the household at that time': '{} beliefert den Haushalt in dieser Zeit',
  'Another subscription supplies the household at that time':
    'Ein anderer Vertrag beliefert den Haushalt in dieser Zeit',
  'Market location {} belongs to {} in days of {}, the first is {}':
    'Die Marktlokation {} gehört zum Vertrag {}, und zwar an Tagen von {}, deren erster der {} ist',
  'A withdrawal takes the earliest end: leave the day out':
    'Ein Widerruf wirkt so früh wie möglich: Lassen Sie den Tag weg',
  'A move-out needs its day': 'Zu einem Auszug gehört sein Tag',
  'The subscription cannot be withdrawn from': 'Der Vertrag kann nicht widerrufen werden',
  'The end date is not possible: the earliest is {}, and feed-in ends with a month':
    'An diesem Tag kann der Vertrag nicht enden: frühestens {}, und Einspeisung endet mit einem Monat',
  'The end date is not possible: the earliest is {}; supply ends at {} already, and only an earlier end replaces it':
    'An diesem Tag kann der Vertrag nicht enden: frühestens {}; die Belieferung endet schon am {}, und nur ein früheres Ende ersetzt das',
  'The end date is not possible: the earliest is {}':
    'An diesem Tag kann der Vertrag nicht enden: frühestens {}',
  'An instalment is 1 to 999999 whole EUR': 'Ein Abschlag sind 1 bis 999999 ganze Euro',
  'Months that are over are not paid in advance: from {} on':
    'Für vergangene Monate wird nichts vorausbezahlt: möglich ab {}',
  'The contract is not paid in advance on {}: invoices mode':
    'Am {} wird der Vertrag nicht im Voraus bezahlt: Umstellen kann ihn der Betreiber (invoices mode)',
  'Another device was mounted after this one': 'Nach diesem Gerät wurde ein anderes eingebaut',
  '{} asked for days from {} on already; the first free month is behind it':
    '{} hat Tage ab dem {} schon verlangt; der erste freie Monat liegt dahinter',
  '{} has its exit summary: nothing is issued after it':
    'Der Vertrag {} ist abgerechnet: Danach wird nichts mehr gestellt',
  '{} has no final bill yet: the exit summary settles what changed behind it':
    'Der Vertrag {} hat noch keine letzte Rechnung, und abgerechnet wird nach ihr',
  'The contract has no start of supply yet': 'Der Vertrag hat noch keinen Beginn der Belieferung',
  'The bills come to something else than in the preview: look at it again':
    'Die Rechnungen ergeben etwas anderes als in der Vorschau: Sehen Sie sie noch einmal an',
  /* Bills and payments. */
  'Invoice {} ({}) is {}: {} cannot follow': 'Mit der Rechnung {} ({}) geht das nicht: Sie ist {}',
  'The invoice is {}': 'Die Rechnung ist {}',
  'It is stopped already ({})': 'Die Mahnsperre ist schon gesetzt ({})',
  'It is not stopped': 'Es gibt keine Mahnsperre',
  'Nothing of it is to be paid back': 'Davon ist nichts zurückzuzahlen',
  'At most {} is to come back': 'Zurückkommen sollen höchstens {}',
  'At most {} is to be paid back': 'Zurückzuzahlen sind höchstens {}',
  'More than zero, at most two decimals (12.34)':
    'Mehr als null, mit höchstens zwei Stellen hinter dem Komma (12,34)',
  'Not a day of the future': 'Der Tag liegt in der Zukunft',
  'Leave it empty, or choose another one above': 'Leer lassen oder oben "eine andere" wählen',
  'Needed: the number of a bill or a contract': 'Nötig ist die Nummer einer Rechnung oder eines Vertrags',
  'It is {}: only an unmatched movement, or one that was set aside, is assigned':
    'Die Bewegung ist {}: Zugeordnet wird nur, was noch zu keiner Rechnung gehört',
  'It is {}: only a movement that is on a bill is taken back':
    'Die Bewegung ist {}: Zurückgenommen wird nur, was zu einer Rechnung gehört',
  'The customer was erased: nothing new is taken':
    'Die Person wurde gelöscht: Von ihr wird nichts Neues gespeichert',
  'A part of it is on a bill of a person who was erased: it stays as it is':
    'Ein Teil davon gehört zur Rechnung einer gelöschten Person: Es bleibt, wie es ist',
  '{} EUR of it were paid out by {}, or are in a file for the bank: assign what the customer gives back to {} first':
    '{} EUR davon sind mit {} ausgezahlt oder in einer Datei für die Bank: Ordnen Sie {} zuerst zu, was der Kunde zurückgibt',
  '{} closes the days of this prepayment: reverse that bill first':
    '{} rechnet diesen Abschlag ab: Stornieren Sie zuerst diese Rechnung',
  '{} is in favour of the customer: {} is owed': '{} ist ein Guthaben des Kunden: Er schuldet {}',
  'There is no bill and no contract {}': 'Eine Rechnung oder einen Vertrag {} gibt es nicht',
  'Money that went out is for one bill: name it':
    'Geld, das hinausging, gehört zu einer Rechnung: Nennen Sie sie',
  'No bill of the contract is open: name a bill':
    'Zu diesem Vertrag ist keine Rechnung offen: Nennen Sie eine Rechnung',
  /* Orders. */
  'Only a scheduled order has an appointment; this one is {}':
    'Einen Termin hat nur ein Auftrag, dessen Termin feststeht; dieser ist: {}',
  'The order is not blocked; it is {}': 'Der Auftrag ist nicht angehalten, sondern: {}',
  'The order is {}: {} cannot follow': 'Der Auftrag ist: {}. Darauf kann nicht folgen: {}',
  'The order is {}, and another device was mounted':
    'Der Auftrag ist: {}. Eingebaut wurde aber ein anderes Gerät',
  'An order that becomes {} gets no appointment': 'Zu diesem Stand gehört kein Termin: {}',
  'Needed: the number of the smart meter that was mounted':
    'Nötig ist die Nummer des Zählers, der eingebaut wurde',
  'An order that goes from {} to {} mounts none': 'Von „{}“ zu „{}“ wird kein Zähler eingebaut',
  'Needed: day and last value belong to a meter that was mounted':
    'Nötig, denn Tag und letzter Stand gehören zu einem Zähler, der eingebaut wurde',
  'The day is still to come': 'Der Tag liegt in der Zukunft',
  'The device that is there was mounted on {}: later exchanges come later':
    'Das Gerät, das da ist, wurde am {} eingebaut: Der Tag muss danach liegen',
  'It was entered with other readings or another type: correct the exchange':
    'Der Wechsel ist mit anderen Ständen oder anderer Art erfasst: Korrigieren Sie ihn',
  'The device was still read on {}': 'Das Gerät wurde am {} noch abgelesen',
  'The device that is there has this number': 'Diese Nummer hat das Gerät, das schon da ist',
  'Needed: {} is supplied by an analog meter':
    'Nötig ist der Stand: Der Vertrag {} hat einen analogen Zähler',
  'No reading is taken of a smart meter': 'Ein intelligenter Zähler wird nicht abgelesen',
  'No contract is supplied before this day: leave it out':
    'Vor diesem Tag wird kein Vertrag beliefert: Lassen Sie den Stand weg',
  'No contract is supplied from this day on: leave it out':
    'Von diesem Tag an wird kein Vertrag beliefert: Lassen Sie den Stand weg',
  'The device was read on that day: leave it out':
    'Das Gerät wurde an diesem Tag abgelesen: Lassen Sie den Stand weg',
  'The device stays: enter what it showed as a reading of the day':
    'Das Gerät bleibt: Tragen Sie seinen Stand als Ablesung des Tages ein',
  'It is smart since {}: leave the day out, or correct that one (meters {})':
    'Intelligent ist der Zähler seit dem {}: Lassen Sie den Tag weg, oder lassen Sie jenen korrigieren (meters {})',
  'Only what is ordered can be accepted; this reduction is {}':
    'Zustimmen kann der Netzbetreiber nur einem bestellten Modul; dieses ist: {}',
  'Only what is ordered can be rejected; this reduction is {}':
    'Ablehnen kann der Netzbetreiber nur ein bestelltes Modul; dieses ist: {}',
  'Only what is activated can be ended; this reduction is {}':
    'Beendet wird nur ein Modul, das gilt; dieses ist: {}',
  'Not between the order, {}, and {}': 'Der Termin muss zwischen dem Auftrag ({}) und dem {} liegen',
  'It cannot hold before the start of supply, {}':
    'Das Modul kann nicht vor dem Beginn der Belieferung gelten ({})',
  'It must hold before the end of supply, {}': 'Das Modul muss vor dem Ende der Belieferung gelten ({})',
  'It must not lie before the beginning, {}': 'Der Tag darf nicht vor dem Beginn liegen ({})',
  'The day lies in the future: end the reduction when it has come':
    'Der Tag liegt in der Zukunft: Beenden Sie das Modul, wenn er da ist',
  /* Keys and webhooks. */
  'A public client has no secret': 'Ein öffentlicher Schlüssel hat kein Geheimnis',
  'The endpoint is switched off: switch it on before':
    'Der Empfänger ist abgeschaltet: Schalten Sie ihn erst ein',
  "The customer's data are restricted (Art. 18 GDPR): nothing is sent before customers lift-restriction":
    'Die Verarbeitung der Daten des Kunden ist eingeschränkt (Art. 18 DSGVO): Gesendet wird erst wieder, wenn der Betreiber das mit customers lift-restriction aufhebt',
  'A listener is where its command runs; only its topics can be changed':
    'Ein Programm, das zuhört, ist dort, wo es läuft: Nur seine Themen lassen sich ändern',
  'The secret of a listener is its own: start it anew':
    'Ein Programm, das zuhört, hat ein eigenes Geheimnis: Starten Sie es neu',
  'An earlier secret signs until {}, and two are the most: rotate after that, as lost if nobody has put in the newest one, or as compromised':
    'Ein früheres Geheimnis gilt noch bis {}, und mehr als zwei gehen nicht: Warten Sie so lange, oder wählen Sie, was mit den bisherigen geschieht',
  'The organization has {} webhook endpoints already, which is the most: delete one':
    'Die Organisation hat schon {} Empfänger, mehr gehen nicht: Löschen Sie einen',
  'The address may have {} characters at most': 'Die Adresse darf höchstens {} Zeichen haben',
  'The address may have printable ASCII characters only; names in other letters are written as xn--…':
    'Die Adresse darf nur aus Zeichen des ASCII bestehen; Namen mit anderen Buchstaben schreibt man als xn--…',
  'The address is no URL': 'Das ist keine Adresse',
  'The address must begin with https://': 'Die Adresse muss mit https:// beginnen',
  'The address may not contain a user or a password':
    'Die Adresse darf weder Benutzer noch Passwort enthalten',
  'The address may not contain a fragment (#…)': 'Die Adresse darf keinen Teil hinter # haben',
  'The address is this service itself': 'Das ist die Adresse dieses Dienstes',
  'The address needs a host with a dot in its name': 'Im Namen des Rechners fehlt ein Punkt',
  'The host may not end with a dot': 'Der Name des Rechners darf nicht mit einem Punkt enden',
  'A listener has no address: its command takes what happens':
    'Ein Programm, das zuhört, hat keine Adresse: Es holt selbst, was geschieht',
  'The host must be written as {}': 'Der Name des Rechners wird so geschrieben: {}',
  'The address must use the port {}': 'Die Adresse muss diesen Port haben: {}',
  'The name {} has no address': 'Zu dem Namen {} gibt es keine Adresse',
  '{} is not reached by public addresses': '{} hat keine öffentliche Adresse',
  /* Why a bill cannot be made. What has a longer beginning stands first. */
  'No row of {} for {} counts on {}.': 'In {} gilt für {} am {} keine Zeile.',
  'No row of {} counts on {}.': 'In {} gilt am {} keine Zeile.',
  '{}: no row is valid on {}; the last one ended on {}. It is entered with "tariffs import".':
    '{}: Am {} gilt keine Zeile; die letzte endete am {}. Eingetragen wird sie mit "tariffs import".',
  '{}: no row is valid on {}. It is entered with "tariffs import".':
    '{}: Am {} gilt keine Zeile. Eingetragen wird sie mit "tariffs import".',
  'The exit summary waits for values that may still come in, until supply ends.':
    'Die Abrechnung nach dem Ende wartet: Das Ende der Belieferung steht noch nicht fest.',
  'The exit summary waits for values that may still come in, until {}.':
    'Die Abrechnung nach dem Ende wartet bis zum {} auf Werte, die noch kommen können.',
  'invoices: {} is {} and cannot be reversed; it is corrected when it is paid.':
    'invoices: {} ist {} und kann nicht storniert werden; korrigiert wird nach der Zahlung.',
  'payments: money for {} is with the bank, may come back, or was paid out in part. It ends by payments import, invoices fail or invoices refund.':
    'payments: Geld für {} ist bei der Bank, kann zurückkommen oder ist zum Teil ausgezahlt. Das endet mit payments import, invoices fail oder invoices refund.',
  'payments: the debit of {} is under way. It ends by payments import or invoices fail.':
    'payments: Die Lastschrift zu {} ist unterwegs. Das endet mit payments import oder invoices fail.',
  'The bill from {} to {} comes first, and it is missing.':
    'Erst kommt die Rechnung vom {} bis zum {}, und sie fehlt.',
  'The bill from {} to {} comes first, and it is refused: {}.':
    'Erst kommt die Rechnung vom {} bis zum {}, und sie ist abgelehnt: {}.',
  'The calculation failed; the log of the worker or the answer of the command says where.':
    'Die Berechnung ist fehlgeschlagen; das Log des Workers oder die Antwort des Befehls sagt, wo.',
  'subscriptions plant_commissioned_on, plant_size_kw: {} is paid by them. They are entered with "subscriptions set-plant".':
    'subscriptions plant_commissioned_on, plant_size_kw: Danach wird {} bezahlt. Eingetragen werden sie mit "subscriptions set-plant".',
  'plan_terms: the plan of {} does not say what feed-in is paid.':
    'plan_terms: Der Tarif von {} sagt nicht, was für die Einspeisung bezahlt wird.',
  'plan_terms: the plan of {} has no terms.': 'plan_terms: Der Tarif von {} hat keine Bedingungen.',
  'addresses: {} has no place of supply with a ZIP code.':
    'addresses: {} hat keine Lieferadresse mit einer Postleitzahl.',
  'subscriptions.number of {} is empty': 'subscriptions.number von {} ist leer',
  'invoices has an exit summary of {}': 'In invoices steht die Abrechnung nach dem Ende von {}',
  'subscriptions: days of supply or mode of {} changed while the run went on; the next run counts anew.':
    'subscriptions: Tage der Belieferung oder Zahlweise von {} haben sich während des Laufs geändert; der nächste zählt neu.',
  'subscriptions: {} has no number; a contract that was imported gets one by hand.':
    'subscriptions: {} hat keine Nummer; ein übernommener Vertrag bekommt sie von Hand.',
  'usage_quarter_hours: values of {} and later may still change':
    'usage_quarter_hours: Werte von {} an können sich noch ändern',
  'usage_quarter_hours: {} of {} quarter hours of {} are missing, the first {}; cli usage import takes them in':
    'usage_quarter_hours: {} von {} Viertelstunden von {} fehlen, die erste {}; cli usage import liest sie ein',
  'settled_usage_months: the month of {} is not frozen for {} yet; the job settle-usage does it':
    'settled_usage_months: Der Monat des {} steht für {} noch nicht fest; das macht der Job settle-usage',
  'spot_prices: {} of {} quarter hours have no realized price, the first {}; cli prices backfill asks for them, cli prices release serves what is held back':
    'spot_prices: {} von {} Viertelstunden haben keinen Börsenpreis, die erste {}; cli prices backfill holt sie, cli prices release gibt Zurückgehaltene frei',
  'meters: what {} feeds in from {} on is not measured; it needs a smart meter':
    'meters: Was {} vom {} an einspeist, wird nicht gemessen; dazu gehört ein intelligenter Zähler',
  'meter_readings: the month of {} is not over, and nothing was read behind it':
    'meter_readings: Der Monat des {} ist nicht vorbei, und danach wurde nichts abgelesen',
  'meter_readings: register {} of {} ran backwards, so that its use from {} on is not known':
    'meter_readings: Das Zählwerk {} von {} lief rückwärts; was es vom {} an maß, ist nicht bekannt',
  'issuers: nobody bills for {}; it is entered with "issuers set".':
    'issuers: Für {} stellt niemand Rechnungen; eingetragen wird das mit "issuers set".',
  'issuers: bills_from became {} while the run went on; the next run goes by it.':
    'issuers: bills_from wurde während des Laufs {}; danach geht der nächste Lauf.',
  /* Why the service is not ready. */
  'The process is closing': 'Der Prozess wird beendet',
  '{}: no answer within {} s': '{}: keine Antwort in {} s',
  '{}: not reachable ({})': '{}: nicht erreichbar ({})',
  '{}: refuses the sign-in ({})': '{}: nimmt die Anmeldung nicht an ({})',
  'Clock: this machine and the database differ by {} s, at most 2 s are allowed':
    'Uhr: Dieser Rechner und die Datenbank gehen um {} s auseinander, erlaubt sind höchstens 2 s',
  'The schema is older than this version ({}): run npm run db -- migrate':
    'Das Schema ist älter als diese Version ({}): Zu starten ist npm run db -- migrate',
  'Migrations were changed after they ran: {}': 'Migrationen wurden nach ihrem Lauf geändert: {}',
};

const patterns = Object.entries(GERMAN_SENTENCES).map(([english, german]) => {
  const fixed = english.split('{}').map((part) => RegExp.escape(part));
  return { pattern: new RegExp(`^${fixed.join('(.+?)')}$`), german };
});

/** A sentence in the language of the page; `lang` where it is said in another one. */
export interface Sentence {
  readonly words: string;
  readonly lang: 'en' | null;
}

export function toldSentence(message: string, t: Texts): Sentence {
  if (t.lang === 'en') return { words: message, lang: null };
  for (const { pattern, german } of patterns) {
    const found = pattern.exec(message);
    if (found === null) continue;
    const values = found.slice(1);
    return { words: german.replaceAll('{}', () => valueText(values.shift() ?? '', t)), lang: null };
  }
  return { words: message, lang: 'en' };
}

/** What a service refused, for who sent the form. */
export function toldProblem(entry: Entry, t: Texts): Problem {
  /* The `reason` of a form is why somebody acts; the one that this rule speaks of has another name there. */
  const isOfTermination = entry.code === WITHDRAWAL_NOT_ALLOWED;
  const field = isOfTermination ? 'why' : (FIELDS_OF_FORMS[entry.field] ?? entry.field);
  const name = t.lang === 'en' ? field : (FIELDS[field] ?? field);
  return { field, name, ...toldSentence(entry.message, t) };
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Days, instants and states as the pages write them. */
function valueText(value: string, t: Texts): string {
  if (DAY.test(value)) return dayText(value, t.lang);
  if (isInstant(value)) {
    const isDay = isBerlinMidnight(value);
    return isDay ? dayText(berlinDayOf(value), t.lang) : (momentText(value, t.lang) ?? value);
  }
  const states: Readonly<Record<string, string>> = {
    ...t.work.refusals,
    ...{ ...t.work.stages, ...t.work.reductionStates, ...t.work.states },
    ...{ ...t.contract.invoiceTypes, ...t.contract.invoiceStatuses, ...t.contract.statuses },
    ...t.contract.holdCauses,
  };
  return states[value] ?? value;
}
