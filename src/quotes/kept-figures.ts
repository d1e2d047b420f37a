import { dayAheadMean } from '../day-ahead-means/service.ts';
import type { Database } from '../platform/database/db.ts';
import { createSharedRead } from '../platform/database/shared-read.ts';
import type { Logger } from '../platform/log/logger.ts';
import { createShortCache } from '../platform/short-cache.ts';
import type { Figure, GridFigures } from '../tariffs/figures.ts';
import type { ReferenceSet } from '../tariffs/reference-set.ts';
import { gridFigures, referenceSet } from '../tariffs/service.ts';

/** What prices are made of, by the day in Germany. Whatever was asked in the last seconds costs no transaction. */
export interface KeptFigures {
  reference(on: string): Promise<ReferenceSet>;
  /** Undefined where nobody is supplied. */
  grid(zip: string, on: string): Promise<GridFigures | undefined>;
  dayAheadMean(on: string): Promise<Figure>;
}

const kept = new WeakMap<Database, KeptFigures>();

/** The same for every caller of one database. */
export function keptFigures(database: Database, log: Pick<Logger, 'warn'>): KeptFigures {
  const known = kept.get(database) ?? createKeptFigures(database, log);
  kept.set(database, known);
  return known;
}

function createKeptFigures(database: Database, log: Pick<Logger, 'warn'>): KeptFigures {
  const references = createReader<ReferenceSet>();
  const grids = createReader<GridFigures | undefined>();
  const means = createReader<Figure>();
  return {
    reference: (on) =>
      references(on, () => database.asService((connection) => referenceSet(connection, on, log))),
    grid: (zip, on) =>
      grids(`${zip} ${on}`, () => database.asService((connection) => gridFigures(connection, zip, on, log))),
    dayAheadMean: (on) =>
      means(on, () =>
        database.asService(async (connection) =>
          dayAheadMean(connection, on, await referenceSet(connection, on, log)),
        ),
      ),
  };
}

/** Kept for seconds; those who ask together look together, or each round of them would fill the pool. */
function createReader<Value>(): (key: string, read: () => Promise<Value>) => Promise<Value> {
  const cache = createShortCache<Value>();
  const shared = createSharedRead<Value>();
  return (key, read) => cache(key, () => shared(key, read));
}
