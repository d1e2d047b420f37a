import { textsIn as signInTexts } from '../../identity/oauth/screens/texts.ts';
import type { Language } from '../../platform/http/pages/language.ts';
import { commonTexts } from '../../platform/http/pages/texts.ts';

const de = {
  ...commonTexts.de,
  console: 'Voltstream-Konsole',
  skip: 'Zum Inhalt',
  pages: 'Seiten der Konsole',
  names: { home: 'Übersicht' },
  signedInAs: (email: string) => `Angemeldet: ${email}`,
  signOut: 'Abmelden',
  toHome: 'Zur Übersicht',
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
  console: 'Voltstream console',
  skip: 'Skip to content',
  pages: 'Pages of the console',
  names: { home: 'Overview' },
  signedInAs: (email) => `Signed in: ${email}`,
  signOut: 'Sign out',
  toHome: 'To the overview',
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
