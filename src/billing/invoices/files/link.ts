import type { Deps } from '../../../platform/deps.ts';
import { notFound } from '../../../platform/errors.ts';
import type { ApiRequest, Redirect } from '../../../platform/interface/route.ts';
import type { Tenant } from '../../../platform/principal.ts';
import { findInvoice } from '../queries.ts';
import { invoiceShownTo } from '../read.ts';
import { hasDocument } from './queries.ts';
import { signedName } from './signed-name.ts';

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
