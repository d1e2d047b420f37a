import pg from 'pg';

/** SQLSTATE codes that the service reacts to by name. */
export const SQLSTATE = {
  uniqueViolation: '23505',
  exclusionViolation: '23P01',
  foreignKeyViolation: '23503',
  signInRefused: '28000',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  dependentObjects: '2BP01',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  diskFull: '53100',
  tooManyTuplesDecompressed: '53400',
  idleInTransaction: '25P03',
  transactionTooLong: '25P04',
} as const;

export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * A row is there already. Citus gives this code for a single row. An error of a node about rows of a COPY arrives as an
 * internal error without its code (ReportCopyError in its multi_copy.c). It may then mean anything, and only a look at
 * the stored rows tells.
 */
export function isRowTaken(error: unknown): boolean {
  return sqlState(error) === SQLSTATE.uniqueViolation || isCopyRefusedByNode(error);
}

function isCopyRefusedByNode(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === 'XX000' && error.routine === 'ReportCopyError';
}

/** Also where it is one of several causes. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.some(isDiskFull)) return true;
  return error instanceof Error && (sqlState(error) === SQLSTATE.diskFull || isDiskFull(error.cause));
}

export function constraintOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

/** Error classes after which the database will answer again without any act of the caller. */
const TRANSIENT_CLASSES = ['08', '53', '57', '58'];

/**
 * After an ordinary error of a statement the connection is as good as before. After anything else (a time-out of the
 * client, a cut socket, a server that is ending) nobody knows what is still under way on it: it must be destroyed.
 */
export function isConnectionDoubtful(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (error instanceof pg.DatabaseError) {
    return error.severity === 'FATAL' || error.severity === 'PANIC' || /^(08|57P)/.test(error.code ?? '');
  }
  return isFromDriver(error) || (error.cause !== undefined && isConnectionDoubtful(error.cause));
}

const DRIVER_MESSAGES =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|Query read timeout|timeout (exceeded|expired)|Received unexpected )/;

/** Errors that pg and the socket raise without the server's words; everything else is our own code's. Those of files have a path. */
function isFromDriver(error: Error): boolean {
  const { code, path } = error as NodeJS.ErrnoException;
  if (path === undefined && code !== undefined && /^(E[A-Z]+|ERR_STREAM_[A-Z_]+)$/.test(code)) return true;
  return DRIVER_MESSAGES.test(error.message);
}

/** Which the transaction did nothing for: others were in its way, again and again, or for too long. */
const BUSY: readonly string[] = [
  SQLSTATE.lockNotAvailable,
  SQLSTATE.serializationFailure,
  SQLSTATE.deadlockDetected,
  SQLSTATE.idleInTransaction,
  SQLSTATE.transactionTooLong,
];

/** A COMMIT that ended so may have been carried out. The server's limits of a transaction strike before it only. */
export function mayBeCommitted(error: unknown): boolean {
  return isConnectionDoubtful(error) && !BUSY.includes(sqlState(error) ?? '');
}

/** The database is away, full, ending, busy or out of time: the caller hears 503, not 500. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    return TRANSIENT_CLASSES.includes(code.slice(0, 2)) || BUSY.includes(code);
  }
  return error instanceof Error && isFromDriver(error);
}

/** The server answers and lets this role or this database not in: no waiting mends it, only another address does. */
export function signInProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!(error instanceof pg.DatabaseError)) return signInProblem(error.cause);
  const code = error.code ?? '';
  if (!code.startsWith('28') && code !== '3D000') return undefined;
  return `The database refuses the sign-in (${error.message}): check role, password and database of its address; npm run db -- init makes them where they are missing`;
}
