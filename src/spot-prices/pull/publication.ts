import { isEnabled } from '../../config/price-sources.ts';
import { asksSyntheticOnly } from '../../config/prices.ts';
import { type DeliveryDay, type Zone, zoneOf } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import type { SourceExchange } from '../providers/exchange.ts';
import { publicationSource } from '../providers/index.ts';
import { hasZone } from '../providers/price-source.ts';
import { raiseAlarm, resolveAlarms } from '../store/alarms.ts';
import { hasPublication } from '../store/fetch-records.ts';
import { findPause, recordFailedJob, recordFailure, recordSuccess } from '../store/sources.ts';
import { storeExchange } from '../store/store.ts';

const source = publicationSource.name;

/**
 * Notes when the exchange says that it has published the day, where the operator has switched that on. Evidence only: no
 * price comes from there, no pull waits for it, and a failure has no second try before the next line asks again. Null:
 * nobody was asked.
 */
export async function lookForPublication(
  parts: PriceParts,
  deliveryOn: DeliveryDay,
  signal?: AbortSignal,
): Promise<string | null> {
  const zone = zoneOf(deliveryOn);
  if (asksSyntheticOnly(parts.config) || !isEnabled(parts.config, publicationSource)) return null;
  if (!hasZone(publicationSource, zone)) return null;
  const isSettled = await parts.database.asService(
    async (connection) =>
      (await hasPublication(connection, zone, deliveryOn)) ||
      (await findPause(connection, parts, source)) !== null,
  );
  if (isSettled) return null;
  const exchange = await publicationSource.ask(parts, deliveryOn, signal);
  await storePublication(parts, zone, deliveryOn, exchange);
  return exchange.detail ?? exchange.outcome;
}

async function storePublication(
  parts: PriceParts,
  zone: Zone,
  deliveryOn: DeliveryDay,
  exchange: SourceExchange,
): Promise<void> {
  const { outcome, retryAfterSeconds } = exchange;
  await parts.database.asService(async (connection) => {
    const fetchId = await storeExchange(connection, parts, { zone, source, days: [deliveryOn] }, exchange);
    const about = { kind: 'rejected', zone, source, deliveryOn } as const;
    if (outcome === 'published' || outcome === 'not_published') {
      await recordSuccess(connection, parts, source, [deliveryOn]);
      await resolveAlarms(connection, parts, about);
      return;
    }
    const detail = exchange.detail ?? outcome;
    await recordFailure(connection, parts, { ...about, outcome, detail, fetchId, retryAfterSeconds });
    if (outcome === 'transient_failure') await recordFailedJob(connection, parts, source);
    if (outcome === 'rejected') {
      const sentence = `${deliveryOn}: the answer of ${source} is not accepted: ${detail}`;
      await raiseAlarm(connection, parts, { ...about, detail: sentence, fetchId });
    }
  });
}
