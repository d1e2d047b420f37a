import type { DeliveryDay, IntervalMinutes, Zone } from './calendar.ts';

/** The price of one interval. */
export interface PricePoint {
  /** UTC start of the interval, milliseconds since 1970. */
  readonly start: number;
  /** EUR/MWh as a plain decimal text: no exponent, no trailing zeros, no minus zero. */
  readonly eurMwh: string;
}

/** Content of one body about one delivery day, after the rules that the body alone can decide. */
export interface DayReading {
  readonly deliveryOn: DeliveryDay;
  /** Width of the points; differs from the day's own only where a feed of forecasts is hourly. */
  readonly minutes: IntervalMinutes;
  /** Accepted: on the day's grid, ascending, each start once. */
  readonly points: readonly PricePoint[];
  /** Sentences that name what was refused for this day: another width, another unit, contradicting values. */
  readonly refused: readonly string[];
}

/** What was asked for; without `days` it is every day in the body. */
export interface WireRequest {
  readonly zone: Zone;
  readonly days: readonly DeliveryDay[] | null;
}

/** Result of reading one body: bytes in, values out, no clock, no network. */
export type WireAnswer =
  | {
      readonly status: 'read';
      /** One entry per asked day, or per day in the body, ascending; a day without any value has no points. */
      readonly days: readonly DayReading[];
      /** Sentences about refused parts that belong to no asked day. */
      readonly refused: readonly string[];
      /** SHA-256, hexadecimal, of the content without what changes from answer to answer. */
      readonly contentHash: string;
      /** What the source says about the time of making, as it stands: information only. */
      readonly sourceStamp: string | null;
      /** Licence text that came with the body. */
      readonly licence: string | null;
    }
  /** The source says that there is nothing yet. */
  | { readonly status: 'not_published'; readonly detail: string }
  /** Not what the source sends when it is well: truncated, malformed, HTML, empty. Worth another try. */
  | { readonly status: 'failed'; readonly reason: string }
  /** Well-formed and wrong: unit, currency, zone, shape, duplicates. Another try gives the same. */
  | { readonly status: 'rejected'; readonly reason: string };

/** Reads one body of a feed. */
export type ReadBody = (body: Uint8Array, request: WireRequest) => WireAnswer;
