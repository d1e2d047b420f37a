import { z } from 'zod';
import type { ErrorEntry } from '../../platform/errors.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { compiled, entriesOf } from '../../platform/interface/zod.ts';
import {
  type FieldOfTable,
  type FieldTable,
  MEASURED,
  MEASURED_VALUE_MAX,
  type MeasuredField,
  onceForTable,
} from './fields.ts';

const { objectName } = wireSchemas;

export const SNAPSHOTS_PER_REQUEST_MAX = 10_000;

/** A value of a field that a gateway sends. */
function sentValue(field: FieldOfTable): z.ZodNumber | z.ZodBoolean {
  if (field.kind === 'boolean') return z.boolean();
  if (field.bounds !== 'rating') {
    const { min, max } = field.bounds;
    const error = ({ input }: { input?: unknown }) => `${input} is not between ${min} and ${max}`;
    return z.number().min(min, { error }).max(max, { error });
  }
  return z.number().gt(-MEASURED_VALUE_MAX).lt(MEASURED_VALUE_MAX);
}

function shownValue({ kind }: FieldOfTable): z.ZodNumber | z.ZodBoolean {
  return kind === 'number' ? z.number() : z.boolean();
}

/** One member for each field; the compiler knows those that the service measures. */
function shapeOf<Member>({ fields }: FieldTable, member: (field: FieldOfTable) => Member) {
  return Object.fromEntries(fields.map((field) => [field.name, member(field)])) as Record<
    MeasuredField,
    Member
  >;
}

/** What a row may look like before anything is known about its asset. */
export function snapshotRowOf(table: FieldTable) {
  return z.strictObject({
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
    ...shapeOf(table, (field) => sentValue(field).optional().meta({ description: field.words.sent })),
  });
}

export const snapshotRow = snapshotRowOf(MEASURED).meta({
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
    ...shapeOf(MEASURED, (field) =>
      shownValue(field).nullable().optional().meta({ description: field.words.shown }),
    ),
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

const rowListOf = onceForTable((table) => z.array(table === MEASURED ? snapshotRow : snapshotRowOf(table)));

type SnapshotIssue = z.core.$ZodIssue;

/**
 * Everything that is wrong with the shape of each row, with the fields in the order of the schema. All rows in one call:
 * Zod makes one error of it, and for 10,000 bad rows ten thousand of them cost twice the time of the check itself.
 */
export function shapeEntriesOf(rows: readonly unknown[], table: FieldTable = MEASURED): ErrorEntry[][] {
  const result = compiled(rowListOf(table)).safeParse(rows);
  const issuesOf = new Map<number, SnapshotIssue[]>();
  for (const issue of result.error?.issues ?? []) {
    const [index, ...path] = issue.path as [number, ...PropertyKey[]];
    const issues = issuesOf.get(index) ?? [];
    issues.push({ ...issue, path });
    issuesOf.set(index, issues);
  }
  return rows.map((row, index) => shapeEntries(row, issuesOf.get(index) ?? [], table));
}

/** The rules about combinations of fields stand beside the schema: Zod would not ask them of a row that it refuses. */
function shapeEntries(row: unknown, issues: readonly SnapshotIssue[], { names }: FieldTable): ErrorEntry[] {
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
  if (!names.some(has)) {
    entries.push({
      code: 'custom',
      field: '',
      message: `At least one of ${names.join(', ')} is needed`,
    });
  }
  return entries;
}
