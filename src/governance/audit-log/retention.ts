import type { RowRemoval } from '../../platform/retention.ts';
import { deleteAuditRows } from './queries.ts';

export const auditRowsKept: RowRemoval = {
  name: 'audit_rows',
  keptFor: () => ({ months: 24 }),
  portion: 5_000,
  remove: deleteAuditRows,
};
