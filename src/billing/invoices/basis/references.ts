import type { Connection } from '../../../platform/database/db.ts';
import { berlinDays, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { GridFigures } from '../../../tariffs/reference-data/figures.ts';
import type { ReferenceSet } from '../../../tariffs/reference-data/reference-set.ts';
import {
  forgetReferenceRevisions,
  gridFigures,
  MissingReferenceError,
  referenceSet,
} from '../../../tariffs/reference-data/service.ts';
import type { BilledContract, BilledPeriod, ReferenceOf } from '../calculate/contract.ts';

/** A bill refuses rows that are carried forward by itself, so that nobody has to be warned. */
const NOBODY_TOLD = null;

/** What was read, or what was missing: told when somebody needs it. */
type Read<Value> = { readonly value: Value } | { readonly missing: MissingReferenceError };

/** The price lists that some bills need, read beforehand: the figures of a day are the same objects for all of them. */
export class References {
  readonly #national = new Map<CalendarDay, Read<ReferenceSet>>();
  readonly #grids = new Map<string, Read<GridFigures | undefined>>();

  constructor() {
    forgetReferenceRevisions();
  }

  /** Reads what is not known yet of the days of a period and of the day on which a plant began. */
  async read(connection: Connection, contract: BilledContract, period: BilledPeriod): Promise<ReferenceOf> {
    const { zip, plant } = contract;
    const days = berlinDays(period.from, period.until).map(({ day }) => day);
    const commissionedOn = plant?.plant_commissioned_on ?? null;
    for (const day of commissionedOn === null ? days : [...days, commissionedOn]) {
      if (!this.#national.has(day)) {
        this.#national.set(day, await tried(() => referenceSet(connection, day, NOBODY_TOLD)));
      }
    }
    if (zip !== null && contract.type === 'consumption') {
      for (const day of days) {
        const key = `${zip} ${day}`;
        if (this.#grids.has(key)) continue;
        this.#grids.set(key, await tried(() => gridFigures(connection, zip, day, NOBODY_TOLD)));
      }
    }
    return (day) => ({
      reference: known(this.#national.get(day), day),
      grid: zip === null || plant !== null ? undefined : known(this.#grids.get(`${zip} ${day}`), day),
    });
  }
}

async function tried<Value>(read: () => Promise<Value>): Promise<Read<Value>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof MissingReferenceError) return { missing: error };
    throw error;
  }
}

function known<Value>(read: Read<Value> | undefined, day: CalendarDay): Value {
  if (read === undefined) throw new RangeError(`The price lists of ${day} were not read`);
  if ('missing' in read) throw read.missing;
  return read.value;
}
