import { SNAPSHOTS_PER_REQUEST_MAX } from './schema.ts';

/** A share or power that was not sent; JSON knows no NaN, so no value is mistaken for it. */
export const ABSENT = Number.NaN;
export const CONNECTED_ABSENT = -1;

/**
 * The rows of one batch as columns, in the order in which they were sent. One set serves the whole process: a batch is
 * read, sorted and encoded without giving up the event loop in between, and 10,000 rows leave no garbage behind.
 */
export const columns = {
  /** Position of the row in the request. */
  row: new Int32Array(SNAPSHOTS_PER_REQUEST_MAX),
  /** Rank of the asset by key. */
  slot: new Int32Array(SNAPSHOTS_PER_REQUEST_MAX),
  /** Whole microseconds since 2000-01-01. */
  microseconds: new Float64Array(SNAPSHOTS_PER_REQUEST_MAX),
  powerKw: new Float64Array(SNAPSHOTS_PER_REQUEST_MAX),
  stateOfCharge: new Float64Array(SNAPSHOTS_PER_REQUEST_MAX),
  /** 1, 0 or `CONNECTED_ABSENT`. */
  connected: new Int8Array(SNAPSHOTS_PER_REQUEST_MAX),
  vehicleStateOfCharge: new Float64Array(SNAPSHOTS_PER_REQUEST_MAX),
  length: 0,
};

function sameNumber(a: number | undefined, b: number | undefined): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/** The first measured field in which two rows differ, null when they are equal as a whole. */
export function firstDifference(a: number, b: number) {
  const { powerKw, stateOfCharge, connected, vehicleStateOfCharge } = columns;
  if (!sameNumber(powerKw[a], powerKw[b])) return 'power_kw';
  if (!sameNumber(stateOfCharge[a], stateOfCharge[b])) return 'state_of_charge';
  if (connected[a] !== connected[b]) return 'connected';
  if (!sameNumber(vehicleStateOfCharge[a], vehicleStateOfCharge[b])) return 'vehicle_state_of_charge';
  return null;
}

/** A field of a row as messages show it. */
export function shownValue(field: NonNullable<ReturnType<typeof firstDifference>>, at: number): string {
  if (field === 'connected') return shown([false, true][columns.connected[at] ?? CONNECTED_ABSENT]);
  if (field === 'power_kw') return shown(columns.powerKw[at]);
  if (field === 'state_of_charge') return shown(columns.stateOfCharge[at]);
  return shown(columns.vehicleStateOfCharge[at]);
}

/** A value that was not sent is shown as `none`. */
export function shown(value: number | boolean | null | undefined): string {
  return value === undefined || value === null || Number.isNaN(value) ? 'none' : String(value);
}
