import { textsIn as signInTexts } from '../../identity/oauth/screens/texts.ts';
import type { Language } from '../../platform/http/pages/language.ts';
import { commonTexts } from '../../platform/http/pages/texts.ts';
import { contractTexts } from './contract-texts.ts';

const de = {
  ...commonTexts.de,
  ...contractTexts.de,
  skip: 'Zum Inhalt',
  pages: 'Seiten des Portals',
  confirmTitle: 'Willkommen',
  confirmHint: 'Mit diesem Link kommen Sie zu Ihren Verträgen und Rechnungen. Er gilt einmal.',
  confirm: 'Zu meinen Verträgen',
  confirmStays: 'In diesem Browser bleiben Sie dann zwölf Stunden angemeldet.',
  overviewTitle: 'Ihre Verträge',
  signedInAs: (name: string) => `Angemeldet: ${name}`,
  number: 'Vertragsnummer',
  status: 'Stand',
  address: 'Lieferadresse',
  feedInAddress: 'Adresse der Anlage',
  firstDay: 'Beginn',
  lastDay: 'Letzter Tag',
  invoices: 'Rechnungen',
  noInvoices: 'Noch keine Rechnung.',
  olderInvoices: (count: number) => `Ältere anzeigen (${count})`,
  leftOut: 'Noch ältere schickt Ihnen Ihr Anbieter.',
  pdf: 'PDF',
  noPdfYet: 'Das PDF wird gerade erstellt.',
  credit: 'Gutschrift',
  invoiceTypes: {
    usage: 'Rechnung',
    prepayment: 'Abschlag',
    void: 'Stornorechnung',
    exit_summary: 'Schlussabrechnung',
  },
  invoiceStatuses: { open: 'offen', paid: 'bezahlt', uncollectible: 'uneinbringlich', voided: 'storniert' },
  reversalSettled: 'erledigt',
  takenOver: (number: string) => `in Rechnung ${number} enthalten`,
  dueOn: (day: string, amount: string) => `Fällig am ${day}, noch zu zahlen: ${amount}.`,
  debited: 'Wir buchen den Betrag von Ihrem Konto ab. Sie brauchen nichts zu tun.',
  received: 'Der Betrag ist eingegangen. Sie brauchen nichts zu tun.',
  held: 'Bis wir uns bei Ihnen melden, mahnen wir diese Rechnung nicht an und buchen nichts dafür ab.',
  transfer: (amount: string, holder: string, iban: string, number: string) =>
    `Bitte überweisen Sie ${amount} an ${holder}, IBAN ${iban}, Verwendungszweck ${number}. Abgebucht wird er nicht mehr.`,
  toPay: (number: string) =>
    `Bitte überweisen Sie den Betrag mit dem Verwendungszweck ${number} auf das Konto, das im PDF steht. Abgebucht wird er nicht mehr.`,
  creditStatuses: {
    open: 'wird ausgezahlt',
    paid: 'ausgezahlt',
    uncollectible: 'nicht ausgezahlt',
    voided: 'storniert',
  },
  open: 'steht noch nicht fest',
  unlimited: 'unbefristet',
  unknown: 'nicht bekannt',
  types: { consumption: 'Strombezug', feed_in: 'Einspeisung' },
  statuses: { pending: 'in Vorbereitung', active: 'aktiv', ended: 'beendet' },
  signIn: 'Mit einem Code anmelden',
  signOut: 'Abmelden',
  errorTitles: {
    ...commonTexts.de.errorTitles,
    spent: 'Dieser Link gilt nicht mehr',
    signed_out: 'Sie sind nicht angemeldet',
    no_supplier: 'Bei wem sind Sie Kunde?',
    slow_down: signInTexts.de.errorTitles.slow_down,
  },
  errorHints: {
    ...commonTexts.de.errorHints,
    spent: 'Ein Link gilt 15 Minuten und nur einmal. Sie können sich auch ohne ihn anmelden.',
    signed_out:
      'Melden Sie sich mit Ihrer E-Mail-Adresse an, oder öffnen Sie den Link, den Ihr Anbieter Ihnen geschickt hat.',
    no_supplier:
      'In diesem Browser war noch niemand angemeldet. Bitte öffnen Sie einmal den Link, den Ihr Anbieter Ihnen geschickt hat; danach können Sie sich hier mit einem Code anmelden.',
    slow_down: signInTexts.de.errorHints.slow_down,
    closed: 'Bitte wenden Sie sich an Ihren Anbieter.',
  },
};

export type Texts = typeof de;
export type ErrorKind = keyof Texts['errorTitles'];

const en: Texts = {
  ...commonTexts.en,
  ...contractTexts.en,
  skip: 'Skip to content',
  pages: 'Pages of the portal',
  confirmTitle: 'Welcome',
  confirmHint: 'This link takes you to your contracts and invoices. It works once.',
  confirm: 'Go to my contracts',
  confirmStays: 'You then stay signed in for twelve hours in this browser.',
  overviewTitle: 'Your contracts',
  signedInAs: (name) => `Signed in: ${name}`,
  number: 'Contract number',
  status: 'Status',
  address: 'Delivery address',
  feedInAddress: 'Address of the system',
  firstDay: 'Start',
  lastDay: 'Last day',
  invoices: 'Invoices',
  noInvoices: 'No invoice yet.',
  olderInvoices: (count) => `Show older ones (${count})`,
  leftOut: 'Your supplier sends you even older ones.',
  pdf: 'PDF',
  noPdfYet: 'The PDF is being made.',
  credit: 'Credit note',
  invoiceTypes: {
    usage: 'Invoice',
    prepayment: 'Prepayment',
    void: 'Cancellation',
    exit_summary: 'Final settlement',
  },
  invoiceStatuses: { open: 'open', paid: 'paid', uncollectible: 'given up', voided: 'cancelled' },
  reversalSettled: 'settled',
  takenOver: (number) => `included in invoice ${number}`,
  dueOn: (day, amount) => `Due on ${day}, still to be paid: ${amount}.`,
  debited: 'We collect the amount from your account. You need not do anything.',
  received: 'The amount has come in. There is nothing for you to do.',
  held: 'Until you hear from us we neither remind you of this invoice nor collect anything for it.',
  transfer: (amount, holder, iban, number) =>
    `Please transfer ${amount} to ${holder}, IBAN ${iban}, reference ${number}. It is no longer collected by direct debit.`,
  toPay: (number) =>
    `Please transfer the amount to the account named in the PDF and state ${number}. It is no longer collected by direct debit.`,
  creditStatuses: {
    open: 'to be paid out',
    paid: 'paid out',
    uncollectible: 'not paid out',
    voided: 'cancelled',
  },
  open: 'not fixed yet',
  unlimited: 'open-ended',
  unknown: 'not known',
  types: { consumption: 'Electricity supply', feed_in: 'Feed-in' },
  statuses: { pending: 'being prepared', active: 'active', ended: 'ended' },
  signIn: 'Sign in with a code',
  signOut: 'Sign out',
  errorTitles: {
    ...commonTexts.en.errorTitles,
    spent: 'This link no longer works',
    signed_out: 'You are not signed in',
    no_supplier: 'Whose customer are you?',
    slow_down: signInTexts.en.errorTitles.slow_down,
  },
  errorHints: {
    ...commonTexts.en.errorHints,
    spent: 'A link works for 15 minutes and only once. You can also sign in without it.',
    signed_out: 'Sign in with your e-mail address, or open the link that your supplier has sent you.',
    no_supplier:
      'Nobody has signed in with this browser yet. Please open the link that your supplier has sent you once; afterwards you can sign in here with a code.',
    slow_down: signInTexts.en.errorHints.slow_down,
    closed: 'Please ask your supplier.',
  },
};

export const textsIn: Readonly<Record<Language, Texts>> = { de, en };
