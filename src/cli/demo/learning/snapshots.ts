import { DateTime } from 'luxon';
import { JsonText } from '../../../platform/body/json-text.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/db.ts';
import { FairQueue } from '../../../platform/fair-queue.ts';
import type { Logger } from '../../../platform/log/logger.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { createKnownAssets } from '../../../telemetry/snapshots/known-assets.ts';
import { type SnapshotStore, storeSnapshots } from '../../../telemetry/snapshots/service.ts';
import { createSnapshotWriter } from '../../../telemetry/snapshots/writer.ts';
import { BATCH_ROWS_MAX, composeBatch } from '../../simulation/batch.ts';
import { SimulatedHousehold } from '../../simulation/household.ts';
import {
  LEARNING_HOUSEHOLDS,
  LEARNING_ORGANIZATION,
  LEARNING_SPAN,
  LEARNING_STEP_SECONDS,
  type LearningHousehold,
} from './households.ts';

export interface SentSnapshots {
  sent: number;
  stored: number;
  /** Rows that were there already with equal values. */
  duplicates: number;
}

/** A gateway was not sure of its answer, and sent one day again. */
const SENT_TWICE = {
  household: 1,
  from: DateTime.fromISO('2026-10-15T00:00:00Z').toSeconds(),
  until: DateTime.fromISO('2026-10-16T00:00:00Z').toSeconds(),
};

const WRITER = {
  INGEST_GROUP_ROWS_MAX: BATCH_ROWS_MAX,
  INGEST_GROUPS_MAX: 1,
  INGEST_SMALL_GROUPS_MAX: 1,
  INGEST_GROUP_COMMIT: true,
};

/** Sends what the gateways measured by the rules of the interface, as it would have been taken when the days were over. */
export async function sendLearningSnapshots(
  parts: SendingParts,
  onSent: (total: SentSnapshots) => void,
): Promise<SentSnapshots> {
  const store = openStore(parts);
  const total: SentSnapshots = { sent: 0, stored: 0, duplicates: 0 };
  const send = async (body: string) => {
    const json = new JsonText(Buffer.from(body));
    const answer = await storeSnapshots(store, {
      principal: { organization: LEARNING_ORGANIZATION.id },
      caller: { path: [LEARNING_ORGANIZATION.id], weight: 1 },
      takeJson: () => json,
      signal: new AbortController().signal,
    });
    total.sent += answer.total;
    total.stored += answer.stored;
    total.duplicates += answer.duplicates;
    onSent(total);
  };
  for (const household of LEARNING_HOUSEHOLDS) {
    for (const body of bodiesOf(household, LEARNING_SPAN.begins, LEARNING_SPAN.ends)) await send(body);
    if (household.number !== SENT_TWICE.household) continue;
    for (const body of bodiesOf(household, SENT_TWICE.from, SENT_TWICE.until)) await send(body);
  }
  await store.writer.drain();
  return total;
}

/** By `clock` the writer knows what comes late: all of it. */
interface SendingParts {
  database: Database;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
}

function openStore(parts: SendingParts): SnapshotStore {
  const endMilliseconds = LEARNING_SPAN.ends * 1000;
  const queue = new FairQueue({ metrics: parts.metrics });
  return {
    clock: { nowMilliseconds: () => endMilliseconds, now: () => new Date(endMilliseconds) },
    queue,
    retentionMonths: 0,
    knownAssets: createKnownAssets({
      database: parts.database,
      watch: { subscribe: () => () => {}, isSure: () => false },
      entriesMax: LEARNING_HOUSEHOLDS.length,
      reads: { inc: () => {} },
    }),
    writer: createSnapshotWriter({ ...parts, queue, config: WRITER }),
    parsedBatches: { inc: () => {} },
  };
}

/** What the gateway of a household sends of a span, in batches that the interface takes. */
function* bodiesOf(household: LearningHousehold, from: number, until: number): Generator<string> {
  const { id, chargesFromHours } = household;
  const assets = household.assets.filter((asset) => asset.isSilent !== true);
  const simulated = new SimulatedHousehold(
    id,
    assets,
    chargesFromHours === undefined ? {} : { chargesFromHours },
  );
  const instantsMax = Math.floor(BATCH_ROWS_MAX / assets.length);
  let instants: number[] = [];
  for (const instant of instantsOf(household, from, until)) {
    instants.push(instant);
    if (instants.length < instantsMax) continue;
    yield composeBatch(simulated, instants);
    instants = [];
  }
  if (instants.length > 0) yield composeBatch(simulated, instants);
}

function* instantsOf({ delaySeconds, silent }: LearningHousehold, from: number, until: number) {
  for (let instant = from + delaySeconds; instant < until; instant += LEARNING_STEP_SECONDS) {
    if (silent === undefined || instant < silent.from || instant >= silent.until) yield instant;
  }
}
