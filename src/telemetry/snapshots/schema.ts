import { z } from 'zod';
import type { ErrorEntry } from '../../platform/errors.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { compiled, entriesOf } from '../../platform/interface/zod.ts';

const { objectName } = wireSchemas;

export const SNAPSHOTS_PER_REQUEST_MAX = 10_000;

/** Every measured value lies inside ±this; the table's CHECKs say the same. */
export const MEASURED_VALUE_MAX = 1e9;

/** The measured fields in the order of the interface, which is also the order of the columns. */
export const MEASURED_FIELDS = [
  'power_kw',
  'state_of_charge',
  'connected',
  'vehicle_state_of_charge',
] as const;

export type MeasuredField = (typeof MEASURED_FIELDS)[number];

const share = z.number().min(0).max(1);

/** What a row may look like before anything is known about its asset. */
export const snapshotRow = z
  .strictObject({
    asset: wireSchemas
      .text({ max: 255 })
      .optional()
      .meta({ description: 'Id of the asset. Exactly one of `asset` and `external_id` names it.' }),
    external_id: wireSchemas
      .text({ max: 255 })
      .optional()
      .meta({ description: 'Your own id of the asset, compared as sent. Not together with `asset`.' }),
    timestamp: wireSchemas.instant().meta({
      description: 'When it was measured, with time zone, kept to the microsecond; at most one minute ahead.',
    }),
    power_kw: z.number().gt(-MEASURED_VALUE_MAX).lt(MEASURED_VALUE_MAX).optional().meta({
      description:
        'Power in kW, positive into the asset, negative out of it; at most 1.5 times the rating of the asset.',
    }),
    state_of_charge: share.optional().meta({ description: 'Batteries: charge as a share of the capacity.' }),
    connected: z.boolean().optional().meta({ description: 'Wallboxes: a vehicle is plugged in.' }),
    vehicle_state_of_charge: share
      .optional()
      .meta({ description: "Wallboxes: charge of the vehicle as a share of its battery's capacity." }),
  })
  .meta({
    id: 'AssetSnapshotRow',
    description: 'One measurement; at least one of the fields that the type of the asset accepts.',
  });

export const snapshotBatch = z.object({
  household: wireSchemas
    .text({ max: 255 })
    .meta({ description: 'Id of the household that all assets belong to.' }),
  snapshots: z
    .array(snapshotRow)
    .min(1)
    .max(SNAPSHOTS_PER_REQUEST_MAX)
    .meta({ description: 'The rows, all of one household; they are stored all or none.' }),
});

const instant = z.string().meta({ format: 'date-time' });

export const snapshotBatchResult = z.object({
  object: objectName('asset_snapshot_batch'),
  household: z.string().meta({ description: 'Id of the household.' }),
  start: instant.meta({ description: 'The earliest timestamp of the batch.' }),
  end: instant.meta({ description: 'The latest timestamp of the batch.' }),
  total: z.int().min(0).max(SNAPSHOTS_PER_REQUEST_MAX).meta({ description: 'Rows sent.' }),
  stored: z.int().min(0).max(SNAPSHOTS_PER_REQUEST_MAX).meta({ description: 'Rows newly written.' }),
  duplicates: z
    .int()
    .min(0)
    .max(SNAPSHOTS_PER_REQUEST_MAX)
    .meta({ description: 'Rows equal to stored ones, or repeated in the request.' }),
});

export type SnapshotBatchResult = z.input<typeof snapshotBatchResult>;

/** The newest snapshot of one asset. Fields of other types are left out, own fields that were not sent are null. */
export const assetSnapshot = z
  .object({
    object: objectName('asset_snapshot'),
    household: z.string().meta({ description: 'Id of the household' }),
    asset: z.string().meta({ description: 'Id of the asset' }),
    timestamp: instant.meta({ description: "When it was measured, by the gateway's clock" }),
    power_kw: z
      .number()
      .nullable()
      .optional()
      .meta({ description: 'Power in kW, positive into the asset, negative out of it' }),
    state_of_charge: z
      .number()
      .nullable()
      .optional()
      .meta({ description: 'Batteries: charge as a share of the capacity, 0 to 1' }),
    connected: z
      .boolean()
      .nullable()
      .optional()
      .meta({ description: 'Wallboxes: whether a vehicle is plugged in' }),
    vehicle_state_of_charge: z
      .number()
      .nullable()
      .optional()
      .meta({ description: "Wallboxes: charge of the vehicle as a share of its battery's capacity, 0 to 1" }),
    created_at: instant.meta({ description: 'When the row was stored' }),
  })
  .meta({ id: 'AssetSnapshot' });

export type AssetSnapshot = z.input<typeof assetSnapshot>;

/** The frame of a batch; its rows are looked at one by one, so that the good ones of a bad batch are known. */
const frame = z.object({
  household: snapshotBatch.shape.household,
  snapshots: z.array(z.unknown()).min(1).max(SNAPSHOTS_PER_REQUEST_MAX),
});

export interface Frame {
  /** Null when the body names none that could exist. */
  household: string | null;
  /** Empty when the body holds no list of a length that is accepted. */
  rows: readonly unknown[];
  entries: ErrorEntry[];
}

export function readFrame(body: unknown): Frame {
  const result = compiled(frame).safeParse(body);
  if (result.success) return { household: result.data.household, rows: result.data.snapshots, entries: [] };
  const entries = entriesOf(result.error.issues, body);
  const refused = (field: string) => entries.some((entry) => entry.field === field || entry.field === '');
  const { household, snapshots } = (body ?? {}) as { household: string; snapshots: unknown[] };
  return {
    household: refused('household') ? null : household,
    rows: refused('snapshots') ? [] : snapshots,
    entries,
  };
}

const rowList = z.array(snapshotRow);

type SnapshotIssue = z.core.$ZodIssue;

/**
 * Everything that is wrong with the shape of each row, with the fields in the order of the schema. All rows in one call:
 * Zod makes one error of it, and for 10,000 bad rows ten thousand of them cost twice the time of the check itself.
 */
export function shapeEntriesOf(rows: readonly unknown[]): ErrorEntry[][] {
  const result = compiled(rowList).safeParse(rows);
  const issuesOf = new Map<number, SnapshotIssue[]>();
  for (const issue of result.error?.issues ?? []) {
    const [index, ...path] = issue.path as [number, ...PropertyKey[]];
    const issues = issuesOf.get(index) ?? [];
    issues.push({ ...issue, path });
    issuesOf.set(index, issues);
  }
  return rows.map((row, index) => shapeEntries(row, issuesOf.get(index) ?? []));
}

/** The rules about combinations of fields stand beside the schema: Zod would not ask them of a row that it refuses. */
function shapeEntries(row: unknown, issues: readonly SnapshotIssue[]): ErrorEntry[] {
  const entries = entriesOf(issues, row);
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return entries;
  const has = (field: string) => Object.hasOwn(row, field);
  const hasId = has('asset');
  const hasExternalId = has('external_id');
  if (hasId && hasExternalId) {
    entries.push({ code: 'custom', field: '', message: 'Only one of asset and external_id names the asset' });
  }
  if (!(hasId || hasExternalId)) {
    entries.unshift({
      code: 'invalid_type',
      field: 'asset',
      message: 'Required: asset or external_id has to name the asset',
    });
  }
  if (!MEASURED_FIELDS.some(has)) {
    entries.push({
      code: 'custom',
      field: '',
      message: `At least one of ${MEASURED_FIELDS.join(', ')} is needed`,
    });
  }
  return entries;
}
