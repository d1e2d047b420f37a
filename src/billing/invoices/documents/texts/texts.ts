import type { Language } from '../fact-types.ts';
import { de, type Texts } from './de.ts';
import { en } from './en.ts';

export type { Texts } from './de.ts';

const TEXTS: Readonly<Record<Language, Texts>> = { de, en };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}

/** Puts what is known in the place of its `{name}`. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}
