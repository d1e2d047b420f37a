import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Database } from '../../platform/database/db.ts';
import { createSharedRead } from '../../platform/database/shared-read.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { dayAheadMean, type MeanFigure } from '../day-ahead-means/service.ts';
import type { GridFigures } from '../reference-data/figures.ts';
import type { ReferenceSet } from '../reference-data/reference-set.ts';
import { gridFigures, referenceRevision, referenceSet } from '../reference-data/service.ts';

/** What prices are made of, by the day in Germany. Whatever was asked in the last seconds costs no transaction. */
export interface KeptFigures {
  reference(on: string): Promise<ReferenceSet>;
  /** Undefined where nobody is supplied. */
  grid(zip: string, on: string): Promise<GridFigures | undefined>;
  dayAheadMean(on: string): Promise<MeanFigure>;
}

/** Germany has about 8,200 zips; what is kept of one takes some kB. */
const ZIPS_MAX = 10_000;

const kept = new WeakMap<Database, KeptFigures>();

/** The same for every caller of one database. */
export function keptFigures(database: Database, log: Pick<Logger, 'warn'>): KeptFigures {
  const known = kept.get(database) ?? createKeptFigures(database, log);
  kept.set(database, known);
  return known;
}

function createKeptFigures(database: Database, log: Pick<Logger, 'warn'>): KeptFigures {
  /*
   * Kept until reference data changes, and not for seconds only: where a whole country asks, each zip comes up once in
   * seconds, and nearly every quote would read it anew.
   */
  let grids = new BoundedCache<{ grid: GridFigures | undefined }>(ZIPS_MAX);
  let gridsRevision: string | undefined;
  const references = createReader<ReferenceSet>();
  const revisions = createReader<string>();
  const readTogether = createSharedRead<GridFigures | undefined>();
  const means = createReader<MeanFigure>();
  return {
    reference: (on) =>
      references(on, () => database.asService((connection) => referenceSet(connection, on, log))),
    grid: async (zip, on) => {
      /* Read before the rows: these are as new as it says, or newer, and then it says so within seconds. */
      const revision = await revisions('', () => database.asService(referenceRevision));
      if (revision !== gridsRevision) {
        grids = new BoundedCache(ZIPS_MAX);
        gridsRevision = revision;
      }
      const held = grids;
      const key = `${zip} ${on}`;
      const known = held.get(key);
      if (known !== undefined) return known.grid;
      const grid = await readTogether(`${revision} ${key}`, () =>
        database.asService((connection) => gridFigures(connection, zip, on, log)),
      );
      held.set(key, { grid });
      return grid;
    },
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
