import { bandWeights } from '../load-profiles/band-weights.ts';
import type { GridFeeSchedule } from './figures.ts';
import { bandOfDay, type GridBand } from './grid-bands.ts';
import type { LoadProfile } from './load-profile.ts';

/** Weights of schedules are those of households. */
export const HOUSEHOLD_PROFILE = 'h25';

export const BANDS = ['low', 'standard', 'high'] as const satisfies readonly GridBand[];

/** How the profile's energy of a calendar year falls into the bands of a schedule. 4 decimals, together 1. */
export function profileWeights(
  profile: LoadProfile,
  year: string,
  schedule: Pick<GridFeeSchedule, 'quarters' | 'lowWindows' | 'highWindows'>,
): Readonly<Record<GridBand, string>> {
  const { quarters } = schedule;
  return bandWeights(profile, year, { quarters, bandAt: (minute) => bandOfDay(schedule, minute) }).weights;
}
