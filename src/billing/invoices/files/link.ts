import { timingSafeEqual } from 'node:crypto';
import type { Deps } from '../../../platform/deps.ts';
import { notFound } from '../../../platform/errors.ts';
import type { ApiRequest, Redirect } from '../../../platform/interface/route.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import type { Tenant } from '../../../platform/principal.ts';
import { findInvoice } from '../queries.ts';
import { invoiceShownTo } from '../read.ts';
import { hasDocument } from './queries.ts';

const LINK_MILLISECONDS = 3_600_000;

type LinkDeps = Pick<Deps, 'database' | 'clock' | 'config'>;

/** Below it are the documents that a signed name opens without a token. */
export const FILES_PATH = '/files';

/** A link that opens the document of an invoice for an hour, to whoever has it. */
export function linkToFile(
  { clock, config }: Omit<LinkDeps, 'database'>,
  organization: string,
  invoice: string,
): string {
  const expiresMilliseconds = clock.nowMilliseconds() + LINK_MILLISECONDS;
  const name = signedName(config.SECRET_PEPPER, { organization, invoice, expiresMilliseconds });
  return `${config.BASE_URL}${FILES_PATH}/${name}`;
}

export async function getInvoiceFile(deps: LinkDeps, request: ApiRequest): Promise<Redirect> {
  const { organization } = request.principal;
  const id = await deps.database.inOrganization(request.principal, async (connection) => {
    const row = await invoiceShownTo(connection, request);
    if (!(await hasDocument(connection, organization, row.id))) throw notFound();
    return row.id;
  });
  return { location: linkToFile(deps, organization, id) };
}

/** For a customer, or a user of the console, who is signed in; undefined where there is no such document. */
export async function linkForTenant(
  deps: LinkDeps,
  { organization, customer }: Tenant,
  invoice: string,
): Promise<string | undefined> {
  const tenant = { organization, ...(customer !== undefined && { customer }) };
  const isThere = await deps.database.inOrganization(tenant, async (connection) => {
    const row = await findInvoice(connection, organization, customer, invoice);
    return row !== undefined && (await hasDocument(connection, organization, row.id));
  });
  return isThere ? linkToFile(deps, organization, invoice) : undefined;
}

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

function signedName(pepper: string, file: SignedFile): string {
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
