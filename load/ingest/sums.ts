import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/database/db.ts';
import { sumQuarterHours, sumQuarterHoursNow } from '../../src/telemetry/quarter-hours/sum.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { WrongUse } from '../surroundings/failures.ts';
import type { Surroundings } from '../surroundings/service.ts';

/** The job that sums by quarter hour, over a connection of its own. */
export interface Sums {
  /** As fast as it goes, until nothing is left to sum. */
  untilCurrent(): Promise<void>;
  /** As the worker does it, one run right after the other, until the work is done; what they did. */
  beside(work: () => Promise<void>): Promise<SumsBeside>;
}

export interface SumsBeside {
  runs: number;
  sums: number;
  late_entries: number;
}

export function openSums({ maintenanceUrl }: Surroundings, cleanup: Cleanup): Sums {
  if (maintenanceUrl === undefined) throw new WrongUse('Only a database of this run is summed');
  const maintenance = openDatabase({
    url: maintenanceUrl,
    applicationName: 'voltstream-load-sums',
    connectionsMax: 1,
    onError: () => {},
  });
  cleanup.add(() => maintenance.close());
  const runOnce = async (sum = sumQuarterHours) => {
    const { signal } = new AbortController();
    const result = await sum({ maintenance, clock: systemClock() }, { signal });
    const { sums, late_entries } = result as Record<'sums' | 'late_entries', number>;
    return { isCurrent: result.is_current === true && late_entries === 0, sums, late_entries };
  };
  return {
    async untilCurrent() {
      while (!(await runOnce(sumQuarterHoursNow)).isCurrent);
    },
    async beside(work) {
      const done = { runs: 0, sums: 0, late_entries: 0 };
      let isOver = false;
      const runs = (async () => {
        while (!isOver) {
          const { sums, late_entries } = await runOnce();
          done.runs += 1;
          done.sums += sums;
          done.late_entries += late_entries;
        }
      })();
      try {
        await work();
      } finally {
        isOver = true;
        await runs;
      }
      return done;
    },
  };
}
