import type { Connection } from '../../../platform/database/db.ts';
import type { FileKind } from '../documents/queries.ts';

/** A file of a document; undefined once the person was erased. */
export function findFile(
  connection: Connection,
  organization: string,
  invoice: string,
  kind: FileKind,
): Promise<{ content: Buffer; made_at: string } | undefined> {
  return connection
    .selectFrom('invoice_files')
    .select(['content', 'made_at'])
    .where('organization_id', '=', organization)
    .where('invoice_id', '=', invoice)
    .where('kind', '=', kind)
    .where('restricted_at', 'is', null)
    .executeTakeFirst();
}
