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
import { command } from '../engine/command.ts';
import { flag, option } from '../engine/fields.ts';
import { commandIo, endWith } from '../engine/io.ts';
import { type Part, table } from '../engine/output.ts';
import { notUnderstood } from '../engine/program.ts';
import { progressLine } from '../engine/progress-line.ts';
import { assertSpan, PRICE_EXITS, realizedSource, SPAN, withPriceSession } from './price-options.ts';

const EXITS = `Stopped and repeated it goes on where it was; what is complete is not asked for again.
Exit codes: 0 all days complete, 1 some are missing (they are listed), 2 not understood, 3 no source could be reached.`;

export const backfillCommand = command({
  words: 'fills a span of delivery days from the sources, at a pace that they bear',
  examples: ['--from 2026-10-01 --to 2026-11-01', '--from 2026-10-01 --to 2026-11-01 --dry-run --json'],
  notes: EXITS,
  options: {
    ...SPAN,
    source: option(
      '<name>',
      'only this one, also where another one is complete; stored beside',
      realizedSource,
    ),
    recheck: flag('ask for complete days as well: corrections become revisions'),
    dry_run: flag('say what would be asked, and ask nobody'),
    json: flag('the table as one JSON object'),
  },
  session: withPriceSession,
  work: async ({ parts }, { dry_run, ...task }) => {
    assertSpan(task.from, task.to, parts.clock.nowMilliseconds());
    assertAllowed(parts, task.source);
    return dry_run === true ? await plan(parts, task) : await fill(parts, task);
  },
  json: ({ value }) => value,
  print: ({ shown }) => shown,
});

function assertAllowed(parts: PriceParts, source: RealizedSource | undefined): void {
  if (source === undefined || configuredSources(parts.config).includes(source)) return;
  const described: PriceSource = sources[source];
  const reason =
    described.token === undefined
      ? 'PRICES_SOURCES leaves it out'
      : `it needs ${tokenVariable(described)} and a place in PRICES_SOURCES`;
  notUnderstood(`${source} is not configured: ${reason}`);
}

/** What is told: as JSON, and to people. */
interface BackfillOutput {
  readonly value: object;
  readonly shown: readonly Part[];
}

async function plan(parts: PriceParts, task: BackfillTask): Promise<BackfillOutput> {
  const planned = await planBackfill(parts, task);
  const seconds = planned.chunks.reduce(
    (sum, chunk) => sum + sources[chunk.source].pace.milliseconds / 1000,
    0,
  );
  const requests = planned.chunks.map(({ source, days }) => ({
    source,
    from: days[0],
    to: behind(days.at(-1)),
  }));
  const open = planned.open.length;
  const rows = [...new Set(planned.chunks.map((chunk) => chunk.source))].map((source) => {
    const ofSource = planned.chunks.filter((chunk) => chunk.source === source);
    return {
      source,
      requests: ofSource.length,
      days: ofSource.reduce((sum, chunk) => sum + chunk.days.length, 0),
      from: ofSource[0]?.days[0],
      to: behind(ofSource.at(-1)?.days.at(-1)),
    };
  });
  return {
    value: { ...span(task), days: planned.days, open, seconds, requests },
    shown: [
      `${open} of ${planned.days} days would be asked for, in at least ${Math.ceil(seconds)} s:`,
      table(rows, ['source', 'requests', 'days', 'from', 'to']),
    ],
  };
}

async function fill(parts: PriceParts, task: BackfillTask): Promise<BackfillOutput> {
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
  endWith(exitOf(report));
  return { value: countsOf(report, cost), shown: partsOf(report, cost) };
}

const BAR_CELLS = 24;

function progressText(progress: BackfillProgress): { live: string; plain: string } {
  const { source, from, to, outcome, intervals, daysDone, daysRequested, note } = progress;
  const share = daysRequested === 0 ? 1 : daysDone / daysRequested;
  const full = Math.floor(share * BAR_CELLS);
  const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)}`;
  const what = `${source} ${from} until ${to}: ${outcome.replaceAll('_', ' ')}${note === undefined ? '' : ` (${note})`}`;
  return {
    live: `${bar} ${daysDone}/${daysRequested} days  ${what}`,
    plain: `${daysDone}/${daysRequested} days  ${what}, ${intervals} intervals`,
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

function countsOf(report: BackfillReport, cost: BackfillCost) {
  const { days, completeBefore, missing, sources, changed, unreachable, stopped } = report;
  const complete = days - missing.length;
  const counts = { days, complete_before: completeBefore, complete, changed };
  return { ...span(report), ...counts, missing, sources, unreachable, stopped, ...cost };
}

function partsOf(report: BackfillReport, cost: BackfillCost): Part[] {
  const { days, completeBefore, missing, changed, stopped, unreachable } = report;
  const columns = ['source', 'requests', 'failures', 'days', 'intervals'] as const;
  return [
    ...(report.sources.length === 0 ? [] : [table(report.sources, columns)]),
    `${days - missing.length} of ${days} days complete (${completeBefore} before), ${changed} changed, ${cost.seconds} s, ${cost.memory_mebibytes_max} MiB`,
    ...(missing.length === 0 ? [] : [`missing: ${spansOf(missing).join(', ')}`]),
    ...(stopped ? ['Stopped before the end; the same command goes on from here.'] : []),
    ...(unreachable ? ['No source could be reached.'] : []),
  ];
}

/** The end of days whose last one this is. */
const behind = (day: DeliveryDay | undefined) => day && addDays(day, 1);

/** Neighbouring days as one span each; a single day stands alone. */
function spansOf(days: readonly DeliveryDay[]): string[] {
  const spans: { from: DeliveryDay; to: DeliveryDay }[] = [];
  for (const day of days) {
    const last = spans.at(-1);
    if (last?.to === day) last.to = addDays(day, 1);
    else spans.push({ from: day, to: addDays(day, 1) });
  }
  return spans.map(({ from, to }) => (addDays(from, 1) === to ? from : `${from} until ${to}`));
}

function exitOf(report: BackfillReport): number {
  if (report.unreachable) return PRICE_EXITS.unreachable;
  return report.missing.length > 0 || report.stopped ? PRICE_EXITS.missing : PRICE_EXITS.complete;
}
