import { Decimal } from 'decimal.js';
import type { Connection } from '../../platform/database/db.ts';
import { countingRows } from './counting-rows.ts';
import { gridFeeSchedule } from './grid-figures.ts';
import { BANDS, HOUSEHOLD_PROFILE, profileWeights } from './profile-weights.ts';
import { listSchedules, type TextRow } from './queries.ts';
import { loadProfile } from './service.ts';

/** A stored weight of a schedule beside the one that profile and windows give. */
export interface ComparedWeight {
  operator: string;
  valid_from: string;
  /** Its calendar was taken. */
  year: string;
  band: (typeof BANDS)[number];
  /** Null: the row has no weights. */
  stored: string | null;
  recomputed: string;
  /** Recomputed less stored. */
  difference: string | null;
}

export interface WeightsOptions {
  /** All operators where absent. */
  operator?: string | undefined;
  /** The schedules that count on this day, by the calendar of its year; every one by its own first year where absent. */
  on?: string | undefined;
}

/** Weights depend on the calendar: on weekends, on holidays, and on the days of the quarters. */
export async function compareWeights(
  connection: Connection,
  { operator, on }: WeightsOptions,
): Promise<ComparedWeight[]> {
  const rows = await listSchedules(connection, operator);
  const compared: ComparedWeight[] = [];
  for (const row of on === undefined ? rows : countingOn(rows, on)) {
    const year = (on ?? row.valid_from).slice(0, 4);
    const profile = await loadProfile(connection, HOUSEHOLD_PROFILE, `${year}-01-01`);
    const recomputed = profileWeights(profile, year, gridFeeSchedule(row));
    for (const band of BANDS) {
      const stored = row[`weight_${band}`];
      const difference = stored === null ? null : new Decimal(recomputed[band]).minus(stored).toFixed();
      const { operator: code, valid_from } = row;
      compared.push({
        operator: code,
        valid_from,
        year,
        band,
        stored,
        recomputed: recomputed[band],
        difference,
      });
    }
  }
  return compared;
}

function countingOn(rows: readonly TextRow<'grid_fee_schedules'>[], on: string) {
  const counting = countingRows('grid_fee_schedules', rows, (row) => row.operator, on);
  return [...counting.values()].map(({ row }) => row);
}
