import { readPriceConfig } from '../../../src/config/prices.ts';
import { setForecasts } from '../../../src/identity/organizations/service.ts';
import { openHttpClient } from '../../../src/platform/http/client.ts';
import { captureForecast } from '../../../src/spot-prices/forecast/capture-forecast.ts';
import { type PriceParts, pullChunk } from '../../../src/spot-prices/pull/pull.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { Answer, ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createTenant } from '../../setup/factories.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';

export interface PriceBody {
  object: string;
  type: string;
  period: { start: string; end: string };
  currency: string;
  unit: string;
  resolution: string;
  missing: string[];
  items: { timestamp: string; amount: number }[];
}

/** The service beside a feed of invented prices that lives by the same clock. */
export interface PriceApi {
  api: TestApi;
  clock: FakeClock;
  parts: PriceParts;
  feed: Awaited<ReturnType<typeof takeFeed>>;
  /** Fetches and stores the delivery days from ENTSO-E's part of the feed. */
  pull(...days: string[]): Promise<void>;
  /** Asks for a forecast at that instant, and goes on by the clock from there. */
  captureAt(instant: string): Promise<void>;
  /** A client of a new organization, with or without forecasts. */
  tenant(options?: { forecasts?: boolean; read_only?: boolean }): Promise<PriceClient>;
  close(): Promise<void>;
}

export interface PriceClient {
  organization: string;
  token: string;
  client: ApiClient;
  prices(query?: string, headers?: Record<string, string>): Promise<Answer<PriceBody>>;
}

/** To be called at the top of a test file, like the feed that it takes. */
export async function takePriceApi(
  instant: string,
  environment: Record<string, string> = {},
  { referenceData = false } = {},
): Promise<PriceApi> {
  const clock = fakeClock(instant);
  const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
  const variables = feedConfig(feed);
  const api = await startApi({ clock, environment: { ...variables, ...environment }, referenceData });
  const http = openHttpClient();
  const { database, log, metrics } = api.deps;
  const parts: PriceParts = { database, clock, log, metrics, config: readPriceConfig(variables), http };
  return {
    api,
    clock,
    parts,
    feed,
    pull: async (...days) => {
      const reports = await pullChunk(parts, { source: 'entsoe', days: days.toSorted(), recheck: true });
      const failed = reports.filter(({ outcome }) => outcome === 'failed' || outcome === 'busy');
      if (failed.length > 0) throw new Error(JSON.stringify(failed));
    },
    captureAt: async (at) => {
      clock.set(at);
      const captured = await captureForecast(parts);
      if (typeof captured.captureId !== 'number') throw new Error(JSON.stringify(captured));
    },
    tenant: async ({ forecasts = false, ...input } = {}) => {
      const { organization, token } = await createTenant(api, input);
      const now = clock.now().toISOString();
      const act = { staff: 'tests', reason: 'test', command: 'test', now };
      if (forecasts) await setForecasts(database, organization, true, act);
      const client = api.client(token);
      return {
        organization,
        token,
        client,
        prices: (query = '', headers = {}) => client.get<PriceBody>(`/spot-prices${query}`, { headers }),
      };
    },
    close: async () => {
      await http.close();
      await api.close();
      await feed.close();
    },
  };
}

/** Amounts as they were written, not as JavaScript reads them. */
export function writtenAmounts({ text }: Pick<Answer<unknown>, 'text'>): string[] {
  return [...text.matchAll(/"amount":([^}]+)}/g)].map(([, amount]) => amount ?? '');
}

/** `from` and every quarter of an hour after it, as the interface writes them. */
export function quarters(from: string, count: number): string[] {
  const start = Date.parse(from);
  return Array.from(
    { length: count },
    (_, index) => `${new Date(start + index * 15 * 60_000).toISOString().slice(0, 19)}Z`,
  );
}
