/** By transaction: from which instants on the runs are due that it has asked for. */
const enqueued = new WeakMap<object, Set<string>>();

/** A run was written in this transaction: after its commit the workers are told. */
export function noteEnqueued(connection: object, runAt: string): void {
  const instants = enqueued.get(connection);
  if (instants === undefined) enqueued.set(connection, new Set([runAt]));
  else instants.add(runAt);
}

/** What a committed transaction has asked for; undefined where it asked for nothing. */
export function enqueuedIn(connection: object): ReadonlySet<string> | undefined {
  return enqueued.get(connection);
}
