import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findOrganization, STANDINGS_AT_WORK } from '../../../identity/organizations/queries.ts';
import { audit, shortAddress } from '../../../platform/audit.ts';
import type { Deps } from '../../../platform/deps.ts';
import { notFound } from '../../../platform/errors.ts';
import { tooManyRequests } from '../../../platform/rate-limit/rate-limit.ts';
import { FILES_PATH, type SignedFile, signedFileOf } from './link.ts';
import { findDocument } from './queries.ts';

const PATH = `${FILES_PATH}/:name`;

/** A link is handed on and shown by many programs; one that is asked for without end must not keep the database busy. */
const PER_DOCUMENT = { perSecond: 2, burst: 30 };

type FileDeps = Pick<Deps, 'database' | 'clock' | 'config' | 'limiter'>;

/** Documents of invoices, for whoever has a link that is not over, as long as the organization is not switched off. */
export async function invoiceFileRoutes(app: FastifyInstance, { deps }: { deps: FileDeps }): Promise<void> {
  /* A document is compressed inside already. */
  app.get<{ Params: { name: string } }>(PATH, { compress: false }, async (request, reply) => {
    const { config, clock, limiter } = deps;
    const file = signedFileOf(config.SECRET_PEPPER, request.params.name, clock.nowMilliseconds());
    if (file === undefined) throw notFound();
    const taken = await limiter.take(`invoice-file:${file.invoice}`, PER_DOCUMENT);
    if (!taken.allowed) throw tooManyRequests(taken);
    const { content, invoice_number } = await readDocument(deps, file, request);
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', `inline; filename="${invoice_number}.pdf"`)
      .type('application/pdf')
      .send(content);
  });
}

/** Reads a document, and notes in the audit log who read personal data: of the bearer of a link only the network is known. */
async function readDocument(
  { database }: FileDeps,
  { organization, invoice }: SignedFile,
  request: FastifyRequest,
): Promise<{ content: Buffer; invoice_number: string }> {
  return await database.inOrganization({ organization }, async (connection) => {
    const owner = await findOrganization(connection, organization);
    const isClosed = owner === undefined || !STANDINGS_AT_WORK.includes(owner.standing);
    const document = isClosed ? undefined : await findDocument(connection, organization, invoice);
    if (document === undefined) throw notFound();
    await audit(connection, {
      organization_id: organization,
      act: 'personal_data.read',
      object_id: invoice,
      route: `GET ${FILES_PATH}/{name}`,
      request_id: request.id,
      address: shortAddress(request.remoteAddress) || null,
      result: 'done',
    });
    return document;
  });
}
