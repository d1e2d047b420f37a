import { isIP } from 'node:net';
import type { Logger } from 'pino';
import type { Connection, Database } from './database/db.ts';
import type { Metrics } from './metrics.ts';
import type { Principal } from './principal.ts';

/**
 * One line of the audit log: who did what to which object, by which route or command, and how it ended. Ids only:
 * no name, no address of a person, no value of a payload may enter it, because a line outlives the erasure of the
 * person. `before` and `after` are for security settings (scopes, standing, redirect addresses) and nothing else.
 */
export interface AuditEntry {
  /** Null where nobody knows whose it is: a token request with an unknown client id. */
  organization_id: string | null;
  client_id?: string | null;
  grant_id?: string | null;
  /** Name of the person at the command line. */
  staff?: string | null;
  /** Noun and verb: `asset.create`. */
  act: string;
  /** Of a page of a list that was read: whose its items are, with blanks between the ids. */
  object_id?: string | null;
  /** `POST /assets`, or the command as it is typed without its values. */
  route?: string | null;
  /** Why a member of staff did it. */
  reason?: string | null;
  /** `done`, `unchanged`, or the reason of a refusal. */
  result: string;
  request_id?: string | null;
  /** Shortened by `shortAddress`. */
  address?: string | null;
  before?: unknown;
  after?: unknown;
  /** Told the result; not stored. */
  heard?: ((result: string) => void) | undefined;
}

/** Belongs into the transaction of the write: a rollback leaves no line, a commit exactly one. */
export async function audit(connection: Connection, entry: AuditEntry): Promise<void> {
  await auditEach(connection, [entry]);
}

/** One line for each of many objects that one statement changed. */
export async function auditEach(connection: Connection, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  for (const { heard, result } of entries) heard?.(result);
  await connection
    .insertInto('audit_log')
    .values(
      entries.map(({ before, after, heard: _, ...columns }) => ({
        ...columns,
        before: jsonOrNull(before),
        after: jsonOrNull(after),
      })),
    )
    .execute();
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

type Actor = Required<
  Pick<AuditEntry, 'organization_id' | 'client_id' | 'grant_id' | 'request_id' | 'address' | 'route'>
>;

/** Who acts through the interface, and by which route. */
export function actorOf(request: {
  principal: Principal;
  id: string;
  address: string;
  route: string;
}): Actor {
  const { principal } = request;
  return {
    organization_id: principal.organization,
    client_id: principal.client,
    grant_id: principal.grant ?? null,
    request_id: request.id,
    address: request.address === '' ? null : request.address,
    route: request.route,
  };
}

interface ReadRequest {
  id: string;
  remoteAddress: string;
  params: unknown;
}

/**
 * Keeps who read personal data, and of a list whose: the ids of `owners`. The answer is on its way already and is not held up
 * for it, so a line can be lost when the database goes away at that moment: losses are counted. Never throws.
 */
export function createReadAudit(deps: { database: Database; log: Logger; metrics: Metrics }) {
  const losses = deps.metrics.counter(
    'audit_losses_total',
    'Reads of personal data that the audit log missed',
  );
  return (
    principal: Principal,
    request: ReadRequest,
    route: { method: string; path: string },
    owners: readonly string[],
  ): void => {
    const keep = async () => {
      const { id } = request.params as { id?: string };
      const actor = { principal, id: request.id, address: shortAddress(request.remoteAddress) };
      const entry: AuditEntry = {
        ...actorOf({ ...actor, route: `${route.method} ${route.path}` }),
        act: 'personal_data.read',
        object_id: id ?? (owners.join(' ') || null),
        result: 'done',
      };
      await deps.database.inOrganization({ organization: principal.organization }, (connection) =>
        audit(connection, entry),
      );
    };
    keep().catch((error: unknown) => {
      losses.inc();
      deps.log.error({ err: error, request_id: request.id }, 'a read of personal data was not audited');
    });
  };
}

const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i;

/** The network of a remote address, /24 or /48: enough to recognise an attack, too little to follow a person. */
export function shortAddress(address: string): string {
  const plain = address.replace(MAPPED_IPV4, '').split('%', 1)[0] ?? '';
  const family = isIP(plain);
  if (family === 4) return `${plain.slice(0, plain.lastIndexOf('.'))}.0/24`;
  return family === 6 ? `${firstGroups(plain).join(':')}::/48` : '';
}

function firstGroups(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const tailGroups = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    for (let missing = 8 - groups.length - tailGroups; missing > 0; missing--) groups.push('0');
    groups.push(...tail.split(':'));
  }
  return groups.slice(0, 3).map((group) => Number.parseInt(group, 16).toString(16));
}
