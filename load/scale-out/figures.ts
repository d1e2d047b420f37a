import { rowCostsOf } from '../measure/costs.ts';
import type { Leg } from '../measure/leg.ts';
import { median } from '../measure/statistics.ts';
import { table } from '../measure/table.ts';

/** What one side came to with batches of one size: medians of its rounds. */
export interface Figures {
  rows_per_second: number;
  /** As a share of the single node's. */
  rows_per_second_of_single: number;
  /** Processor time of a row in millionths of a second. */
  service_us: number;
  /** Of the coordinator; of the single node its whole server. */
  coordinator_us: number;
  workers_us: number;
  /** Of all servers, as a multiple of the single node's. */
  servers_of_single: number;
}

/** Each side beside the first one, which is the single node. */
export function figuresOf(legs: ReadonlyMap<string, readonly Leg[]>): Map<string, Figures> {
  const all = [...legs].map(([name, ofSide]) => {
    const speed = median(ofSide.map((leg) => leg.rows_per_second));
    return { name, speed, costs: rowCostsOf(ofSide) };
  });
  const [single] = all;
  if (single === undefined) return new Map();
  return new Map(
    all.map(({ name, speed, costs }) => [
      name,
      {
        rows_per_second: speed,
        rows_per_second_of_single: speed / single.speed,
        service_us: costs.service,
        coordinator_us: Math.max(0, costs.database - costs.workers),
        workers_us: costs.workers,
        servers_of_single: costs.database / single.costs.database,
      },
    ]),
  );
}

const HEADINGS = [
  'medians',
  'side',
  'rows/s',
  'of single',
  'µs/row service',
  'single or coordinator',
  'workers',
  'servers of single',
];

/** `all`: by the size of the batches. */
export function figuresTable(all: ReadonlyMap<string, ReadonlyMap<string, Figures>>): string {
  const cells = [...all].flatMap(([size, figures]) =>
    [...figures].map(([name, side]) => [
      size,
      name,
      Math.round(side.rows_per_second).toLocaleString('en'),
      side.rows_per_second_of_single.toFixed(2),
      side.service_us.toFixed(2),
      side.coordinator_us.toFixed(2),
      side.workers_us.toFixed(2),
      side.servers_of_single.toFixed(2),
    ]),
  );
  return table(HEADINGS, cells);
}
