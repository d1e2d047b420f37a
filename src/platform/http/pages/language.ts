import type { FastifyReply, FastifyRequest } from 'fastify';
import { weightedNames } from '../accept.ts';
import { isRead } from '../prepare-reply.ts';

export type Language = 'de' | 'en';

interface OtherLanguage {
  readonly lang: Language;
  /** Its name, as those say it who want it. */
  readonly words: string;
}

export const OTHER_LANGUAGE: Readonly<Record<Language, OtherLanguage>> = {
  de: { lang: 'en', words: 'English' },
  en: { lang: 'de', words: 'Deutsch' },
};

const COOKIE = 'voltstream-language';
const COOKIE_PATTERN = new RegExp(`(?:^|; *)${COOKIE}=(de|en)(?=;|$)`);

/** As long as browsers keep a cookie (RFC 6265bis: 400 days). */
export const COOKIE_SECONDS_MAX = 400 * 86_400;

const isLanguage = (value: unknown): value is Language => value === 'de' || value === 'en';

function linkedLanguage({ query }: FastifyRequest): Language | undefined {
  const { lang } = (query ?? {}) as { lang?: unknown };
  return isLanguage(lang) ? lang : undefined;
}

/** The language that the reader chose, by a link to this page or earlier; else the one that the browser would rather have. */
export function languageFor(request: FastifyRequest, usual?: Language): Language {
  const { cookie, 'accept-language': accepted } = request.headers;
  const chosen = linkedLanguage(request) ?? COOKIE_PATTERN.exec(cookie ?? '')?.[1];
  return isLanguage(chosen) ? chosen : languageOf(accepted, usual);
}

/** Remembers what a link to this page chose; whether it chose. */
export function keepLanguage(reply: FastifyReply): boolean {
  const { request } = reply;
  const lang = linkedLanguage(request);
  if (lang === undefined) return false;
  const isSecure = request.protocol === 'https';
  reply.header(
    'set-cookie',
    `${COOKIE}=${lang}; Max-Age=${COOKIE_SECONDS_MAX}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  );
  return true;
}

/**
 * Leads to this page in the other language: with its own query, and no host or path that somebody could have put there. What a form
 * answers stands at no address.
 */
export function languageLink(
  request: FastifyRequest,
  lang: Language,
): (OtherLanguage & { address: string }) | null {
  if (!isRead(request)) return null;
  const other = OTHER_LANGUAGE[lang];
  const query = new URLSearchParams(request.url.replace(/^[^?]*/, ''));
  query.set('lang', other.lang);
  return { ...other, address: `?${query}` };
}

/** Which of the two the browser would rather have; `usual` where it names none. Of two that are equally welcome, the one named first. */
function languageOf(acceptLanguage: string | undefined, usual: Language = 'de'): Language {
  let best = usual;
  let bestWeight = 0;
  for (const { name: range, weight } of weightedNames(acceptLanguage ?? '')) {
    const name = range.split('-', 1)[0];
    if (!isLanguage(name)) continue;
    if (weight > bestWeight) [best, bestWeight] = [name, weight];
  }
  return best;
}
