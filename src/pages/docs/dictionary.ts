import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What analysts find in the database; written from its comments by scripts/write-dictionary.ts. */
export interface DictionaryView {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    /** Empty where it has none. */
    readonly unit: string;
    readonly comment: string;
  }[];
}

export function readDictionary(): DictionaryView[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'dictionary.json'), 'utf8')) as DictionaryView[];
}
