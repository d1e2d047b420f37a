import type { RootOperationNode, SelectQueryNode, TableNode } from 'kysely';

/**
 * The one order in which a transaction takes rows that others want too. Two transactions that both keep it wait for each
 * other in one direction only, so that neither can wait for ever. A transaction need not take all of them; what it takes
 * it takes from top to bottom, and several rows of one table by id. Locks by name (`pg_advisory_xact_lock`) come before
 * all of them.
 *
 * A lock is always `FOR NO KEY UPDATE`. `FOR UPDATE` also stops those who only point to the row: every INSERT with a
 * foreign key takes its parents for a moment, in an order that nobody chooses.
 */
export const LOCK_ORDER = [
  'organizations',
  'issuers',
  'auth_clients',
  'authorization_requests',
  'grants',
  'market_partners',
  'plans',
  'customers',
  'households',
  'leads',
  'subscriptions',
  'meters',
  'addresses',
  'grid_fee_reductions',
  'meter_orders',
  'assets',
  'invoices',
  'invoice_ledgers',
  'webhook_endpoints',
  'event_deliveries',
] as const;

const RANKS: ReadonlyMap<string, number> = new Map(LOCK_ORDER.map((table, rank) => [table, rank]));

/** What one transaction has taken. It refuses a statement that would take a row against the order. */
export class TakenLocks {
  readonly #tables = new Set<string>();
  #highest = -1;

  /** Called before each statement that was built, not written as text. */
  take(statement: RootOperationNode): void {
    if (statement.kind === 'SelectQueryNode') {
      for (const table of lockedTables(statement)) this.#takeFrom(table, { isListedOnly: false });
    } else if (statement.kind === 'UpdateQueryNode' && statement.table !== undefined) {
      const table = nameOf(statement.table);
      /* What was locked before may change whenever it is its turn. */
      if (!this.#tables.has(table)) this.#takeFrom(table, { isListedOnly: true });
    }
  }

  #takeFrom(table: string, { isListedOnly }: { isListedOnly: boolean }): void {
    const rank = RANKS.get(table);
    if (rank === undefined) {
      if (isListedOnly) return;
      throw new Error(`Rows of ${table} are locked, and the order of locks does not name it`);
    }
    if (rank < this.#highest) {
      throw new Error(`Rows of ${table} are locked after those of ${LOCK_ORDER[this.#highest]}`);
    }
    this.#highest = rank;
    this.#tables.add(table);
  }
}

function lockedTables(query: SelectQueryNode): string[] {
  const locks = (query.endModifiers ?? []).filter(({ modifier }) => modifier?.startsWith('For') === true);
  if (locks.length === 0) return [];
  if (locks.some(({ modifier }) => modifier !== 'ForNoKeyUpdate')) {
    throw new Error('Rows are locked FOR NO KEY UPDATE only');
  }
  const [from] = query.from?.froms ?? [];
  return from === undefined ? [] : [nameOf(from)];
}

/** With an alias or without. */
function nameOf(node: { kind: string }): string {
  const inner = (node as { node?: { kind: string } }).node;
  if (inner !== undefined) return nameOf(inner);
  return (node as TableNode).table.identifier.name;
}
