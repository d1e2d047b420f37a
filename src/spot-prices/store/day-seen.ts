import type { DeliveryDay, Zone } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import type { RealizedSource } from '../providers/index.ts';

export type ServingParts = Pick<PriceParts, 'clock' | 'log' | 'metrics' | 'config'>;

export interface DaySeen {
  readonly zone: Zone;
  readonly deliveryOn: DeliveryDay;
  /** When a source told what it has; null where nothing new was told. */
  readonly seenAt: number | null;
  /** The source that has just given values: it is compared with the others. */
  readonly source?: RealizedSource;
  /** Whether it gave any value that was not there before. */
  readonly hasNewValues?: boolean;
  /** Sources with whose values another origin agrees: they need no longer be suspected. */
  readonly confirmed?: readonly string[];
  /** The next day's look found the values of `source` as they were: zeros that stay are prices. */
  readonly isUnchangedNextDay?: boolean;
  readonly fetchId?: number | null;
}
