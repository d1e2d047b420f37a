import { Command } from 'commander';
import type { DeliveryDay } from '../../spot-prices/calendar.ts';
import type { RealizedSource } from '../../spot-prices/providers/index.ts';
import { confirmSuspect } from '../../spot-prices/pull/confirm-suspect.ts';
import { type PullReport, pullDay } from '../../spot-prices/pull/pull.ts';
import { wasUnreached } from '../../spot-prices/upkeep/gaps.ts';
import { commandIo, endWith } from '../io.ts';
import { printObject } from '../output.ts';
import { assertSpan, deliveryDay, PRICE_EXITS, realizedSource } from './days.ts';
import { withPriceSession } from './session.ts';

interface PullOptions {
  date: DeliveryDay;
  source?: RealizedSource;
  recheck?: boolean;
  json?: boolean;
}

const EXITS = `
Exit codes: 0 the day is complete, 1 it is not, 2 not understood, 3 no source could be reached.`;

export function pullCommand(): Command {
  return new Command('pull')
    .description('one pull of one delivery day, now, as the worker does it')
    .requiredOption('--date <day>', 'delivery day, YYYY-MM-DD', deliveryDay)
    .option('--source <name>', 'only this one', realizedSource)
    .option('--recheck', 'ask every source, although the day is complete')
    .option('--json', 'as one JSON object')
    .addHelpText('after', EXITS)
    .action((options: PullOptions, command: Command) =>
      withPriceSession(async ({ parts }) => {
        const { date, source, recheck } = options;
        assertSpan(command, date, date, parts.clock.nowMilliseconds());
        const signal = commandIo().interruption();
        const pulled = await pullDay(parts, {
          deliveryOn: date,
          ...(source === undefined ? {} : { sources: [source] }),
          ...(recheck === undefined ? {} : { recheck }),
          signal,
        });
        const report = source === undefined ? await confirmSuspect(parts, pulled, signal) : pulled;
        printObject(shown(report, options), options);
        endWith(exitOf(report));
      }),
    );
}

function shown(report: PullReport, { json }: PullOptions) {
  const { deliveryOn, outcome, servedSource, attempts, changed } = report;
  return {
    delivery_on: deliveryOn,
    outcome,
    served_source: servedSource,
    changed,
    attempts:
      json === true
        ? attempts
        : attempts.map((attempt) => `${attempt.source}: ${attempt.outcome}, ${attempt.intervals} intervals;`),
  };
}

function exitOf(report: PullReport): number {
  if (report.outcome === 'complete' || report.outcome === 'already_complete') return PRICE_EXITS.complete;
  return wasUnreached(report) ? PRICE_EXITS.unreachable : PRICE_EXITS.missing;
}
