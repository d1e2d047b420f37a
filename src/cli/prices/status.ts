import { earlier } from '../../platform/time/berlin-calendar.ts';
import { addDays, deliveryDayAt } from '../../spot-prices/calendar.ts';
import {
  type DayDetail,
  type DayStatus,
  dayDetail,
  type PriceStatus,
  priceStatus,
} from '../../spot-prices/upkeep/status.ts';
import { command } from '../engine/command.ts';
import { JSON_OBJECT, option } from '../engine/fields.ts';
import { type Part, table } from '../engine/output.ts';
import { assertForward, deliveryDay, END_DAY } from './price-options.ts';

const DAYS_BACK = 13;

export const statusCommand = command({
  words:
    'delivery days: complete, partial, missing or suspect, from which source; open alarms; paused sources',
  examples: ['', '--date 2026-11-20 --json'],
  options: {
    date: option(
      '<day>',
      'one day with its sources, the attempts that asked for it, and its alarms',
      deliveryDay,
    ),
    from: option('<day>', 'first day of the table; two weeks up to tomorrow where absent', deliveryDay),
    to: option('<day>', END_DAY, deliveryDay),
    ...JSON_OBJECT,
  },
  work: async ({ database, clock }, { date, ...days }) => {
    if (date !== undefined) return await dayDetail(database, date);
    const today = deliveryDayAt(clock.nowMilliseconds());
    const to = days.to ?? addDays(today, 2);
    const from = days.from ?? earlier(addDays(today, -DAYS_BACK), addDays(to, -1));
    assertForward(from, to);
    return await priceStatus(database, from, to);
  },
  print: (found, _given, { clock }) =>
    'days' in found ? statusParts(found, clock.nowMilliseconds()) : detailParts(found),
});

/** To the second: the wire's milliseconds are noise in a table. */
const short = (instant: string | null) => (instant === null ? null : `${instant.slice(0, 19)}Z`);

function daysTable(days: readonly DayStatus[]): Part {
  return table(
    days,
    [
      ['day', (day) => day.delivery_on],
      ...(['state', 'source'] as const),
      ['intervals', (day) => `${day.intervals}/${day.expected}`],
      'revisions',
      ['published after', (day) => short(day.incomplete_until)],
      ['published by', (day) => short(day.complete_since)],
    ],
    ['published after', 'published by', 'revisions'],
  );
}

function statusParts(status: PriceStatus, nowMilliseconds: number): Part[] {
  const now = new Date(nowMilliseconds).toISOString();
  const paused = status.sources.filter((source) => source.paused_until !== null && source.paused_until > now);
  const alarms = table(status.alarms, [
    ['alarm', ({ id }) => id],
    'kind',
    ['source', ({ source }) => (source === '' ? null : source)],
    ['day', ({ delivery_on }) => delivery_on],
    ['since', ({ raised_at }) => short(raised_at)],
    'detail',
  ]);
  return [
    daysTable(status.days),
    `\nOpen alarms: ${status.alarms.length === 0 ? 'none' : status.alarms.length}`,
    ...(status.alarms.length === 0 ? [] : [alarms]),
    ...paused.map(
      ({ source, paused_until, pause_reason }) =>
        `Paused: ${source} until ${short(paused_until)} (${pause_reason ?? 'no reason kept'})`,
    ),
  ];
}

function detailParts(detail: DayDetail): Part[] {
  const preferred =
    detail.preferred_source === null ? 'by the rule' : `${detail.preferred_source}, by an operator`;
  return [
    daysTable([detail]),
    `zone ${detail.zone}, version ${detail.version}, choice ${preferred}`,
    '\nSources',
    table(detail.sources, [
      ...(['source', 'state'] as const),
      ['intervals', ({ interval_count }) => interval_count],
      ['first', ({ first_captured_at }) => short(first_captured_at)],
      ['last', ({ last_captured_at }) => short(last_captured_at)],
      ['released', ({ released_at }) => short(released_at)],
    ]),
    '\nVersions, newest first',
    table(detail.changes, [
      ...(['version', 'served_source'] as const),
      ['changed_at', ({ changed_at }) => short(changed_at)],
    ]),
    '\nAttempts, newest first',
    table(detail.fetches, [
      ['captured_at', ({ captured_at }) => short(captured_at)],
      ...(['source', 'outcome', 'interval_count', 'http_status', 'body_bytes'] as const),
      ['payload', ({ payload_hash }) => payload_hash?.slice(0, 12)],
      'detail',
    ]),
    '\nAlarms',
    table(detail.alarms, [
      ...(['id', 'kind', 'source'] as const),
      ['raised_at', ({ raised_at }) => short(raised_at)],
      ['resolved_at', ({ resolved_at }) => short(resolved_at)],
      'detail',
    ]),
  ];
}
