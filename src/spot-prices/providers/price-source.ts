import { type ConfiguredSource, type SourceValues, settingsOf } from '../../config/price-sources.ts';
import type { Clock } from '../../platform/clock.ts';
import type { HttpClient } from '../../platform/http/client.ts';
import type { DeliveryDay, IntervalMinutes, Zone } from '../calendar.ts';
import type { ReadBody, WireAnswer } from '../series.ts';
import type { DaysAnswer, ReadExchange, SourceExchange } from './exchange.ts';
import { type FeedAnswer, requestFeed } from './request.ts';

/*
 * What a source of prices is. Each has one file with its descriptor; index.ts lists them, and everything that names a
 * source, from its variables to its licence, follows from there.
 */

/** What a source is asked with. */
export interface SourceParts {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly config: SourceValues & { readonly PRICES_CONTACT?: string | undefined };
  /** How long waiting really takes; tests hand in their own. */
  wait?(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** What every source has, whatever it is asked for. */
export interface Source<Name extends string = string> extends ConfiguredSource {
  /** As it is configured and stored, and in metrics. */
  readonly name: Name;
  /** Whom the page of licences names. */
  readonly title: string;
  /** The name inside a sentence, where the title is too long for one. */
  readonly shortTitle?: string;
  /** The zones that it has, each with its code there. */
  readonly zones: Readonly<Partial<Record<Zone, string>>>;
  readonly limits: {
    /** Size of a body after inflating; what is larger is rejected. */
    readonly bodyBytesMax: number;
    /** From the first byte sent to the last one received. */
    readonly answerMilliseconds: number;
    /** After a 429 it is left alone for at least so long, whatever the answer says. */
    readonly throttledMillisecondsMin?: number;
  };
}

export function hasZone({ zones }: Pick<Source, 'zones'>, zone: Zone): boolean {
  return Object.hasOwn(zones, zone);
}

export function sentenceName({ title, shortTitle = title }: Pick<Source, 'title' | 'shortTitle'>): string {
  return shortTitle;
}

/** The delivery days that a source is asked for. */
export interface DaysQuestion {
  readonly zone: Zone;
  /** Ascending, all of the zone. */
  readonly days: readonly DeliveryDay[];
  readonly signal?: AbortSignal | undefined;
}

/** A source of realized prices: they are stored and may be served. */
export interface PriceSource<Name extends string = string> extends Source<Name> {
  /** Who measured: two sources of one origin cannot confirm each other. */
  readonly origin: string;
  /** The first delivery day of which it can have prices. */
  readonly firstDay: DeliveryDay;
  readonly pace: {
    /** Days that one request may ask for; more take more than one. */
    readonly daysMax: number;
    /** From the begin of a request to that of the next one. */
    readonly milliseconds: number;
  };
  /** Whether a request that asks for the one day may not ask for the next one as well. */
  readonly endsRequest?: (day: DeliveryDay, next: DeliveryDay) => boolean;
  /** Path of a small answer in JSON that anybody may ask for: the demo looks there whether the source can be reached. */
  readonly probe?: string;
  /** Bytes of one body and what was asked for in, values out: no clock, no network. */
  readonly read: ReadBody;
  readonly ask: (parts: SourceParts, question: DaysQuestion) => Promise<DaysAnswer>;
}

/** A source of hourly means: they confirm prices, and are stored nowhere. */
export interface MeansSource<Name extends string = string> extends Source<Name> {
  readonly origin: string;
  readonly read: ReadBody;
  readonly ask: (parts: SourceParts, deliveryOn: DeliveryDay, signal?: AbortSignal) => Promise<ReadExchange>;
}

/** Says that the market has published a day; none of its prices is read. */
export interface PublicationSource<Name extends string = string> extends Source<Name> {
  readonly ask: (
    parts: SourceParts,
    deliveryOn: DeliveryDay,
    signal?: AbortSignal,
  ) => Promise<SourceExchange>;
}

/** A real price in an answer of forecasts: it tells whether surcharges leaked in, and is stored nowhere. */
export interface MarketRow {
  readonly start: number;
  readonly minutes: IntervalMinutes;
  readonly eurMwh: string;
}

export type MarketRows =
  | { readonly status: 'read'; readonly rows: readonly MarketRow[]; readonly statesTotal: boolean }
  | Extract<WireAnswer, { status: 'failed' | 'rejected' }>;

export interface ForecastSource<Name extends string = string> extends Source<Name> {
  readonly read: ReadBody;
  readonly marketRows: (body: Uint8Array) => MarketRows;
  readonly ask: (parts: SourceParts, signal?: AbortSignal) => Promise<FeedAnswer>;
}

export const MEBIBYTE = 1024 * 1024;
export const ANSWER_MILLISECONDS = 30_000;

/** Nobody changes a descriptor while the service runs. */
export function frozen<FrozenSource extends Source>(source: FrozenSource): FrozenSource {
  for (const value of Object.values(source)) Object.freeze(value);
  return Object.freeze(source);
}

/** An address of the source with a path and parameters behind it. */
export function sourceUrl(
  base: string | undefined,
  path: string,
  parameters: Readonly<Record<string, string>> = {},
): URL {
  const url = new URL(`${base ?? ''}${path}`);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** One request to the source, within its limits; its token does not leave this process with anything that is kept. */
export async function askAddress(
  parts: SourceParts,
  source: Source,
  url: URL,
  signal: AbortSignal | undefined,
): Promise<FeedAnswer> {
  const { token } = settingsOf(parts.config, source);
  const { bodyBytesMax, answerMilliseconds } = source.limits;
  return await requestFeed(parts, {
    source: source.name,
    url,
    tokens: token === undefined ? [] : [token],
    bodyBytesMax,
    answerMilliseconds,
    ...(signal === undefined ? {} : { signal }),
  });
}
