import { InvalidArgumentError } from 'commander';
import { feedAddresses, type PriceConfig, syntheticFeeds } from '../../config/prices.ts';
import { addDays, berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { REALIZED_SOURCES } from '../../spot-prices/providers/index.ts';
import { compareDisputed, confirmSuspect } from '../../spot-prices/pull/cross-check.ts';
import { type PullReport, pullDay } from '../../spot-prices/pull/pull.ts';
import {
  type ChosenDay,
  preferSource,
  releaseDay,
  resolveAlarm,
} from '../../spot-prices/store/operator-choice.ts';
import { wasUnreached } from '../../spot-prices/upkeep/gaps.ts';
import { replay } from '../../spot-prices/upkeep/replay.ts';
import { type ExplainedMean, explainDayAheadMean } from '../../tariffs/day-ahead-means/explain.ts';
import { referenceSet } from '../../tariffs/reference-data/service.ts';
import { command } from '../engine/command.ts';
import { ACT, choice, flag, JSON_OBJECT, needed, option } from '../engine/fields.ts';
import { commandIo, endWith } from '../engine/io.ts';
import { fields, type Part, printLine, table } from '../engine/output.ts';
import { progressLine } from '../engine/progress-line.ts';
import { backfillCommand } from './backfill.ts';
import { evaluateCommand } from './evaluate.ts';
import { importCommand, parseCommand } from './parse.ts';
import {
  assertSpan,
  DATE,
  deliveryDay,
  EXAMPLE_SOURCE,
  PRICE_EXITS,
  realizedSource,
  SPAN,
  withPriceSession,
} from './price-options.ts';
import { statusCommand } from './status.ts';

const meanCommand = command({
  words: 'what the mean price of the last twelve months is made of, which quotes calculate with',
  examples: ['', '--date 2026-11-01 --json'],
  options: { date: option('<day>', 'price date; today where absent', deliveryDay), ...JSON_OBJECT },
  session: withPriceSession,
  work: ({ parts: { database, clock, log } }, { date = berlinDayAt(clock.nowMilliseconds()) }) =>
    database.asService(async (connection) =>
      explainDayAheadMean(connection, date, await referenceSet(connection, date, log)),
    ),
  print: meanParts,
});

/** A year of missing days would hide what is above them; `--json` has all of them. */
const MISSING_SHOWN_MAX = 40;

function meanParts(mean: ExplainedMean): Part[] {
  const { figure, window } = mean;
  const days = mean.missing_days.slice(0, MISSING_SHOWN_MAX);
  return [
    fields({
      'price date': mean.price_date,
      window: `${window.from} until ${window.until}`,
      'quarter hours': `${mean.priced_quarter_hours} of ${mean.quarter_hours} have a price, ${mean.coverage_percent} %`,
      prices: mean.is_no_market_mean ? `${mean.price_kind}: NO MARKET PRICES` : 'market',
      sources: mean.sources.map(({ source, days: of }) => `${source} (${of} days)`).join(', ') || 'none',
      resolution: `${mean.hourly_days} days of hours, ${mean.quarter_hour_days} days of quarter hours`,
      mean: mean.mean_ct_net === null ? null : `${mean.mean_ct_net} ct/kWh net`,
      kept: keptText(mean.kept),
    }),
    '\nMonths',
    table(mean.months, [
      'month',
      ['quarter hours', (row) => row.quarter_hours],
      'missing',
      ['ct/kWh', (row) => row.mean_ct_net],
    ]),
    `\nDays without all their prices: ${mean.missing_days.length}`,
    ...days.map((day) => `${day.delivery_on}  ${day.missing_quarter_hours} quarter hours`),
    ...(days.length < mean.missing_days.length ? ['and more: --json shows all of them'] : []),
    '\nQuotes of that day',
    fields({
      figure: figure === null ? 'none: they fail' : `${figure.value} ct/kWh net`,
      why: mean.why,
      table: figure?.origin.table,
      source: figure?.origin.source,
      valid:
        figure === null ? null : `from ${figure.origin.valid_from} until ${figure.origin.valid_to ?? 'open'}`,
    }),
  ];
}

function keptText(kept: ExplainedMean['kept']): string {
  if (kept === null) return 'not yet: the next quote computes it';
  const of = kept.is_current
    ? 'of the prices served now'
    : 'prices have changed since: the next quote computes it';
  return `${kept.mean_ct_net ?? 'no price'}, computed at ${kept.computed_at}, ${of}`;
}

const replayCommand = command({
  words: 'forecasts, freezes and pulls of past days with the clock set back; from the synthetic feed only',
  examples: ['--from 2026-11-01 --to 2026-11-08', '--from 2026-11-01 --to 2026-11-08 --json'],
  options: { ...SPAN, ...JSON_OBJECT },
  session: withPriceSession,
  work: async ({ parts, isJson }, { from, to }) => {
    assertSpan(from, to, parts.clock.nowMilliseconds());
    const feed = await syntheticFeedOf(parts.config);
    const line = progressLine(commandIo().stderr);
    try {
      const steps = await replay(parts, {
        ...{ from, to, signal: commandIo().interruption(), setFeed: feed.setClock },
        onStep: ({ at, act, result }) => {
          const text = `${at}  ${act}  ${JSON.stringify(result)}`;
          line.show({ live: text, plain: text });
        },
      });
      line.end();
      printLine(isJson ? JSON.stringify({ from, to, steps }) : `${steps} steps replayed`);
    } finally {
      await feed.restoreClock();
    }
  },
});

interface FeedShown {
  synthetic?: boolean;
  now: string;
  clock: string;
}

/** Refuses unless every configured address is the one synthetic feed: capture times of anything else would be invented. */
async function syntheticFeedOf(config: PriceConfig) {
  const names = Object.keys(feedAddresses(config));
  const synthetic = syntheticFeeds(config);
  const real = names.filter((name) => !synthetic.includes(name));
  if (real.length > 0) {
    throw new Error(
      `Refused: ${real.join(', ')} is not the synthetic feed, and capture times would be invented`,
    );
  }
  const origins = [
    ...new Set(
      Object.values(feedAddresses(config))
        .flat()
        .map((url) => new URL(url).origin),
    ),
  ];
  const [origin] = origins;
  const shown = origins.length === 1 ? await control(`${origin}/_feed`, {}).catch(() => null) : null;
  if (shown?.synthetic !== true)
    throw new Error(`Refused: no synthetic feed answers at ${origins.join(', ')}`);
  const setClock = async (now: string | null) => {
    await control(`${origin}/_feed`, { method: 'PUT', body: JSON.stringify({ now }) });
  };
  return { setClock, restoreClock: () => setClock(shown.clock === 'set' ? shown.now : null) };
}

async function control(url: string, request: RequestInit): Promise<FeedShown> {
  const response = await fetch(url, { ...request, signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return (await response.json()) as FeedShown;
}

const EXITS =
  'Exit codes: 0 the day is complete, 1 it is not, 2 not understood, 3 no source could be reached.';

export const commands = {
  status: statusCommand,
  mean: meanCommand,
  pull: command({
    words: 'one pull of one delivery day, now, as the worker does it',
    examples: ['--date 2026-11-27', '--date 2026-11-27 --recheck --json'],
    notes: EXITS,
    options: {
      date: needed(DATE),
      source: option('<name>', 'only this one', realizedSource),
      recheck: flag('ask every source, although the day is complete'),
      ...JSON_OBJECT,
    },
    session: withPriceSession,
    work: async ({ parts }, { date, source, ...given }) => {
      assertSpan(date, addDays(date, 1), parts.clock.nowMilliseconds());
      const signal = commandIo().interruption();
      const task = { deliveryOn: date, ...(source !== undefined && { sources: [source] }), ...given, signal };
      const pulled = await pullDay(parts, task);
      const report = source === undefined ? await confirmSuspect(parts, pulled, signal) : pulled;
      if (report.changed) await compareDisputed(parts, [date], signal);
      endWith(exitOf(report));
      const { deliveryOn: delivery_on, outcome, servedSource: served_source, changed, attempts } = report;
      return { delivery_on, outcome, served_source, changed, attempts };
    },
    print: ({ attempts, ...report }) => [
      fields({
        ...report,
        attempts: attempts.map(
          ({ source, outcome, intervals }) => `${source}: ${outcome}, ${intervals} intervals;`,
        ),
      }),
    ],
  }),
  backfill: backfillCommand,
  import: importCommand,
  parse: parseCommand,
  prefer: command({
    words: 'serves the prices of this source for one delivery day, whatever the others say',
    examples: [
      `--date 2026-11-20 --source ${EXAMPLE_SOURCE} --reason 'the others lack an hour'`,
      `--date 2026-11-20 --source ${EXAMPLE_SOURCE} --reason 'corrected prices' --json`,
    ],
    options: {
      ...ACT,
      date: needed(DATE),
      ...JSON_OBJECT,
      source: needed(choice('<source>', 'whose prices', REALIZED_SOURCES)),
    },
    session: withPriceSession,
    work: async ({ parts, act }, { date: deliveryOn, source }) =>
      chosen(await preferSource(parts, { deliveryOn, source }, act)),
  }),
  release: command({
    words: 'serves a day that is held back because its prices look like none',
    examples: ["--date 2026-11-20 --reason 'a storm'", "--date 2026-11-20 --reason 'a storm' --json"],
    options: { ...ACT, date: needed(DATE), ...JSON_OBJECT },
    session: withPriceSession,
    work: async ({ parts, act }, { date }) => {
      const released = await releaseDay(parts, date, act);
      if (released.changed) await compareDisputed(parts, [date], commandIo().interruption());
      return chosen(released);
    },
  }),
  resolve: command({
    words: 'ends an alarm by hand, where its cause is over and nothing else can tell',
    examples: ["--alarm 12 --reason 'the source is up'", "--alarm 12 --reason 'the source is up' --json"],
    options: {
      ...ACT,
      alarm: needed(option('<id>', 'its number in prices status', alarmId)),
      ...JSON_OBJECT,
    },
    session: withPriceSession,
    work: async ({ parts, act }, { alarm }) => {
      const { kind, source, delivery_on } = await resolveAlarm(parts, alarm, act);
      return { alarm, kind, source, delivery_on };
    },
  }),
  evaluate: evaluateCommand,
  replay: replayCommand,
};

function alarmId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A whole number like 12.');
}

function chosen({ deliveryOn, servedSource, state, version, changed }: ChosenDay) {
  return { delivery_on: deliveryOn, served_source: servedSource, state, version, changed };
}

function exitOf(report: PullReport): number {
  if (report.outcome === 'complete' || report.outcome === 'already_complete') return PRICE_EXITS.complete;
  return wasUnreached(report) ? PRICE_EXITS.unreachable : PRICE_EXITS.missing;
}
