import type { ExportName } from '../../config/export-names.ts';
import type { ExportKind } from './columns.ts';
import { MEASURED_KINDS } from './measured-kinds.ts';
import { PRICE_KINDS } from './price-kinds.ts';
import { RECORD_KINDS } from './record-kinds.ts';

/* The exports: one for each view of an organization's analysts. */

const EXPORT_KINDS = {
  ...MEASURED_KINDS,
  ...RECORD_KINDS,
  ...PRICE_KINDS,
} as const satisfies Record<ExportName, ExportKind>;

export const exportKind = (name: ExportName): ExportKind => EXPORT_KINDS[name];

/** All others are the same for all organizations. */
export const isOfOrganization = ({ key, isForecast, isOneRow }: ExportKind) =>
  (key ?? isForecast ?? isOneRow) !== undefined;

/** What has no days is read as those of one: any. */
export const LIST_DAYS = { from: '2000-01-01', to: '2000-01-02' } as const;
