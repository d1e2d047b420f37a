import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { FairQueue } from '../../platform/fair-queue.ts';
import { type JobResult, type JobRun, organizationOf } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { openSecrets } from '../endpoints/secret.ts';
import type { Receiver, WebhookRequests } from '../requests/send.ts';
import type { Lane } from './ask.ts';
import type { ServedEndpoint } from './endpoint-queries.ts';
import type { Attempt } from './health.ts';
import { instantText } from './instants.ts';
import { nextPortion, type Portion, type Turn } from './portion.ts';
import { type SentPortion, sendPortion } from './send-portion.ts';

/*
 * The way of a due delivery to its endpoint.
 *
 *   run of deliver-webhooks or retry-webhooks   one at a time for an endpoint: it takes the lease in the endpoint's row
 *        ↓ again and again                      nextPortion writes what came of the last requests and takes the next ones
 *   4 requests at once                          those not begun within a second are left for the next portion: a
 *                                               change of the endpoint or its secret waits no longer
 *        ↓ nothing is due, or the turn is over, or the endpoint belongs into the other lane
 *   the lease goes back, and a run is asked for at the next instant at which something is due
 *
 * Turns are short, so that an endpoint with 100,000 deliveries waiting delays another one by seconds.
 *
 * A worker that is killed leaves its lease and its run behind. The engine begins the same run again after a minute, and
 * that one goes on at once, because the lease is in its name; for any other run the lease ends after 90 seconds. The sweep
 * finds what is overdue all the same. What was sent and not written down is sent again, under the same id.
 */

const TURN_MILLISECONDS = 3_000;
const LISTENER_PAUSE_MILLISECONDS = 500;
/** Numbers of runs are positive, those of listeners negative. */
const MAX_HOLDER = 2 ** 47;

export interface DeliveryParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly config: { readonly ENCRYPTION_KEY: string };
  readonly webhooks: WebhookRequests;
  /** Runs are many and connections to the database few. */
  readonly queue: FairQueue;
}

type DeliveryRun = Pick<
  JobRun<{ endpoint: string }>,
  'id' | 'payload' | 'organization' | 'signal' | 'closing' | 'log'
>;

export const serveHealthy = (parts: DeliveryParts, run: DeliveryRun) => serveEndpoint(parts, run, 'healthy');
export const serveFailing = (parts: DeliveryParts, run: DeliveryRun) => serveEndpoint(parts, run, 'failing');

async function serveEndpoint(parts: DeliveryParts, run: DeliveryRun, lane: Lane): Promise<JobResult> {
  const organization = organizationOf(run);
  const { endpoint } = run.payload;
  const turn: Turn = { organization, endpoint, holder: run.id, lane, leaseAt: null, url: null };
  const begunAt = performance.now();
  const isTimeLeft = () =>
    performance.now() - begunAt < TURN_MILLISECONDS && !run.closing.aborted && !run.signal.aborted;
  const tally = new Tally(parts.metrics);
  let sent: SentPortion = { attempts: [] };
  for (;;) {
    const { attempts, error } = sent;
    const portion = await parts.queue.inTurn({ path: [organization], weight: 1 }, () =>
      nextPortion(parts, turn, attempts, error === undefined && isTimeLeft()),
    );
    tally.add(portion);
    tellNotice(run.log, turn, portion);
    if (error !== undefined) throw error;
    if (portion.isOver) return tally.counts;
    sent = portion.due.length === 0 ? { attempts: [] } : await send(parts, portion, run.signal);
  }
}

function send(parts: DeliveryParts, portion: Portion, signal: AbortSignal): Promise<SentPortion> {
  const { endpoint, now, due, atOnceMax } = portion;
  if (endpoint === null || endpoint.url === null) throw new TypeError('A listener is served by its command');
  const secrets = openSecrets(parts.config.ENCRYPTION_KEY, endpoint, instantText(now));
  return sendPortion(parts, { due, atOnceMax, receiver: { url: endpoint.url, secrets } }, signal);
}

function tellNotice(log: Logger, { organization, endpoint }: Turn, { notice }: Portion): void {
  if (notice !== null) log.warn({ organization, endpoint, notice }, 'webhook endpoint does not work');
}

/** What became of deliveries, for the row of the run and for metrics. */
class Tally {
  readonly counts = { delivered: 0, retried: 0, failed: 0, cancelled: 0 };
  readonly #counter: ReturnType<typeof deliveryCounter>;

  constructor(metrics: Metrics) {
    this.#counter = deliveryCounter(metrics);
  }

  add({ marked, cancelled }: Portion): void {
    for (const { state } of marked) this.#count(state === 'pending' ? 'retried' : state, 1);
    this.#count('cancelled', cancelled);
  }

  #count(outcome: keyof Tally['counts'], count: number): void {
    if (count === 0) return;
    this.counts[outcome] += count;
    this.#counter.inc({ outcome }, count);
  }
}

export function deliveryCounter(metrics: Metrics) {
  const outcomes = ['delivered', 'retried', 'failed', 'cancelled'].map((outcome) => ({ outcome }));
  const help = 'Deliveries of events by what became of them';
  return metrics.counter('webhook_deliveries_total', help, ['outcome'], outcomes);
}

interface ListenerParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly webhooks: WebhookRequests;
}

interface Listener {
  readonly organization: string;
  readonly endpoint: string;
  /** Where the developer wants them; signed with a secret of the developer's own. */
  readonly receiver: Receiver;
}

/** For `cli listen`: sends what is due until the signal ends it or nothing may be sent. Returns the listener as it was then. */
export async function serveListener(
  parts: ListenerParts,
  listener: Listener,
  signal: AbortSignal,
): Promise<ServedEndpoint | null> {
  const { organization, endpoint, receiver } = listener;
  const holder = -randomInt(1, MAX_HOLDER);
  const turn: Turn = { organization, endpoint, holder, lane: null, leaseAt: null, url: null };
  let attempts: readonly Attempt[] = [];
  for (;;) {
    const portion = await nextPortion(parts, turn, attempts, !signal.aborted);
    if (portion.isOver) return portion.endpoint;
    const sent = await sendPortion(parts, { ...portion, receiver }, signal);
    if (sent.error !== undefined) throw sent.error;
    attempts = sent.attempts;
    if (portion.due.length === 0)
      await wait(LISTENER_PAUSE_MILLISECONDS, undefined, { signal }).catch(() => {});
  }
}
