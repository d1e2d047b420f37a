import { weightedNames } from '../accept.ts';

export type Language = 'de' | 'en';

/** Which of the two the browser would rather have; `usual` where it names none. Of two that are equally welcome, the one named first. */
export function languageOf(acceptLanguage: string | undefined, usual: Language = 'de'): Language {
  let best = usual;
  let bestWeight = 0;
  for (const { name: range, weight } of weightedNames(acceptLanguage ?? '')) {
    const name = range.split('-', 1)[0];
    if (name !== 'de' && name !== 'en') continue;
    if (weight > bestWeight) [best, bestWeight] = [name, weight];
  }
  return best;
}
