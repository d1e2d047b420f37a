import type { FastifyRequest } from 'fastify';
import { type Language, languageFor, languageLink, OTHER_LANGUAGE } from './language.ts';

/** What every hosted page can have to say, whatever it is about. */
const de = {
  lang: 'de' as Language,
  problem: (id: string) => `Kennung für Rückfragen: ${id}`,
  errorTitles: {
    forgery: 'Dieses Formular wurde nicht angenommen',
    not_found: 'Diese Seite gibt es nicht',
    bad_call: 'Diese Anfrage ist nicht gültig',
    busy: 'Gerade geht es nicht',
    unknown: 'Ob es gelungen ist, ist nicht bekannt',
    failed: 'Da ist etwas schiefgegangen',
    no_mail: 'Anmelden geht zurzeit nicht',
    closed: 'Diese Seiten sind zurzeit geschlossen',
    signed_in: 'In diesem Browser ist schon jemand angemeldet',
  },
  errorHints: {
    forgery: 'Cookies müssen erlaubt sein, und die Seite darf nicht zu lange offen gewesen sein.',
    not_found: '',
    bad_call: '',
    busy: 'Bitte versuchen Sie es in einer Minute noch einmal.',
    unknown: 'Bitte sehen Sie erst nach, was gespeichert ist, bevor Sie das Formular noch einmal ausfüllen.',
    failed: 'Wir sehen nach, woran es lag.',
    no_mail: 'Der Code käme per E-Mail, und von hier werden zurzeit keine E-Mails verschickt.',
    closed: '',
    signed_in:
      'Darum wurde dieses Formular nicht angenommen. Die nächste Seite zeigt, wer es ist. Dort kann man sich abmelden und danach neu anmelden.',
  },
};

export type CommonTexts = typeof de;
export type CommonErrorKind = keyof CommonTexts['errorTitles'];

const en: CommonTexts = {
  lang: 'en',
  problem: (id) => `Reference for questions: ${id}`,
  errorTitles: {
    forgery: 'This form was not accepted',
    not_found: 'There is no such page',
    bad_call: 'This request is not valid',
    busy: 'It does not work just now',
    unknown: 'Whether it was done is not known',
    failed: 'Something went wrong',
    no_mail: 'Signing in is not possible at the moment',
    closed: 'These pages are closed at the moment',
    signed_in: 'Somebody is signed in with this browser already',
  },
  errorHints: {
    forgery: 'Cookies must be allowed, and the page must not have been open for too long.',
    not_found: '',
    bad_call: '',
    busy: 'Please try again in a minute.',
    unknown: 'Please look first what is stored, before you fill in the form once more.',
    failed: 'We are looking into it.',
    no_mail: 'The code would come by e-mail, and no e-mail is sent from here at the moment.',
    closed: '',
    signed_in:
      'So this form was not accepted. The next page shows who it is. Sign out there before you sign in again.',
  },
};

export function errorKindOf(status: number): CommonErrorKind {
  if (status === 404) return 'not_found';
  if (status === 503 || status === 429) return 'busy';
  return status >= 500 ? 'failed' : 'bad_call';
}

/** To be spread into the texts of a site, which adds its own. */
export const commonTexts: Readonly<Record<Language, CommonTexts>> = { de, en };

/** The texts in the reader's language, with the way to the page in the other one. */
export function textsFor<Texts extends object>(
  request: FastifyRequest,
  textsIn: Readonly<Record<Language, Texts>>,
): Texts & { otherLanguage: ReturnType<typeof languageLink> } {
  const lang = languageFor(request);
  return { ...textsIn[lang], otherLanguage: languageLink(request, lang) };
}

/**
 * On a page that everybody may open, and that is made once for many: who says nothing gets English, as on the other open
 * pages.
 */
export function openTextsFor<Texts>(
  request: FastifyRequest,
  textsIn: Readonly<Record<Language, Texts>>,
): Texts {
  return textsIn[languageFor(request, 'en')];
}

/** What the frame of the pages that are open to everybody says. */
export const FRAME_WORDS = {
  en: {
    otherLanguage: OTHER_LANGUAGE.en,
    skip: 'To the content',
    pages: 'Main',
    prices: 'Prices',
    guide: 'Guide',
    reference: 'API reference',
    errors: 'Error codes',
  },
  de: {
    otherLanguage: OTHER_LANGUAGE.de,
    skip: 'Zum Inhalt',
    pages: 'Seiten',
    prices: 'Preise',
    guide: 'Anleitung',
    reference: 'Referenz',
    errors: 'Fehlercodes',
  },
};
