import { type DeliveryDay, gridOf, minutesOf } from '../calendar.ts';
import type { DayReading, PricePoint, ReadBody, WireAnswer, WireRequest } from '../series.ts';
import type { FeedAnswer } from './request.ts';

/** What became of one attempt. */
export type FetchOutcome =
  | 'published'
  | 'partial'
  | 'not_published'
  | 'transient_failure'
  | 'throttled'
  | 'denied'
  | 'rejected';

/** One request and what its body says, before anything of it is stored. */
export interface SourceExchange {
  /** Address without token, or the name of a file. */
  readonly url: string;
  readonly requestedAt: number;
  readonly capturedAt: number;
  readonly httpStatus: number | null;
  readonly contentType: string | null;
  readonly body: Uint8Array | null;
  readonly contentHash: string | null;
  readonly outcome: FetchOutcome;
  readonly detail: string | null;
  readonly licence: string | null;
  readonly sourceStamp: string | null;
  readonly intervalCount: number;
  readonly retryAfterSeconds?: number | undefined;
  /** The days it was about, where these are not all that were asked for. */
  readonly days?: readonly DeliveryDay[];
}

/** What one source says about one day. */
export interface DayAnswer {
  readonly deliveryOn: DeliveryDay;
  readonly outcome: 'published' | 'partial' | 'not_published' | 'rejected';
  readonly points: readonly PricePoint[];
  readonly refused: readonly string[];
  /** Which of the exchanges brought it. */
  readonly exchange: number;
}

/** The answer of a source to one question, with all its exchanges. */
export interface DaysAnswer {
  readonly exchanges: readonly SourceExchange[];
  /** Null where the last exchange failed: then nothing is known about any day. */
  readonly days: readonly DayAnswer[] | null;
}

export interface ReadExchange {
  readonly exchange: SourceExchange;
  /** Null where the exchange brought no readable body. */
  readonly days: readonly DayReading[] | null;
}

type Reading = Extract<WireAnswer, { status: 'read' }>;

/** A body of thousands of wrong days is described by its first ones. */
const SENTENCES_MAX = 20;

/** Holds an answer against the wire file of its feed. */
export function readExchange(answer: FeedAnswer, read: ReadBody, request: WireRequest): ReadExchange {
  const made = madeOf(answer);
  if (answer.status !== 'answered') return { exchange: failedExchange(answer), days: null };
  if (answer.httpStatus === 204) return notPublished(made, 'Status 204', request.days ?? []);
  return readBody(made, answer.body, read, request);
}

type MadeRequest = Pick<
  SourceExchange,
  'url' | 'requestedAt' | 'capturedAt' | 'httpStatus' | 'contentType' | 'body'
>;

export function madeOf(answer: FeedAnswer): MadeRequest {
  return {
    url: answer.maskedUrl,
    requestedAt: answer.requestedAt,
    capturedAt: answer.capturedAt,
    httpStatus: answer.httpStatus,
    contentType: answer.contentType,
    body: answer.body ?? null,
  };
}

const NOTHING_READ = { contentHash: null, licence: null, sourceStamp: null, intervalCount: 0 };

export function failedExchange(answer: Exclude<FeedAnswer, { status: 'answered' }>): SourceExchange {
  return {
    ...madeOf(answer),
    ...NOTHING_READ,
    outcome: answer.status,
    detail: answer.reason,
    retryAfterSeconds: answer.retryAfterSeconds,
  };
}

/** A good answer without any value: each asked day is not published. */
export function notPublished(made: MadeRequest, detail: string, days: readonly DeliveryDay[]): ReadExchange {
  return {
    exchange: { ...made, ...NOTHING_READ, ...aboutDays(days), outcome: 'not_published', detail },
    days: days.map((deliveryOn) => ({
      deliveryOn,
      minutes: minutesOf(deliveryOn),
      points: [],
      refused: [],
    })),
  };
}

/** The steps of a body, however it came here. */
export function readBody(
  made: MadeRequest,
  body: Uint8Array,
  read: ReadBody,
  request: WireRequest,
): ReadExchange {
  const wire = read(body, request);
  if (wire.status === 'not_published') return notPublished(made, wire.detail, request.days ?? []);
  if (wire.status !== 'read') {
    const outcome = wire.status === 'failed' ? 'transient_failure' : 'rejected';
    const exchange = {
      ...made,
      ...NOTHING_READ,
      ...aboutDays(request.days),
      outcome,
      detail: wire.reason,
    } as const;
    return { exchange, days: null };
  }
  return {
    exchange: {
      ...made,
      ...aboutDays(request.days),
      contentHash: wire.contentHash,
      licence: wire.licence,
      sourceStamp: wire.sourceStamp,
      outcome: outcomeOf(wire),
      detail: sentences(wire),
      intervalCount: wire.days.reduce((sum, day) => sum + day.points.length, 0),
    },
    days: wire.days,
  };
}

/** The steps of a body from a file: its name stands for the address, and no file is larger than an answer may be. */
export function readFileBody(
  { body, name }: { readonly body: Uint8Array; readonly name: string },
  now: number,
  source: { readonly read: ReadBody; readonly limits: { readonly bodyBytesMax: number } },
  request: WireRequest,
): ReadExchange {
  const made = { url: name, requestedAt: now, capturedAt: now, httpStatus: null, contentType: null, body };
  const { bodyBytesMax } = source.limits;
  if (body.byteLength <= bodyBytesMax) return readBody(made, body, source.read, request);
  const detail = `The body has ${body.byteLength} bytes, more than ${bodyBytesMax}`;
  return { exchange: { ...made, ...NOTHING_READ, body: null, outcome: 'rejected', detail }, days: null };
}

/** Null or none: nothing more is known than what was asked for altogether. */
function aboutDays(days: readonly DeliveryDay[] | null): Pick<SourceExchange, 'days'> {
  return days === null || days.length === 0 ? {} : { days };
}

/** Outcome of a body as a whole: published when each asked day is there with all its intervals. */
function outcomeOf(wire: Reading): FetchOutcome {
  const outcomes = wire.days.map((day) => dayOutcome(day));
  if (outcomes.length > 0 && outcomes.every((outcome) => outcome === 'published')) return 'published';
  if (outcomes.some((outcome) => outcome === 'published' || outcome === 'partial')) return 'partial';
  return outcomes.includes('rejected') ? 'rejected' : 'not_published';
}

function dayOutcome({ deliveryOn, minutes, points, refused }: DayReading): DayAnswer['outcome'] {
  if (points.length === gridOf(deliveryOn, minutes).count) return 'published';
  if (points.length > 0) return 'partial';
  return refused.length > 0 ? 'rejected' : 'not_published';
}

function sentences(wire: Reading): string | null {
  const all = [...wire.refused, ...wire.days.flatMap((day) => day.refused)];
  return all.length === 0 ? null : all.slice(0, SENTENCES_MAX).join(' ');
}

export function dayAnswer(reading: DayReading, exchange: number): DayAnswer {
  const { deliveryOn, points, refused } = reading;
  return { deliveryOn, outcome: dayOutcome(reading), points, refused, exchange };
}

/**
 * The days of several bodies of one source as one answer. Equal values of an interval collapse; different ones refuse
 * their day.
 */
export function unite(days: readonly DeliveryDay[], parts: readonly ReadExchange[]): DaysAnswer {
  const exchanges = parts.map((part) => part.exchange);
  return { exchanges, days: days.map((deliveryOn) => uniteDay(deliveryOn, parts)) };
}

function uniteDay(deliveryOn: DeliveryDay, parts: readonly ReadExchange[]): DayAnswer {
  const points = new Map<number, PricePoint>();
  const refused: string[] = [];
  let exchange = 0;
  let contradicted = false;
  parts.forEach((part, index) => {
    for (const day of part.days ?? []) {
      if (day.deliveryOn !== deliveryOn) continue;
      refused.push(...day.refused);
      if (day.points.length > 0 || (points.size === 0 && day.refused.length > 0)) exchange = index;
      for (const point of day.points) {
        const known = points.get(point.start);
        if (known !== undefined && known.eurMwh !== point.eurMwh) contradicted = true;
        points.set(point.start, point);
      }
    }
  });
  if (contradicted) refused.push(`${deliveryOn}: two bodies give different values for one interval.`);
  const accepted = contradicted ? [] : [...points.values()].sort((a, b) => a.start - b.start);
  return dayAnswer({ deliveryOn, minutes: minutesOf(deliveryOn), points: accepted, refused }, exchange);
}

/** The outcome of asking as a whole, for a source that failed; null where days can be judged. */
export function failureOf(answer: DaysAnswer): SourceExchange | null {
  return answer.days === null ? (answer.exchanges.at(-1) ?? null) : null;
}
