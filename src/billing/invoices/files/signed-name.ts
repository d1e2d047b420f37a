import { timingSafeEqual } from 'node:crypto';
import { keyedHash } from '../../../platform/keyed-hash.ts';

/** The document that a link opens, and until when. */
export interface SignedFile {
  organization: string;
  invoice: string;
  expiresMilliseconds: number;
}

/*
 * Everything that opens the document stands in the name, and a signature of it: whichever process is asked needs no table
 * of links, and looks at the database only for names that this service has made.
 */
const NAME = /^(org_[0-9a-z]{24})\.(inv_[0-9a-z]{24})\.([0-9]{13})\.([A-Za-z0-9_-]{43})$/;

export function signedName(pepper: string, file: SignedFile): string {
  const content = `${file.organization}.${file.invoice}.${file.expiresMilliseconds}`;
  return `${content}.${signatureOf(pepper, content)}`;
}

/** Undefined where the name was made by somebody else, was altered, or is over. */
export function signedFileOf(pepper: string, name: string, nowMilliseconds: number): SignedFile | undefined {
  const [, organization = '', invoice = '', expires = '', signature = ''] = NAME.exec(name) ?? [];
  if (signature === '') return undefined;
  const expected = signatureOf(pepper, `${organization}.${invoice}.${expires}`);
  /* Compared as text: the last letter holds two bits too many, so that four texts stand for the same bytes. */
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return undefined;
  const expiresMilliseconds = Number(expires);
  return nowMilliseconds < expiresMilliseconds ? { organization, invoice, expiresMilliseconds } : undefined;
}

function signatureOf(pepper: string, content: string): string {
  return keyedHash(pepper, 'invoice-file', content).toString('base64url');
}
