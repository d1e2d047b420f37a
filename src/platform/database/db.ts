import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import pg from 'pg';
import { Failure, IF_OUTCOME_UNKNOWN, unavailable } from '../errors.ts';
import { countAsWaiting } from '../fair-queue.ts';
import { ID_PATTERN } from '../ids.ts';
import type { Principal, Tenant } from '../principal.ts';
import { timestampFromDatabase } from '../time/time.ts';
import type { Traces } from '../traces.ts';
import { enqueuedIn } from './after-commit.ts';
import { TakenLocks } from './lock-order.ts';
import { isLostRace, withRepeats } from './lost-races.ts';
import { isConnectionDoubtful, mayBeCommitted } from './pg-errors.ts';
import type { Tables } from './tables.ts';
import { STATEMENT_LIMITS, TRANSACTION_MILLISECONDS } from './time-limits.ts';

/** A Kysely on one connection inside one open transaction: the first argument of every statement. */
export type Connection = Kysely<Tables>;

export interface DatabaseOptions {
  url: string;
  applicationName: string;
  connectionsMax: number;
  /** How long a request may wait for a connection. */
  connectTimeoutMilliseconds?: number;
  /** How long a transaction may be open; only tests wait for less than others do. */
  transactionMilliseconds?: number;
  /** How long an answer may take, also of a server that says nothing more; the usual limits where absent. */
  answerMilliseconds?: number;
  onError(error: Error): void;
  /** Called when a transaction lost against another one and is about to be done again. */
  onRepeat?(): void;
  /** Called after the commit of a transaction that asked for runs of jobs, with the instants at which they are due. */
  onEnqueued?(runAt: ReadonlySet<string>): void;
  /** Transactions and statements of traced work become spans. */
  traces?: Traces | null;
}

/**
 * `work` may be called again: a transaction that lost against another one is rolled back and done once more, a few
 * times. So what it does outside the database must do no harm when it is done twice, and it must send nothing to
 * others.
 */
export interface Database {
  /**
   * The only way to tenant tables: a transaction that sees one organization (and one customer, if the tenant names one). What the
   * principal of a request that acts for no customer asks for does not see restricted customers (Art. 18 GDPR).
   */
  inOrganization<Result>(
    tenant: Tenant | Principal,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result>;
  /** A transaction for what belongs to no organization, and for the named functions that look across. */
  asService<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>;
  /** The bare client, outside a transaction: for COPY and for the reading of server settings. */
  withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result>;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/** More requests than this waiting for a connection means overload: the next one is turned away at once. */
const WAITERS_MAX = 200;

/**
 * Gateways send once a minute, and together: with pg's default of 10 s every such minute began with opening connections
 * anew, which took 100 ms of signing in.
 */
const IDLE_MILLISECONDS = 300_000;

/*
 * The form of texts in results, whatever the server or the role has as its default: instants in UTC and ISO form, floats
 * with all their digits.
 */
const SESSION = '-c TimeZone=UTC -c DateStyle=ISO -c extra_float_digits=1 -c search_path=public';

const TYPE_INT8 = 20;
const TYPE_DATE = 1082;
const TYPE_TIMESTAMPTZ = 1184;
const TYPE_NUMERIC = 1700;

function checkedInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 value ${text} is not a safe integer`);
  return value;
}

/*
 * pg's own parsers lose microseconds (timestamptz becomes a Date), move dates to local midnight and leave int8 a
 * text. Here an instant stays text in the form of the wire, exact to the microsecond.
 */
const parsers = new Map<number, (text: string) => unknown>([
  [TYPE_INT8, checkedInteger],
  [TYPE_DATE, (text) => text],
  [TYPE_TIMESTAMPTZ, timestampFromDatabase],
  [TYPE_NUMERIC, (text) => text],
]);

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** One checked-out client behind Kysely; opening and ending transactions stays with this file. */
class OneConnectionDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(client: pg.PoolClient) {
    const locks = new TakenLocks();
    this.#connection = {
      executeQuery: async (query: CompiledQuery) => {
        locks.take(query.query);
        const result = await client.query(query.sql, [...query.parameters]);
        return {
          rows: result.rows,
          ...(result.rowCount === null ? {} : { numAffectedRows: BigInt(result.rowCount) }),
        };
      },
      // biome-ignore lint/correctness/useYield: streams are not offered; COPY is used where rows are many
      streamQuery: async function* () {
        throw new Error('Streaming is not offered here: use COPY through withClient');
      },
    };
  }

  async init() {}
  async acquireConnection() {
    return this.#connection;
  }
  async beginTransaction() {
    throw new Error('The transaction is open already: it began with inOrganization or asService');
  }
  async commitTransaction() {}
  async rollbackTransaction() {}
  async releaseConnection() {}
  async destroy() {}
}

const adapter = new PostgresAdapter();

const clients = new WeakMap<Connection, pg.PoolClient>();

/** The client under a connection, for what Kysely has no words for: COPY, and results in binary form. */
export function clientOf(connection: Connection): pg.PoolClient {
  const client = clients.get(connection);
  if (client === undefined) throw new TypeError('Not a connection of inOrganization or asService');
  return client;
}

/** Which database it is on, for what is kept in memory: tests have several in one process. */
export function databaseOf(connection: Connection): string {
  const { host, port, database } = clientOf(connection);
  return `${host}:${port}/${database}`;
}

function kyselyOn(client: pg.PoolClient): Connection {
  const connection = new Kysely<Tables>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => new OneConnectionDriver(client),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  clients.set(connection, client);
  return connection;
}

/**
 * BEGIN and the tenant's settings go together in one round trip, also for reads. The ids are checked against
 * the id pattern before they enter the text; nothing else is ever put into SQL text. `is_local` ends the setting
 * with the transaction, so that the next user of the pooled connection starts with none.
 */
function beginText(tenant: Tenant | Principal | null): string {
  const organization = tenant === null ? '' : checkedId(tenant.organization);
  const customer = tenant?.customer === undefined ? '' : checkedId(tenant.customer);
  const text = `BEGIN; SELECT set_config('app.organization', '${organization}', true), set_config('app.customer', '${customer}', true)`;
  const isOfClient = tenant !== null && 'client' in tenant && customer === '';
  return isOfClient ? `${text}, set_config('app.hidden', hidden_ids('${organization}'), true)` : text;
}

/**
 * For what must know all rows, as the check that something is there only once: it sees those of restricted customers as well.
 * Its caller shows nothing of them.
 */
export async function withHidden<Result>(
  connection: Connection,
  work: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await sql<{ hidden: string }>`
    SELECT coalesce(current_setting('app.hidden', true), '') AS hidden`.execute(connection);
  const hidden = rows[0]?.hidden ?? '';
  if (hidden === '') return await work();
  const setHidden = (ids: string) => sql`SELECT set_config('app.hidden', ${ids}, true)`.execute(connection);
  await setHidden('');
  try {
    return await work();
  } finally {
    /* It is refused where a statement of the work failed. Then the transaction reads nothing more, and that failure counts. */
    await setHidden(hidden).catch(() => {});
  }
}

function checkedId(id: string): string {
  if (!ID_PATTERN.test(id)) throw new TypeError(`Not an id: ${JSON.stringify(id.slice(0, 40))}`);
  return id;
}

/** Thrown where the connection broke while COMMIT was under way: all of the transaction is stored, or nothing. */
export class CommitUnknown extends Failure {
  constructor(cause: unknown) {
    const message = `The connection to the database broke, and the outcome of the commit is unknown. ${IF_OUTCOME_UNKNOWN}`;
    super('INTERNAL_SERVER_ERROR', { status: 503, message, cause });
  }
}

/**
 * Sends it at once. False: the server answers the COMMIT of a transaction in which a statement had failed with ROLLBACK, and
 * no error.
 */
export async function isCommitted(client: pg.ClientBase): Promise<boolean> {
  try {
    return (await client.query('COMMIT')).command === 'COMMIT';
  } catch (error) {
    throw mayBeCommitted(error) ? new CommitUnknown(error) : error;
  }
}

/** Back into the pool only without any doubt, and never with a transaction open: its settings would reach the next. */
function release(client: pg.PoolClient, doubtful: boolean): void {
  client.release(doubtful || client.getTransactionStatus() !== 'I');
}

const TRANSACTION_SPAN = {
  name: 'transaction',
  kind: 'CLIENT',
  attributes: { 'db.system.name': 'postgresql' },
} as const;

export function openDatabase(options: DatabaseOptions): Database {
  const { transactionMilliseconds = TRANSACTION_MILLISECONDS, answerMilliseconds, traces = null } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.connectTimeoutMilliseconds ?? 2_000,
    idleTimeoutMillis: IDLE_MILLISECONDS,
    keepAlive: true,
    /* The driver has no option of its own for this limit. */
    options: `${SESSION} -c transaction_timeout=${transactionMilliseconds}`,
    types,
    ...STATEMENT_LIMITS,
    ...(answerMilliseconds !== undefined && {
      statement_timeout: answerMilliseconds,
      query_timeout: answerMilliseconds,
    }),
  });
  /*
   * The pool takes its own listener off while a client is out: without both, a restart of the database ends this
   * process. While it is in, both hear of the same error.
   */
  const reported = new WeakSet<Error>();
  const reportOnce = (error: Error) => {
    if (reported.has(error)) return;
    reported.add(error);
    options.onError(error);
  };
  pool.on('error', reportOnce);
  /* Between two statements the server ends a connection with its reason; the next statement hears only that it is gone. */
  const ends = new WeakMap<pg.PoolClient, Error>();
  pool.on('connect', (client) =>
    client.on('error', (error) => {
      if (!ends.has(client)) ends.set(client, error);
      reportOnce(error);
    }),
  );

  if (traces !== null) pool.on('connect', (client) => traces.traceStatements(client));

  async function checkOut(): Promise<pg.PoolClient> {
    if (pool.waitingCount >= WAITERS_MAX) throw unavailable();
    const since = performance.now();
    try {
      const client = await pool.connect();
      countAsWaiting(performance.now() - since);
      return client;
    } catch (error) {
      throw unavailable(undefined, error);
    }
  }

  async function withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await checkOut();
    let doubtful = true;
    try {
      const result = await work(client);
      doubtful = false;
      return result;
    } catch (error) {
      doubtful = isConnectionDoubtful(error);
      throw error;
    } finally {
      release(client, doubtful);
    }
  }

  async function inTransaction<Result>(
    tenant: Tenant | Principal | null,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    const begin = beginText(tenant);
    const client = await checkOut();
    let doubtful = true;
    try {
      await client.query(begin);
      try {
        const connection = kyselyOn(client);
        const result = await work(connection);
        /* What the server ended before is not stored, and its reason says more than that the connection is gone. */
        const ended = ends.get(client);
        if (ended !== undefined) throw ended;
        if (!(await isCommitted(client)))
          throw new Error('A statement of this transaction had failed: nothing of it was stored');
        doubtful = false;
        const runAt = enqueuedIn(connection);
        if (runAt !== undefined) options.onEnqueued?.(runAt);
        return result;
      } catch (error) {
        if (!isConnectionDoubtful(error)) {
          await client.query('ROLLBACK').then(() => {
            doubtful = false;
          }, reportOnce);
        }
        throw error instanceof CommitUnknown ? error : (ends.get(client) ?? error);
      }
    } finally {
      release(client, doubtful);
    }
  }

  const traced: typeof inTransaction =
    traces === null
      ? inTransaction
      : (tenant, work) => traces.part(TRANSACTION_SPAN, () => inTransaction(tenant, work));

  const onRepeat = () => options.onRepeat?.();
  const repeated: typeof inTransaction = (tenant, work) =>
    withRepeats(isLostRace, onRepeat, () => traced(tenant, work));

  return {
    pool,
    withClient,
    inOrganization: (tenant, work) => repeated(tenant, work),
    asService: (work) => repeated(null, work),
    close: () => pool.end(),
  };
}
