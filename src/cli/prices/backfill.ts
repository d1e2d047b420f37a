import { Command } from 'commander';
import { tokenVariable } from '../../config/price-sources.ts';
import { addDays, type DeliveryDay } from '../../spot-prices/calendar.ts';
import type { PriceParts } from '../../spot-prices/parts.ts';
import { type RealizedSource, sources } from '../../spot-prices/providers/index.ts';
import type { PriceSource } from '../../spot-prices/providers/price-source.ts';
import { type BackfillReport, backfill } from '../../spot-prices/pull/backfill.ts';
import {
  type BackfillProgress,
  type BackfillTask,
  planBackfill,
} from '../../spot-prices/pull/backfill-plan.ts';
import { configuredSources } from '../../spot-prices/store/sources.ts';
import { commandIo, endWith } from '../io.ts';
import { printLine, printTable } from '../output.ts';
import { progressLine } from '../progress-line.ts';
import { assertSpan, deliveryDay, PRICE_EXITS, realizedSource } from './days.ts';
import { withPriceSession } from './session.ts';

interface BackfillOptions {
  from: DeliveryDay;
  to: DeliveryDay;
  source?: RealizedSource;
  recheck?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const EXITS = `
Stopped and repeated it goes on where it was; what is complete is not asked for again.
Exit codes: 0 all days complete, 1 some are missing (they are listed), 2 not understood, 3 no source could be reached.`;

export function backfillCommand(): Command {
  return new Command('backfill')
    .description('fills a span of delivery days from the sources, at a pace that they bear')
    .requiredOption('--from <day>', 'first delivery day, YYYY-MM-DD', deliveryDay)
    .requiredOption('--to <day>', 'last delivery day, included', deliveryDay)
    .option(
      '--source <name>',
      'only this one, also where another one is complete; stored beside',
      realizedSource,
    )
    .option('--recheck', 'ask for complete days as well: corrections become revisions')
    .option('--dry-run', 'say what would be asked, and ask nobody')
    .option('--json', 'the table as one JSON object')
    .addHelpText('after', EXITS)
    .action((options: BackfillOptions, command: Command) =>
      withPriceSession(async ({ parts }) => {
        assertSpan(command, options.from, options.to, parts.clock.nowMilliseconds());
        assertAllowed(command, parts, options.source);
        const { from, to, source, recheck } = options;
        const task: BackfillTask = {
          from,
          to,
          ...(source === undefined ? {} : { source }),
          ...(recheck === undefined ? {} : { recheck }),
        };
        if (options.dryRun === true) await plan(parts, task, options);
        else await fill(parts, task, options);
      }),
    );
}

function assertAllowed(command: Command, parts: PriceParts, source: RealizedSource | undefined): void {
  if (source === undefined || configuredSources(parts.config).includes(source)) return;
  const described: PriceSource = sources[source];
  const reason =
    described.token === undefined
      ? 'PRICES_SOURCES leaves it out'
      : `it needs ${tokenVariable(described)} and a place in PRICES_SOURCES`;
  command.error(`error: ${source} is not configured: ${reason}`);
}

async function plan(parts: PriceParts, task: BackfillTask, options: BackfillOptions): Promise<void> {
  const planned = await planBackfill(parts, task);
  const seconds = planned.chunks.reduce(
    (sum, chunk) => sum + sources[chunk.source].pace.milliseconds / 1000,
    0,
  );
  if (options.json === true) {
    const requests = planned.chunks.map(({ source, days }) => ({ source, from: days[0], to: days.at(-1) }));
    printLine(
      JSON.stringify(
        { ...span(task), days: planned.days, open: planned.open.length, seconds, requests },
        null,
        2,
      ),
    );
    return;
  }
  printLine(
    `${planned.open.length} of ${planned.days} days would be asked for, in at least ${Math.ceil(seconds)} s:`,
  );
  const rows = [...new Set(planned.chunks.map((chunk) => chunk.source))].map((source) => {
    const ofSource = planned.chunks.filter((chunk) => chunk.source === source);
    return {
      source,
      requests: ofSource.length,
      days: ofSource.reduce((sum, chunk) => sum + chunk.days.length, 0),
      from: ofSource[0]?.days[0],
      to: ofSource.at(-1)?.days.at(-1),
    };
  });
  printTable(rows, ['source', 'requests', 'days', 'from', 'to'], {});
}

async function fill(parts: PriceParts, task: BackfillTask, options: BackfillOptions): Promise<void> {
  const line = progressLine(commandIo().stderr);
  const startedAt = performance.now();
  const signal = commandIo().interruption();
  const report = await backfill(parts, {
    ...task,
    signal,
    onProgress: (progress) => line.show(progressText(progress)),
  });
  line.end();
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const cost: BackfillCost = {
    seconds,
    memory_mebibytes_max: Math.round(process.resourceUsage().maxRSS / 1024),
  };
  if (options.json === true) printLine(JSON.stringify(shown(report, cost), null, 2));
  else table(report, cost);
  endWith(exitOf(report));
}

const BAR_CELLS = 24;

function progressText(progress: BackfillProgress): { live: string; plain: string } {
  const { source, from, to, outcome, intervals, daysDone, daysAsked, note } = progress;
  const share = daysAsked === 0 ? 1 : daysDone / daysAsked;
  const full = Math.floor(share * BAR_CELLS);
  const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)}`;
  const what = `${source} ${from} to ${to}: ${outcome.replaceAll('_', ' ')}${note === undefined ? '' : ` (${note})`}`;
  return {
    live: `${bar} ${daysDone}/${daysAsked} days  ${what}`,
    plain: `${daysDone}/${daysAsked} days  ${what}, ${intervals} intervals`,
  };
}

/** What the run took, the process as a whole. */
interface BackfillCost {
  seconds: number;
  memory_mebibytes_max: number;
}

function span({ from, to }: Pick<BackfillTask, 'from' | 'to'>) {
  return { from, to };
}

function shown(report: BackfillReport, cost: BackfillCost) {
  const { days, completeBefore, missing, sources, changed, unreachable, stopped } = report;
  const complete = days - missing.length;
  const counts = { days, complete_before: completeBefore, complete, changed };
  return { ...span(report), ...counts, missing, sources, unreachable, stopped, ...cost };
}

function table(report: BackfillReport, cost: BackfillCost): void {
  if (report.sources.length > 0) {
    printTable(
      report.sources.map((source) => ({ ...source })),
      ['source', 'requests', 'failures', 'days', 'intervals'],
      {},
    );
  }
  const complete = report.days - report.missing.length;
  printLine(
    `${complete} of ${report.days} days complete (${report.completeBefore} before), ${report.changed} changed, ${cost.seconds} s, ${cost.memory_mebibytes_max} MiB`,
  );
  if (report.missing.length > 0) printLine(`missing: ${spansOf(report.missing).join(', ')}`);
  if (report.stopped) printLine('Stopped before the end; the same command goes on from here.');
  if (report.unreachable) printLine('No source could be reached.');
}

/** Neighbouring days as one span each. */
function spansOf(days: readonly DeliveryDay[]): string[] {
  const spans: { from: DeliveryDay; to: DeliveryDay }[] = [];
  for (const day of days) {
    const last = spans.at(-1);
    if (last !== undefined && addDays(last.to, 1) === day) last.to = day;
    else spans.push({ from: day, to: day });
  }
  return spans.map(({ from, to }) => (from === to ? from : `${from} to ${to}`));
}

function exitOf(report: BackfillReport): number {
  if (report.unreachable) return PRICE_EXITS.unreachable;
  return report.missing.length > 0 || report.stopped ? PRICE_EXITS.missing : PRICE_EXITS.complete;
}
