import { administrator } from './administrator.ts';
import type { TestApi } from './api.ts';

export interface AuditRow {
  organization_id: string | null;
  client_id: string | null;
  grant_id: string | null;
  staff: string | null;
  act: string;
  object_id: string | null;
  route: string | null;
  reason: string | null;
  result: string;
  request_id: string | null;
  address: string | null;
}

/** What the database holds, seen by the superuser: row-level security hides nothing from it. */
export async function storedRows<Row>(
  api: Pick<TestApi, 'database'>,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const { rows } = await administrator(api.database.adminUrl).query(text, values);
  return rows as Row[];
}

/** Lines of an organization's audit log whose act begins so, oldest first. */
export async function auditRows(
  api: Pick<TestApi, 'database'>,
  organization: string,
  act: string,
): Promise<AuditRow[]> {
  const columns =
    'organization_id, client_id, grant_id, staff, act, object_id, route, reason, result, request_id, address';
  return await storedRows<AuditRow>(
    api,
    `SELECT ${columns} FROM audit_log WHERE organization_id = $1 AND starts_with(act, $2) ORDER BY id`,
    [organization, act],
  );
}
