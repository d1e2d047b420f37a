import type { Leg } from './leg.ts';
import { median } from './statistics.ts';

/** Processor time of one row in millionths of a second, which no other program of the machine changes much. */
export interface RowCosts {
  service: number;
  /** All servers of the database. */
  database: number;
  /** Of that, the workers of Citus; 0 where there are none. */
  workers: number;
}

/** Medians of the legs; NaN where a process was none of this machine. */
export function rowCostsOf(legs: readonly Leg[]): RowCosts {
  const of = (process: keyof RowCosts, absent: number) =>
    median(
      legs.map(({ cpu, seconds, rows }) => {
        const share = cpu[process];
        return ((share === undefined ? absent : (share ?? Number.NaN)) * seconds * 1e6) / rows;
      }),
    );
  return {
    service: of('service', Number.NaN),
    database: of('database', Number.NaN),
    workers: of('workers', 0),
  };
}
