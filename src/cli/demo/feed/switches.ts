import { DateTime } from 'luxon';
import { z } from 'zod';
import { isDate } from './days.ts';

/** Sources whose form the feed has. */
export const FEED_SOURCES = ['entsoe', 'smard', 'energy-charts', 'awattar', 'energyforecast'] as const;
export type FeedSource = (typeof FEED_SOURCES)[number];

const day = z.string().refine(isDate, 'must be a day, YYYY-MM-DD');
const start = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:00)?Z$/, 'must be the UTC start of an interval, YYYY-MM-DDTHH:MMZ');
const amount = z.union([
  z.number(),
  z.string().regex(/^-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/, 'must be a number'),
]);
const revision = z.strictObject({
  /** UTC start. */
  interval: start,
  /** EUR/MWh; a text is printed as it stands. */
  value: amount,
});

const parts = {
  // When it publishes.
  delay_minutes: z.number(),
  /** Delivery days that never appear. */
  absent_days: z.array(day),
  // What goes wrong on the way.
  status: z.literal([401, 403, 404, 429, 500, 503]),
  /** Seconds; with `status`. Without it there is no such header. */
  retry_after: z.int().min(0),
  html_200: z.boolean(),
  reset: z.boolean(),
  /** Between the first half of the body and the second one. */
  slow_seconds: z.number().min(0),
  /** How many bytes of the body are sent; a negative number leaves out that many at the end. */
  truncate_bytes: z.int(),
  empty: z.boolean(),
  /** Blanks behind the body, up to so many bytes; `true` is more than any limit of ours. */
  oversize: z.union([z.boolean(), z.int().min(1).max(200_000_000)]),
  /** Answers 302 to this address. */
  redirect: z.string(),
  /** What goes wrong goes wrong so many times, then no more. */
  times: z.int().min(0),
  // What stands in the body.
  curve: z.enum(['A01', 'A03']),
  /** `7:0`, or a whole namespace name. */
  namespace: z.string(),
  namespace_prefix: z.string().regex(/^[a-z][a-z0-9]*$/),
  only_seq2: z.boolean(),
  /** Only these days have the sequence that counts. */
  seq1_days: z.array(day),
  drop: z.array(start),
  /** `true`, or days and intervals. */
  zeros: z.union([z.boolean(), z.array(z.union([day, start]))]),
  quarters_flat: z.union([z.boolean(), z.array(day)]),
  unit: z.string(),
  currency: z.string(),
  revision: z.union([revision, z.array(revision)]),
  /** Another document number and time of making at every request. */
  fresh_mrid: z.boolean(),
  naive_times: z.boolean(),
  /** `price` and `true`: in every price; `total`: in the total only. */
  surcharge: z.union([z.boolean(), z.enum(['price', 'total'])]),
  /** 404 for everything that asks for more than one day. */
  range_404: z.boolean(),
  /** Horizon of the forecast. */
  hours: z.int().min(1).max(240),
};

const sourceSwitches = z.strictObject(parts).partial();
export type SourceSwitches = z.infer<typeof sourceSwitches>;

/** Switches that mean something to some sources only. */
const ONLY_FOR: Partial<Record<keyof SourceSwitches, readonly FeedSource[]>> = {
  curve: ['entsoe'],
  namespace: ['entsoe'],
  namespace_prefix: ['entsoe'],
  only_seq2: ['entsoe'],
  seq1_days: ['entsoe'],
  currency: ['entsoe'],
  unit: ['entsoe', 'energy-charts', 'awattar'],
  fresh_mrid: ['entsoe', 'smard'],
  naive_times: ['energyforecast'],
  surcharge: ['energyforecast'],
  hours: ['energyforecast'],
  range_404: ['energy-charts'],
};

/** ISO 8601 with an offset, or milliseconds since 1970; null is the clock of this machine. */
const now = z.union([
  z.string().refine((text) => instantOf(text) !== undefined, 'must be an instant with its offset'),
  z.int(),
  z.null(),
]);

/** Milliseconds since 1970. */
export function instantOf(text: string): number | undefined {
  const instant = DateTime.fromISO(text);
  return instant.isValid && /T[\d:.,]*(Z|[+-]\d\d:?\d\d)$/.test(text) ? instant.toMillis() : undefined;
}

function switchesFor(source: FeedSource) {
  return sourceSwitches.superRefine((given, context) => {
    for (const name of Object.keys(given) as (keyof SourceSwitches)[]) {
      if (ONLY_FOR[name]?.includes(source) === false) {
        context.addIssue({ code: 'custom', path: [name], message: `means nothing to ${source}` });
      }
    }
  });
}

/** What `PUT /_feed` takes. A source that is named gets exactly these switches, another one keeps its own. */
export const feedChange = z
  .strictObject({
    now,
    entsoe: switchesFor('entsoe'),
    smard: switchesFor('smard'),
    'energy-charts': switchesFor('energy-charts'),
    awattar: switchesFor('awattar'),
    energyforecast: switchesFor('energyforecast'),
  })
  .partial();

export type FeedSwitches = { [Source in FeedSource]?: SourceSwitches | undefined };

/** The clock of a feed: null is that of this machine, a function tells milliseconds since 1970. */
export type FeedClock = string | number | null | (() => number);

export interface FeedState extends FeedSwitches {
  now?: FeedClock | undefined;
}

/** One sentence for each thing that is wrong. */
export function sentencesOf(error: z.ZodError): string[] {
  return error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
}
