import type { Logger } from '../../platform/log/logger.ts';
import type { CarriedForward } from './figures.ts';

/** Where rows are from, who is told, and the day for which they were asked. */
interface CarryOccasion {
  database: string;
  /** Null: nobody is told, and nothing is remembered. */
  log: Pick<Logger, 'warn'> | null;
  on: string;
}

/**
 * Warns of rows that ran out and count nevertheless, once a day and key: the figures of the new year are late, and somebody
 * has to hear of it. What it remembers is one day for each key of the reference data, the latest.
 */
export function createCarriedForwardWarnings(): (
  rows: readonly CarriedForward[],
  occasion: CarryOccasion,
) => void {
  const toldFor = new Map<string, string>();
  return (rows, { database, log, on }) => {
    if (log === null) return;
    for (const { table, key, endedOn } of rows) {
      const name = `${database} ${table} ${key}`;
      if ((toldFor.get(name) ?? '') >= on) continue;
      toldFor.set(name, on);
      log.warn(
        { table, key, ended_on: endedOn, on },
        'reference row carried forward: it ended, and none follows',
      );
    }
  };
}
