import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../../../config/config.ts';
import { addressVariable, settingsOf } from '../../../config/price-sources.ts';
import { type PriceConfig, readPriceConfig, sourceVariables } from '../../../config/prices.ts';
import { openDatabase } from '../../../platform/database/db.ts';
import { openHttpClient } from '../../../platform/http/client.ts';
import { MARKET_SOURCES, syntheticSource } from '../../../spot-prices/providers/index.ts';
import type { PriceSource } from '../../../spot-prices/providers/price-source.ts';
import { findPriceKind } from '../../../spot-prices/upkeep/day-queries.ts';
import type { PriceKind } from '../../local/facts.ts';
import type { BeginProcess, ServiceProcess } from '../../local/processes.ts';

/** The variables PRICES_… of API, worker and command line. */
export type PriceEnvironment = Readonly<Record<string, string>>;

export interface PriceChoice {
  readonly kind: PriceKind;
  /** Why it is so, where that is not plain. */
  readonly note: string | null;
}

const PROBE_MILLISECONDS = 3_000;
const PROBE_BYTES_MAX = 256 * 1024;
const FEED_START_MILLISECONDS = 15_000;

/** Whether a real source answers now; silent about everything that goes wrong, and soon over. */
export async function answersRealSource(
  config: PriceConfig = readPriceConfig(),
  probeMilliseconds = PROBE_MILLISECONDS,
): Promise<boolean> {
  const http = openHttpClient();
  const signal = AbortSignal.timeout(probeMilliseconds);
  const asks = probeAddresses(config).map(async (address) => {
    const headers = { 'user-agent': 'voltstream-prices' };
    const probe = { pool: 'probe', url: new URL(address), headers, bodyBytesMax: PROBE_BYTES_MAX, signal };
    const { status, body } = await http.get(probe);
    /* Networks that ask for a sign-in answer everything with a page. */
    if (status !== 200 || Buffer.from(body).toString('utf8').trimStart()[0] !== '{')
      throw new Error('no feed');
    return true;
  });
  try {
    return await Promise.any(asks);
  } catch {
    return false;
  } finally {
    await http.close();
  }
}

/** A small answer of each source that has one for everybody. */
function probeAddresses(config: PriceConfig): string[] {
  return MARKET_SOURCES.flatMap((source: PriceSource) => {
    const { addresses } = settingsOf(config, source);
    return source.probe === undefined ? [] : [`${addresses[0]}${source.probe}`];
  });
}

/** What was asked for: `--prices`, or invented ones by the variable of the shell. */
export function priceWish(option: PriceKind | undefined, shell: Environment): PriceKind | undefined {
  if (shell.PRICES_SOURCES?.trim() !== syntheticSource.name) return option;
  if (option === 'real') {
    throw new Error('Not started: --prices real, while PRICES_SOURCES names invented ones (synthetic)');
  }
  return 'synthetic';
}

/**
 * Real and invented prices never meet in one database: what it holds decides, before any wish. In an empty one the wish
 * decides, then whether a real source answers.
 */
export async function choosePrices(options: {
  databaseUrl: string;
  wish: PriceKind | undefined;
  answers: Promise<boolean>;
}): Promise<PriceChoice> {
  const { wish } = options;
  const stored = await storedKind(options.databaseUrl);
  if (stored === 'local') {
    throw new Error(
      'Not started: this database holds prices of a feed on this machine under the names of real sources. To begin anew: npm run services -- reset',
    );
  }
  if (stored !== null && wish !== undefined && wish !== stored) {
    throw new Error(
      `Not started with ${wish} prices: this database holds ${stored} ones. To begin anew: npm run services -- reset`,
    );
  }
  if (stored === 'synthetic') {
    const note =
      'this database began with synthetic prices and keeps to them until: npm run services -- reset';
    return { kind: stored, note };
  }
  if (stored !== null) return { kind: stored, note: null };
  if (wish !== undefined) return { kind: wish, note: null };
  return (await options.answers)
    ? { kind: 'real', note: null }
    : { kind: 'synthetic', note: 'no real source of prices answered' };
}

/** Null: no prices yet. */
async function storedKind(databaseUrl: string): Promise<PriceKind | 'local' | null> {
  const database = openDatabase({
    url: databaseUrl,
    applicationName: 'voltstream-start',
    connectionsMax: 1,
    onError: () => {},
  });
  try {
    const kind = await database.asService(findPriceKind);
    return kind === 'market' ? 'real' : kind;
  } finally {
    await database.close();
  }
}

export interface SyntheticFeed {
  readonly url: string;
  readonly process: ServiceProcess;
}

/** At the address that an earlier one had, or at any free one. */
export function beginFeed(begin: BeginProcess, url = 'http://127.0.0.1:0'): ServiceProcess {
  return begin('Feed', 'src/cli/demo/feed.ts', {}, { parameters: ['--port', new URL(url).port] });
}

/** Starts the feed as a part of this start and waits for its address. */
export async function startSyntheticFeed(begin: BeginProcess): Promise<SyntheticFeed> {
  const feed = beginFeed(begin);
  const late = new AbortController();
  const timeout = wait(FEED_START_MILLISECONDS, null, { signal: late.signal }).catch(() => null);
  const url = await Promise.race([feed.listening, timeout]);
  late.abort();
  if (url === null) throw new Error(`The feed of synthetic prices did not start; its log: ${feed.logFile}`);
  return { url, process: feed };
}

/** The shell may give access to the sources by these variables. The addresses of sources are those of the descriptors. */
const PASSED_ON = [
  'PRICES_SOURCES',
  'PRICES_CONTACT',
  ...sourceVariables.filter(({ kind }) => kind !== 'address').map(({ name }) => name),
];

/** Prices come from the feed, or from the real sources with the access that the shell gives. */
export function priceEnvironment(feedUrl: string | null, shell: Environment): PriceEnvironment {
  const shown = { PRICES_PAGE_FORECASTS: 'true' };
  if (feedUrl === null) {
    const given = PASSED_ON.map((name) => [name, shell[name] ?? ''] as const).filter(
      ([, value]) => value !== '',
    );
    return { ...shown, ...Object.fromEntries(given) };
  }
  return {
    ...shown,
    PRICES_SOURCES: syntheticSource.name,
    [addressVariable(syntheticSource)]: `${feedUrl}/energy-charts`,
  };
}
