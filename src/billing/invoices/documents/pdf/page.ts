import type { InvoiceDocument } from '../document.ts';
import type { Format } from '../format.ts';
import type { Texts } from '../texts/texts.ts';
import type { Sheet } from './sheet.ts';

/** What every part of a document is drawn with. */
export interface Page {
  readonly sheet: Sheet;
  readonly document: InvoiceDocument;
  readonly texts: Texts;
  readonly format: Format;
  readonly isFeedIn: boolean;
  /** Of whoever bills; null: none. */
  readonly logo: PageLogo | null;
}

/** A PNG. */
export interface PageLogo {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

export const SPACE = { section: 16, paragraph: 6 } as const;
