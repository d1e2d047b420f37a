import { InvalidArgumentError } from 'commander';
import { REALIZED_SOURCES } from '../../spot-prices/providers/index.ts';
import { confirmSuspect } from '../../spot-prices/pull/confirm-suspect.ts';
import { type PullReport, pullDay } from '../../spot-prices/pull/pull.ts';
import {
  type ChosenDay,
  preferSource,
  releaseDay,
  resolveAlarm,
} from '../../spot-prices/store/operator-choice.ts';
import { wasUnreached } from '../../spot-prices/upkeep/gaps.ts';
import { command } from '../command.ts';
import { ACT, choice, flag, JSON_OBJECT, needed, option } from '../fields.ts';
import { commandIo, endWith } from '../io.ts';
import { fields } from '../output.ts';
import { backfillCommand } from './backfill.ts';
import { evaluateCommand } from './evaluate.ts';
import { meanCommand } from './mean.ts';
import { importCommand, parseCommand } from './parse.ts';
import {
  assertSpan,
  DATE,
  EXAMPLE_SOURCE,
  PRICE_EXITS,
  realizedSource,
  withPriceSession,
} from './price-options.ts';
import { replayCommand } from './replay.ts';
import { statusCommand } from './status.ts';

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
      assertSpan(date, date, parts.clock.nowMilliseconds());
      const signal = commandIo().interruption();
      const task = { deliveryOn: date, ...(source !== undefined && { sources: [source] }), ...given, signal };
      const pulled = await pullDay(parts, task);
      const report = source === undefined ? await confirmSuspect(parts, pulled, signal) : pulled;
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
    work: async ({ parts, act }, { date }) => chosen(await releaseDay(parts, date, act)),
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
