import type { ExpiringRows } from '../retention.ts';

/** So long the same key gets the same answer. */
export const idempotencyKeysKept: ExpiringRows = {
  table: 'idempotency_keys',
  key: ['client_id', 'route', 'key'],
  at: 'created_at',
  keptFor: { hours: 24 },
};

/** Counted from the answer. */
export const requestLogKept: ExpiringRows = {
  table: 'request_log',
  key: ['created_at', 'id'],
  at: 'created_at',
  keptFor: { days: 30 },
};

/** The rate of the last minutes is taken from it. */
export const requestMinutesKept: ExpiringRows = {
  table: 'request_minutes',
  key: ['minute'],
  at: 'minute',
  keptFor: { days: 1 },
};
