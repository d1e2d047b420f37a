import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Database } from '../../platform/database/db.ts';
import { createSharedRead } from '../../platform/database/shared-read.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { dayAheadMean, type MeanFigure } from '../day-ahead-means/service.ts';
import type { GridFigures } from '../reference-data/figures.ts';
import type { ReferenceSet } from '../reference-data/reference-set.ts';
import { type FiguresOfZip, figuresOfZip, referenceRevision } from '../reference-data/service.ts';

/** What prices are made of, by the day in Germany. Whatever was asked in the last seconds costs no transaction. */
export interface KeptFigures {
  /** All of one import. */
  ofZip(zip: string, on: string): Promise<FiguresOfZip>;
  /** With the figures of the same day. */
  dayAheadMean(figures: FiguresOfZip): Promise<MeanFigure>;
}

/** Germany has about 8,200 zips; what is kept of one takes some kB. */
const ZIPS_MAX = 10_000;
/** Quotes are of today, or of a few days around it. */
const DAYS_MAX = 100;

const ofDatabases = new WeakMap<Database, KeptFigures>();

/** The same for every caller of one database. */
export function keptFigures(database: Database, log: Pick<Logger, 'warn'>): KeptFigures {
  const known = ofDatabases.get(database) ?? createKeptFigures(database, log);
  ofDatabases.set(database, known);
  return known;
}

function createKeptFigures(database: Database, log: Pick<Logger, 'warn'>): KeptFigures {
  /*
   * Kept until reference data changes, and not for seconds only: where a whole country asks, each zip comes up once in
   * seconds, and nearly every quote would read it anew.
   */
  let kept = keptOf('');
  const revisions = createReader<string>();
  const readTogether = createSharedRead<FiguresOfZip>();
  const means = createReader<MeanFigure>();
  return {
    ofZip: async (zip, on) => {
      const revision = await revisions('', () => database.asService(referenceRevision));
      if (revision !== kept.revision) kept = keptOf(revision);
      const { grids, references } = kept;
      const key = `${zip} ${on}`;
      const [known, reference] = [grids.get(key), references.get(on)];
      if (known !== undefined && reference !== undefined) return { revision, reference, grid: known.grid };
      const read = await readTogether(`${revision} ${key}`, () =>
        database.asService((connection) => figuresOfZip(connection, zip, on, log)),
      );
      if (read.revision === revision) {
        grids.set(key, { grid: read.grid });
        references.set(on, read.reference);
      }
      return read;
    },
    dayAheadMean: ({ revision, reference }) =>
      means(`${revision} ${reference.on}`, () =>
        database.asService((connection) => dayAheadMean(connection, reference.on, reference)),
      ),
  };
}

/** For each zip its grid alone: the figures of the whole country are the same for all of them. */
const keptOf = (revision: string) => ({
  revision,
  grids: new BoundedCache<{ grid: GridFigures | undefined }>(ZIPS_MAX),
  references: new BoundedCache<ReferenceSet>(DAYS_MAX),
});

/** Kept for seconds; those who ask together look together, or each round of them would fill the pool. */
function createReader<Value>(): (key: string, read: () => Promise<Value>) => Promise<Value> {
  const cache = createShortCache<Value>();
  const shared = createSharedRead<Value>();
  return (key, read) => cache(key, () => shared(key, read));
}
