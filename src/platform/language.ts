export type Language = 'de' | 'en';

/** German, unless the browser would rather have English. Of two that are equally welcome, the one named first. */
export function languageOf(acceptLanguage: string | undefined): Language {
  let best: Language = 'de';
  let bestWeight = 0;
  for (const part of (acceptLanguage ?? '').toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.trim().split(/\s*;\s*/);
    const name = range.split('-')[0];
    if (name !== 'de' && name !== 'en') continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    const weight = Number.parseFloat(quality);
    if (weight > bestWeight) [best, bestWeight] = [name, weight];
  }
  return best;
}
