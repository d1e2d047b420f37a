import { Command } from 'commander';
import { addDays, type DeliveryDay, deliveryDayAt } from '../../spot-prices/calendar.ts';
import {
  type DayDetail,
  type DayStatus,
  dayDetail,
  type PriceStatus,
  priceStatus,
} from '../../spot-prices/upkeep/status.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { withSession } from '../session.ts';
import { deliveryDay } from './days.ts';

interface StatusOptions {
  date?: DeliveryDay;
  from?: DeliveryDay;
  to?: DeliveryDay;
  json?: boolean;
}

const DAYS_BACK = 13;

export function statusCommand(): Command {
  return new Command('status')
    .description(
      'delivery days: complete, partial, missing or suspect, from which source; open alarms; paused sources',
    )
    .option(
      '--date <day>',
      'one day with its sources, the attempts that asked for it, and its alarms',
      deliveryDay,
    )
    .option('--from <day>', 'first day of the table; two weeks up to tomorrow where absent', deliveryDay)
    .option('--to <day>', 'last day of the table', deliveryDay)
    .option('--json', 'as one JSON object')
    .action((options: StatusOptions, command: Command) =>
      withSession(async ({ database, clock }) => {
        if (options.date !== undefined) {
          const detail = await dayDetail(database, options.date);
          if (options.json === true) printJson(detail);
          else printDetail(detail);
          return;
        }
        const today = deliveryDayAt(clock.nowMilliseconds());
        const to = options.to ?? addDays(today, 1);
        const from = options.from ?? [addDays(today, -DAYS_BACK), to].sort()[0] ?? to;
        if (to < from) command.error(`error: --to ${to} lies before --from ${from}`);
        const status = await priceStatus(database, from, to);
        if (options.json === true) printJson(status);
        else printStatus(status, clock.nowMilliseconds());
      }),
    );
}

const DAY_COLUMNS = ['day', 'state', 'source', 'intervals', 'revisions', 'published after', 'published by'];

/** To the second: the wire's milliseconds are noise in a table. */
const short = (instant: string | null) => (instant === null ? null : `${instant.slice(0, 19)}Z`);

function dayRow(day: DayStatus) {
  return {
    day: day.delivery_on,
    state: day.state,
    source: day.source,
    intervals: `${day.intervals}/${day.expected}`,
    revisions: day.revisions,
    'published after': short(day.incomplete_until),
    'published by': short(day.complete_since),
  };
}

function printStatus(status: PriceStatus, nowMilliseconds: number): void {
  printTable(status.days.map(dayRow), DAY_COLUMNS, {});
  printLine(`\nOpen alarms: ${status.alarms.length === 0 ? 'none' : status.alarms.length}`);
  if (status.alarms.length > 0) {
    printTable(
      status.alarms.map(({ id, kind, source, delivery_on, raised_at, detail }) => ({
        alarm: id,
        kind,
        source: source === '' ? null : source,
        day: delivery_on,
        since: short(raised_at),
        detail,
      })),
      ['alarm', 'kind', 'source', 'day', 'since', 'detail'],
      {},
    );
  }
  const now = new Date(nowMilliseconds).toISOString();
  const paused = status.sources.filter((source) => source.paused_until !== null && source.paused_until > now);
  for (const source of paused) {
    printLine(
      `Paused: ${source.source} until ${short(source.paused_until)} (${source.pause_reason ?? 'no reason kept'})`,
    );
  }
}

function printDetail(detail: DayDetail): void {
  printTable([dayRow(detail)], DAY_COLUMNS, {});
  const preferred =
    detail.preferred_source === null ? 'by the rule' : `${detail.preferred_source}, by an operator`;
  printLine(`zone ${detail.zone}, version ${detail.version}, choice ${preferred}`);
  printLine('\nSources');
  printTable(
    detail.sources.map(
      ({ source, state, interval_count, first_captured_at, last_captured_at, released_at }) => ({
        source,
        state,
        intervals: interval_count,
        first: short(first_captured_at),
        last: short(last_captured_at),
        released: short(released_at),
      }),
    ),
    ['source', 'state', 'intervals', 'first', 'last', 'released'],
    {},
  );
  printLine('\nVersions, newest first');
  printTable(
    detail.changes.map((change) => ({ ...change, changed_at: short(change.changed_at) })),
    ['version', 'served_source', 'changed_at'],
    {},
  );
  printLine('\nAttempts, newest first');
  printTable(
    detail.fetches.map((fetch) => ({
      ...fetch,
      captured_at: short(fetch.captured_at),
      payload: fetch.payload_hash?.slice(0, 12),
    })),
    ['captured_at', 'source', 'outcome', 'interval_count', 'http_status', 'body_bytes', 'payload', 'detail'],
    {},
  );
  printLine('\nAlarms');
  printTable(
    detail.alarms.map((alarm) => ({
      ...alarm,
      raised_at: short(alarm.raised_at),
      resolved_at: short(alarm.resolved_at),
    })),
    ['id', 'kind', 'source', 'raised_at', 'resolved_at', 'detail'],
    {},
  );
}
