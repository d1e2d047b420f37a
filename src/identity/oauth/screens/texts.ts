import type { Language } from '../../../platform/http/pages/language.ts';
import { commonTexts } from '../../../platform/http/pages/texts.ts';

/** Everything that customers read, in the languages that they may prefer. */
const de = {
  ...commonTexts.de,
  continue: 'Weiter',
  forClient: (name: string) => `um fortzufahren mit ${name}`,
  email: 'E-Mail-Adresse',
  checkEmail: 'Bitte geben Sie eine vollständige E-Mail-Adresse ein, zum Beispiel name@example.org.',
  loginTitle: 'Anmelden',
  loginHint: 'Wir schicken Ihnen einen Code. Ein Passwort brauchen Sie nicht.',
  verifyTitle: 'Code eingeben',
  verifyHint: (email: string) =>
    `Wenn ${email} bei uns bekannt ist, haben wir einen Code dorthin geschickt. Er gilt 10 Minuten.`,
  othersVerifyHint: (email: string) =>
    `Für ${email} wurden gerade mehrere Codes angefordert. Wenn wir die Adresse kennen, gilt der neueste davon, 10 Minuten lang.`,
  signUpVerifyHint: (email: string) => `Wir haben einen Code an ${email} geschickt. Er gilt 10 Minuten.`,
  code: 'Sechsstelliger Code',
  codeShape: 'Bitte geben Sie die sechs Ziffern aus der E-Mail ein.',
  longCode: 'Code aus zehn Buchstaben und Ziffern',
  longCodeShape: 'Bitte geben Sie die zehn Buchstaben und Ziffern aus der E-Mail ein.',
  codeWrong: 'Dieser Code stimmt nicht. Bitte prüfen Sie die E-Mail und versuchen Sie es noch einmal.',
  codeSpent: 'Dieser Code gilt nicht mehr. Bitte fordern Sie einen neuen an.',
  newCode: 'Neuen Code schicken',
  newCodeSent: 'Ein neuer Code ist unterwegs. Der vorherige gilt nicht mehr.',
  otherAddress: 'Andere E-Mail-Adresse verwenden',
  wait: (seconds: number) =>
    `Bitte warten Sie noch ${seconds} Sekunden, bevor Sie einen neuen Code anfordern.`,
  tooMany: (minutes: number) =>
    `An diese Adresse gingen zu viele Codes. Bitte versuchen Sie es in ${minutes} Minuten wieder.`,
  tooManySignUps: (minutes: number) =>
    `Gerade wollten sich zu viele anmelden. Bitte versuchen Sie es in ${minutes} Minuten wieder.`,
  signUpTitle: 'Konto anlegen',
  signUpHint: 'Wir schicken Ihnen einen Code, um die Adresse zu bestätigen.',
  kind: 'Ich melde mich an als',
  person: 'Privatperson',
  company: 'Unternehmen',
  firstName: 'Vorname',
  lastName: 'Nachname',
  companyName: 'Name des Unternehmens (nur bei Unternehmen)',
  checkName: 'Bitte füllen Sie dieses Feld aus, mit höchstens 100 Zeichen.',
  checkFields: 'Bitte sehen Sie sich die markierten Felder noch einmal an.',
  haveAccount: 'Ich habe schon ein Konto',
  consentTitle: (name: string) => `${name} Zugriff erlauben?`,
  consentHint: (email: string) => `Sie sind angemeldet als ${email}.`,
  consentMay: (name: string) => `${name} darf dann für Sie`,
  mayRead: 'Ihre Haushalte und Geräte mit Messwerten, Ihre Verträge, Verbräuche und Rechnungen sehen',
  mayWrite: 'Zählerstände für Sie melden',
  consentNot: 'Verträge abschließen, ändern oder kündigen darf diese Anwendung nicht.',
  consentWhere: (host: string) => `Danach geht es zurück zu ${host}.`,
  allow: 'Erlauben',
  deny: 'Ablehnen',
  startAgain: 'Bitte kehren Sie zu der Anwendung zurück, von der Sie kommen, und beginnen Sie dort neu.',
  errorTitles: {
    ...commonTexts.de.errorTitles,
    unknown: 'Diese Anmeldung gibt es nicht',
    expired: 'Diese Anmeldung ist abgelaufen',
    over: 'Diese Anmeldung ist beendet',
    other_browser: 'Diese Anmeldung gehört zu einem anderen Browser',
    client: 'Diese Anwendung ist abgeschaltet',
    foreign_form: 'Dieses Formular wurde nicht angenommen',
    slow_down: 'Zu viele Versuche',
  },
  errorHints: {
    ...commonTexts.de.errorHints,
    unknown: '',
    expired: 'Für eine Anmeldung sind 15 Minuten Zeit.',
    over: 'Eine Antwort wurde schon gegeben.',
    other_browser:
      'Sie muss in dem Browser zu Ende geführt werden, in dem sie begonnen hat. Cookies müssen erlaubt sein.',
    client: 'Ihr Anbieter lässt sie nicht mehr zu.',
    bad_call: 'Die Anwendung, von der Sie kommen, hat sie falsch gestellt.',
    foreign_form: 'Es enthielt etwas, das nicht dazugehört.',
    slow_down: 'Von Ihrem Anschluss kamen sehr viele Versuche. Bitte warten Sie ein paar Minuten.',
  },
  mailSubject: 'Ihr Code für die Anmeldung',
  mailText: (code: string, client: string, minutes: number) =>
    `Guten Tag,\n\nIhr Code lautet:\n\n    ${code}\n\nEr gilt ${minutes} Minuten und meldet Sie bei ${client} an.\n` +
    'Geben Sie ihn nur auf der Seite ein, auf der Sie ihn angefordert haben, und sagen Sie ihn niemandem.\n' +
    'Wenn Sie keinen Code angefordert haben, brauchen Sie nichts zu tun.\n',
};

export type Texts = typeof de;
export type ErrorKind = keyof Texts['errorTitles'];

const en: Texts = {
  ...commonTexts.en,
  continue: 'Continue',
  forClient: (name) => `to continue with ${name}`,
  email: 'E-mail address',
  checkEmail: 'Please enter a complete e-mail address, such as name@example.org.',
  loginTitle: 'Sign in',
  loginHint: 'We send you a code. You need no password.',
  verifyTitle: 'Enter the code',
  verifyHint: (email) => `If we know ${email}, we have sent a code there. It is good for 10 minutes.`,
  othersVerifyHint: (email) =>
    `Several codes were just asked for ${email}. If we know the address, the newest of them is good, for 10 minutes.`,
  signUpVerifyHint: (email) => `We have sent a code to ${email}. It is good for 10 minutes.`,
  code: 'Six-digit code',
  codeShape: 'Please enter the six digits from the e-mail.',
  longCode: 'Code of ten letters and digits',
  longCodeShape: 'Please enter the ten letters and digits from the e-mail.',
  codeWrong: 'This code is not right. Please look at the e-mail and try again.',
  codeSpent: 'This code is no longer good. Please ask for a new one.',
  newCode: 'Send a new code',
  newCodeSent: 'A new code is on its way. The one before is no longer good.',
  otherAddress: 'Use another e-mail address',
  wait: (seconds) => `Please wait another ${seconds} seconds before you ask for a new code.`,
  tooMany: (minutes) => `Too many codes were sent to this address. Please try again in ${minutes} minutes.`,
  tooManySignUps: (minutes) =>
    `Too many people are signing up just now. Please try again in ${minutes} minutes.`,
  signUpTitle: 'Create an account',
  signUpHint: 'We send you a code to confirm the address.',
  kind: 'I sign up as',
  person: 'a person',
  company: 'a company',
  firstName: 'First name',
  lastName: 'Last name',
  companyName: 'Name of the company (companies only)',
  checkName: 'Please fill in this field, with at most 100 characters.',
  checkFields: 'Please look at the marked fields again.',
  haveAccount: 'I have an account already',
  consentTitle: (name) => `Let ${name} in?`,
  consentHint: (email) => `You are signed in as ${email}.`,
  consentMay: (name) => `${name} may then, for you,`,
  mayRead: 'see your households and devices with their readings, your contracts, usage and invoices',
  mayWrite: 'report meter readings',
  consentNot: 'It may not conclude, change or end contracts.',
  consentWhere: (host) => `Afterwards you go back to ${host}.`,
  allow: 'Allow',
  deny: 'Deny',
  startAgain: 'Please go back to the application that you came from and start again there.',
  errorTitles: {
    ...commonTexts.en.errorTitles,
    unknown: 'There is no such sign-in',
    expired: 'This sign-in has expired',
    over: 'This sign-in is over',
    other_browser: 'This sign-in belongs to another browser',
    client: 'This application is switched off',
    foreign_form: 'This form was not accepted',
    slow_down: 'Too many attempts',
  },
  errorHints: {
    ...commonTexts.en.errorHints,
    unknown: '',
    expired: 'There are 15 minutes for a sign-in.',
    over: 'It has been answered already.',
    other_browser: 'It has to be finished in the browser in which it began. Cookies must be allowed.',
    client: 'Your supplier no longer lets it in.',
    bad_call: 'The application that you came from asked in a wrong way.',
    foreign_form: 'It contained something that does not belong there.',
    slow_down: 'Very many attempts came from your connection. Please wait a few minutes.',
  },
  mailSubject: 'Your sign-in code',
  mailText: (code, client, minutes) =>
    `Hello,\n\nyour code is:\n\n    ${code}\n\nIt is good for ${minutes} minutes and signs you in to ${client}.\n` +
    'Enter it only on the page where you asked for it, and tell it to nobody.\n' +
    'If you did not ask for a code, there is nothing for you to do.\n',
};

export const textsIn: Readonly<Record<Language, Texts>> = { de, en };
