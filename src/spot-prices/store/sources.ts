import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { isEnabled, settingsOf } from '../../config/price-sources.ts';
import type { PriceConfig } from '../../config/prices.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { DeliveryDay, Zone } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import type { FetchOutcome } from '../providers/exchange.ts';
import { REALIZED_SOURCES, type RealizedSource, type SourceName, sources } from '../providers/index.ts';
import { endOldRejections, raiseAlarm, resolveAlarms } from './alarms.ts';
import { instantText } from './fetch-records.ts';

/* Which feeds may be asked, in which order, and how they did. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A refused token stays refused until somebody changes it. */
const DENIED_PAUSE = 6 * HOUR;
const THROTTLED_PAUSE_MAX = HOUR;
/** Where a source says nothing about it. */
const THROTTLED_PAUSE = 10 * MINUTE;
const FAILED_JOBS_MAX = 5;
const FAILED_PAUSE = 15 * MINUTE;
const UNUSABLE_AFTER = 60 * MINUTE;

/** Those that may be asked at all, in the configured order: one that needs a token only with it. */
export function configuredSources(config: PriceConfig): RealizedSource[] {
  return config.PRICES_SOURCES.filter((name) => isEnabled(config, sources[name]));
}

/** The configured order, then the feeds left out of it: their stored values are still there. */
export function sourceOrder(config: PriceConfig): RealizedSource[] {
  const order = [...config.PRICES_SOURCES];
  return [...order, ...REALIZED_SOURCES.filter((source) => !order.includes(source))];
}

/** Address and token of a feed: when these change, a refusal no longer counts. */
function configurationHash(config: PriceConfig, name: SourceName): Buffer {
  const source = sources[name];
  const { addresses, token } = settingsOf(config, source);
  return createHash('sha256')
    .update(JSON.stringify([name, ...addresses, ...(source.token === undefined ? [] : [token])]))
    .digest();
}

export interface Pause {
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly reason: string;
}

/** Until when a feed must be left alone; null: it may be asked. */
export async function findPause(
  connection: Connection,
  parts: Pick<PriceParts, 'clock' | 'config'>,
  source: SourceName,
): Promise<Pause | null> {
  const { rows } = await sql<{ until: number; reason: string | null }>`
    SELECT (extract(epoch FROM paused_until) * 1000)::bigint AS until, pause_reason AS reason
      FROM price_sources
     WHERE source = ${source}
       AND paused_until > ${parts.clock.now().toISOString()}
       AND (configuration_hash IS NULL
            OR configuration_hash = ${configurationHash(parts.config, source)})`.execute(connection);
  const [row] = rows;
  return row === undefined ? null : { until: row.until, reason: row.reason ?? '' };
}

/** A usable answer about these days, also one that says "not yet": it ends every count of failures. */
export async function recordSuccess(
  connection: Connection,
  parts: Pick<PriceParts, 'clock' | 'log'>,
  source: SourceName,
  days: readonly DeliveryDay[],
): Promise<void> {
  const now = parts.clock.now().toISOString();
  await sql`
    INSERT INTO price_sources (source, last_success_at) VALUES (${source}, ${now})
    ON CONFLICT (source) DO UPDATE
      SET failed_jobs = 0, failing_since = NULL, paused_until = NULL, pause_reason = NULL,
          configuration_hash = NULL, last_success_at = excluded.last_success_at`.execute(connection);
  await resolveAlarms(connection, parts, { kind: 'denied', source });
  await endOldRejections(connection, parts, source, days);
  if (isRealized(source)) await resolveAlarms(connection, parts, { kind: 'unusable' });
}

export interface FailedAttempt {
  readonly zone: Zone;
  readonly source: SourceName;
  readonly outcome: FetchOutcome;
  readonly detail: string;
  readonly fetchId: number | null;
  readonly retryAfterSeconds?: number | undefined;
}

/** One attempt without a usable answer. */
export async function recordFailure(
  connection: Connection,
  parts: Pick<PriceParts, 'clock' | 'log' | 'metrics' | 'config'>,
  failed: FailedAttempt,
): Promise<void> {
  const { source, outcome } = failed;
  const now = parts.clock.nowMilliseconds();
  const pause = pauseAfter(failed);
  const hash = outcome === 'denied' ? configurationHash(parts.config, source) : null;
  await sql`
    INSERT INTO price_sources (source, failing_since, last_failure_at, paused_until, pause_reason, configuration_hash)
    VALUES (${source}, ${instantText(now)}, ${instantText(now)},
            ${pause === null ? null : instantText(now + pause)}, ${pause === null ? null : outcome}, ${hash})
    ON CONFLICT (source) DO UPDATE
      SET failing_since = coalesce(price_sources.failing_since, excluded.failing_since),
          last_failure_at = excluded.last_failure_at,
          paused_until = coalesce(excluded.paused_until, price_sources.paused_until),
          pause_reason = CASE WHEN excluded.paused_until IS NULL THEN price_sources.pause_reason
                              ELSE excluded.pause_reason END,
          configuration_hash = CASE WHEN excluded.paused_until IS NULL THEN price_sources.configuration_hash
                                    ELSE excluded.configuration_hash END`.execute(connection);
  if (outcome !== 'denied') return;
  const detail = `${source} refuses access: ${failed.detail}`;
  await raiseAlarm(connection, parts, { kind: 'denied', ...failed, detail });
}

function pauseAfter({ source, outcome, retryAfterSeconds }: FailedAttempt): number | null {
  if (outcome === 'denied') return DENIED_PAUSE;
  if (outcome !== 'throttled') return null;
  const pause = retryAfterSeconds === undefined ? THROTTLED_PAUSE : retryAfterSeconds * 1000;
  const least = sources[source].limits.throttledMillisecondsMin ?? 0;
  return Math.max(least, Math.min(pause, THROTTLED_PAUSE_MAX));
}

/** A job whose retries were used up in vain; after five in a row the feed is left alone for a while. */
export async function recordFailedJob(
  connection: Connection,
  parts: Pick<PriceParts, 'clock'>,
  source: SourceName,
): Promise<void> {
  const until = instantText(parts.clock.nowMilliseconds() + FAILED_PAUSE);
  await sql`
    UPDATE price_sources
       SET failed_jobs = failed_jobs + 1,
           paused_until = CASE WHEN failed_jobs + 1 >= ${FAILED_JOBS_MAX} THEN ${until}::timestamptz ELSE paused_until END,
           pause_reason = CASE WHEN failed_jobs + 1 >= ${FAILED_JOBS_MAX} THEN 'failed jobs' ELSE pause_reason END,
           configuration_hash = CASE WHEN failed_jobs + 1 >= ${FAILED_JOBS_MAX} THEN NULL ELSE configuration_hash END
     WHERE source = ${source}`.execute(connection);
}

/** Alarm when for an hour no configured feed has given a usable answer. */
export async function checkUsable(
  connection: Connection,
  parts: Pick<PriceParts, 'clock' | 'log' | 'metrics' | 'config'>,
  zone: Zone,
): Promise<void> {
  const sources = configuredSources(parts.config);
  const { rows } = await sql<{ failing: number; since: number | null }>`
    SELECT count(*)::int AS failing, (extract(epoch FROM max(failing_since)) * 1000)::bigint AS since
      FROM price_sources
     WHERE source = ANY (${sources}::text[]) AND failing_since IS NOT NULL`.execute(connection);
  const [row] = rows;
  if (row === undefined || row.since === null || row.failing < sources.length) return;
  if (parts.clock.nowMilliseconds() - row.since < UNUSABLE_AFTER) return;
  const detail = `No source of prices has been usable since ${instantText(row.since)}`;
  await raiseAlarm(connection, parts, { kind: 'unusable', zone, detail });
}

function isRealized(source: SourceName): source is RealizedSource {
  return (REALIZED_SOURCES as readonly string[]).includes(source);
}

export interface SourceStanding {
  source: SourceName;
  failed_jobs: number;
  failing_since: string | null;
  paused_until: string | null;
  pause_reason: string | null;
  last_success_at: string | null;
  last_failure_at: string | null;
}

export async function listSources(connection: Connection): Promise<SourceStanding[]> {
  const { rows } = await sql<SourceStanding>`
    SELECT source, failed_jobs, failing_since, paused_until, pause_reason, last_success_at, last_failure_at
      FROM price_sources ORDER BY source`.execute(connection);
  return rows;
}
