import type pg from 'pg';
import pgPackage from 'pg/package.json' with { type: 'json' };

/** The calls that pg makes on a query that brings its own way of speaking with the server. */
interface Conversation extends pg.Submittable {
  /** pg puts a function here that clears the time-out of the query; to be called at its end. */
  callback(): void;
  handleCopyInResponse(): void;
  handleCommandComplete(message: { text?: string }): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
}

const COPY_DATA = 0x64;
const COPY_DONE = Buffer.from([0x63, 0, 0, 0, 4]);

/** The major version of pg whose inside this file knows. */
const PG_MAJOR = 8;

/** Why this file must not be used with the pg that is installed; null where it may. */
export function driverProblem(version: string = pgPackage.version): string | null {
  if (Number.parseInt(version, 10) === PG_MAJOR) return null;
  return (
    `pg ${version} is installed, and COPY in src/platform/database/copy.ts was written for pg ${PG_MAJOR}: it sends a ` +
    'statement behind one that is under way, which pg 9 no longer lines up. Install pg 8, or let groups wait for each COMMIT'
  );
}

/**
 * For small groups, where a round trip costs more than the rows; large ones take copy-in.ts.
 *
 * Sends a statement that ends in `COPY … FROM STDIN` and a complete COPY stream, and gives the number of rows that the
 * server stored. The data follows the statement at once instead of waiting for the server's word that it is ready: it
 * reads message after message, and drops what belongs to a COPY that failed (PostgreSQL, "Message Flow", COPY
 * Operations). That saves one of three round trips, each as long as the event loop is busy: 2,900 batches of 100 rows a
 * second in place of 2,200. All of it is in memory already, so there is no stream that could break off half-way, and
 * after an error of the server the client is usable.
 */
export function copyIn(client: pg.ClientBase, statement: string, bytes: Buffer): Promise<number> {
  return converse(client, (connection) => send(connection, statement, bytes));
}

/**
 * The same behind a statement that is under way, without waiting for its end: the server begins with the COPY in the moment
 * in which it is done with the other one. Only for a client on which nothing else waits. The outcome of the other one does
 * not change the COPY, so `statement` has to begin a transaction of its own.
 */
export function copyInBehind(client: pg.Client, statement: string, bytes: Buffer): Promise<number> {
  send(client.connection, statement, bytes);
  return converse(client, () => {});
}

function send(connection: pg.Connection, statement: string, bytes: Buffer): void {
  const header = Buffer.alloc(5);
  header.writeUInt8(COPY_DATA, 0);
  header.writeUInt32BE(bytes.length + 4, 1);
  const { stream } = connection;
  stream.cork();
  connection.query(statement);
  stream.write(header);
  stream.write(bytes);
  stream.write(COPY_DONE);
  stream.uncork();
}

function converse(client: pg.ClientBase, submit: Conversation['submit']): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0;
    const conversation: Conversation = {
      submit,
      callback() {},
      handleCopyInResponse() {},
      handleCommandComplete({ text = '' }) {
        const stored = /^COPY (\d+)$/.exec(text)?.[1];
        if (stored !== undefined) rows = Number(stored);
      },
      handleError(error) {
        this.callback();
        reject(error);
      },
      handleReadyForQuery() {
        this.callback();
        resolve(rows);
      },
    };
    client.query(conversation);
  });
}
