import { runDunningJob } from '../src/billing/dunning/jobs.ts';
import { runBillingJob } from '../src/billing/invoices/jobs.ts';
import { advanceSubscriptionsJob } from '../src/contracts/subscriptions/jobs.ts';
import { settleUsageJob } from '../src/contracts/usage/jobs.ts';
import { sweepWebhooksJob } from '../src/events/jobs.ts';
import { sealAuditLogJob, verifyAuditLogJob } from '../src/governance/audit-log/jobs.ts';
import { writeDataSetsJob } from '../src/governance/exports/jobs.ts';
import { removeOldRecordsJob, sweepExpiredRowsJob } from '../src/governance/retention/jobs.ts';
import type { ScheduleLine } from '../src/platform/jobs/jobs.ts';
import { installationSeconds } from '../src/platform/jobs/queue.ts';
import {
  freezePriceForecastJob,
  pullPriceForecastJob,
  runPriceModelJob,
} from '../src/spot-prices/forecast/jobs.ts';
import {
  crossCheckSpotPricesJob,
  fillPriceGapsJob,
  keepDayAheadMeanJob,
  pullSpotPricesJob,
  recheckSpotPricesJob,
  sweepPricePayloadsJob,
} from '../src/spot-prices/jobs.ts';
import { sumQuarterHoursJob } from '../src/telemetry/quarter-hours/jobs.ts';
import { prepareSnapshotPartitionsJob } from '../src/telemetry/snapshots/jobs.ts';

const timeZone = 'Europe/Berlin';

/** Feeds are public: not every installation of this service asks them in the same second. */
const OFFSET_SECONDS_MAX = 40;

/*
 * Everything that repeats. No daily time lies from 02:00 to 03:00: that hour is missing on one day of the year and comes
 * twice on another. A pattern with a wildcard hour is skipped in the missing hour and comes twice in the repeated one.
 */
export function scheduleLines(databaseUrl: string): readonly ScheduleLine[] {
  const second = installationSeconds(databaseUrl, OFFSET_SECONDS_MAX);
  return [...ownLines, ...priceLines(second), ...forecastLines(second)];
}

const ownLines: readonly ScheduleLine[] = [
  /* Missed: one run finds whatever began or ended meanwhile. */
  {
    id: 'advance-subscriptions',
    job: advanceSubscriptionsJob,
    cron: '0 * * * * *',
    timeZone,
    catchUp: 'last',
  },
  /*
   * The 8th working day of a month lies from its 10th to its 17th; a run before it does nothing. Missed: each month has its
   * own runs, and no other makes up for them.
   */
  { id: 'settle-usage', job: settleUsageJob, cron: '0 10 16 10-17 * *', timeZone, catchUp: 'all' },
  /* Missed: the newest one finds all that is due. */
  { id: 'run-billing', job: runBillingJob, cron: '0 30 6 * * *', timeZone, catchUp: 'last' },
  /* Missed: one run finds whatever became due meanwhile; customers are awake then. */
  { id: 'run-dunning', job: runDunningJob, cron: '0 15 7 * * *', timeZone, catchUp: 'last' },
  /* Missed: each run goes on where the last one ended. */
  {
    id: 'sum-quarter-hours',
    job: sumQuarterHoursJob,
    cron: '30 */5 * * * *',
    timeZone,
    catchUp: 'last',
    atStart: true,
  },
  /* Missed: one look finds everything that is overdue. */
  { id: 'sweep-webhooks', job: sweepWebhooksJob, cron: '20 * * * * *', timeZone, catchUp: 'last' },
  { id: 'sweep-expired-rows', job: sweepExpiredRowsJob, cron: '0 7 * * * *', timeZone, catchUp: 'last' },
  { id: 'remove-old-records', job: removeOldRecordsJob, cron: '0 20 4 * * *', timeZone, catchUp: 'last' },
  /* Missed: it runs at the start anyway. */
  {
    id: 'prepare-snapshot-partitions',
    job: prepareSnapshotPartitionsJob,
    cron: '0 50 3 * * *',
    timeZone,
    catchUp: 'skip',
    atStart: true,
  },
  /* The day in UTC is over at 01:00 in winter and 02:00 in summer. */
  { id: 'seal-audit-log', job: sealAuditLogJob, cron: '0 10 4 * * *', timeZone, catchUp: 'last' },
  /* Missed: one run compares all months. Behind the sums of the day before and the rows that are removed at night. */
  { id: 'write-data-sets', job: writeDataSetsJob, cron: '0 40 4 * * *', timeZone, catchUp: 'last' },
  { id: 'verify-audit-log', job: verifyAuditLogJob, cron: '0 10 5 * * 0', timeZone, catchUp: 'last' },
];

const HALF_DAY_SECONDS = 12 * 3_600;
const WEEK_SECONDS = 7 * 24 * 3_600;

/** `second`: the fixed offset of this installation. Payloads say days after the day on which the tick fell due. */
function priceLines(second: number): readonly ScheduleLine[] {
  /* Missed: the newest tick runs late. After half a day its day has begun, and the line of that day asks for it. */
  const tomorrow = {
    job: pullSpotPricesJob,
    timeZone,
    catchUp: 'last',
    ageSecondsMax: HALF_DAY_SECONDS,
    payload: { day: '+1' },
  } as const;
  return [
    { id: 'pull-tomorrow-at-noon', cron: `${second} 45,50,55 12 * * *`, ...tomorrow },
    { id: 'pull-tomorrow-from-13', cron: `${second} */5 13,14 * * *`, ...tomorrow },
    { id: 'pull-tomorrow-from-15', cron: `${second} 0-30/5 15 * * *`, ...tomorrow },
    { id: 'pull-tomorrow-from-16', cron: `${second} 0,30 16-23 * * *`, ...tomorrow },
    /* Missed: the filling of gaps at the start asks for the same day. */
    {
      id: 'pull-today',
      job: pullSpotPricesJob,
      cron: `${second} 10 * * * *`,
      timeZone,
      catchUp: 'skip',
      payload: { day: '0' },
    },
    /* Missed: seven days are asked for again each time, so that the newest tick finds what the lost ones would have. */
    {
      id: 'recheck-spot-prices',
      job: recheckSpotPricesJob,
      cron: `${second} 20 9 * * *`,
      timeZone,
      catchUp: 'last',
      payload: { from: '-7', to: '-1' },
    },
    /* Missed: every day has its own comparison, and nothing else makes up for it. */
    {
      id: 'cross-check-spot-prices',
      job: crossCheckSpotPricesJob,
      cron: `${second} 20 16 * * *`,
      timeZone,
      catchUp: 'all',
      ageSecondsMax: WEEK_SECONDS,
      payload: { day: '+1' },
    },
    /* Missed: it runs at the start anyway, and a quote that finds no mean of its day computes it. */
    {
      id: 'keep-day-ahead-mean',
      job: keepDayAheadMeanJob,
      cron: '5 0 0 * * *',
      timeZone,
      catchUp: 'skip',
      atStart: true,
    },
    /* Missed: it runs at the start anyway. */
    {
      id: 'fill-price-gaps',
      job: fillPriceGapsJob,
      cron: `${second} 30 3 * * *`,
      timeZone,
      catchUp: 'skip',
      atStart: true,
    },
    {
      id: 'sweep-price-payloads',
      job: sweepPricePayloadsJob,
      cron: '0 0 4 * * *',
      timeZone,
      catchUp: 'last',
    },
  ];
}

const HOUR_SECONDS = 3_600;

function forecastLines(second: number): readonly ScheduleLine[] {
  /* The provider wants four hours between questions: a missed one is asked late, but never close to the next. */
  const capture = {
    job: pullPriceForecastJob,
    timeZone,
    catchUp: 'last',
    ageSecondsMax: HOUR_SECONDS,
  } as const;
  /* Missed: the newest tick runs late. What it says about the week is true for half a day. */
  const model = {
    job: runPriceModelJob,
    timeZone,
    catchUp: 'last',
    ageSecondsMax: HALF_DAY_SECONDS,
  } as const;
  return [
    { id: 'pull-price-forecast-in-the-morning', cron: `${second} 40 5 * * *`, ...capture },
    { id: 'pull-price-forecast-before-the-freeze', cron: `${second} 30 11 * * *`, ...capture },
    { id: 'pull-price-forecast-in-the-evening', cron: `${second} 40 17 * * *`, ...capture },
    { id: 'run-price-model-in-the-morning', cron: `${second} 45 5 * * *`, ...model },
    { id: 'run-price-model-before-the-freeze', cron: `${second} 40 11 * * *`, ...model },
    { id: 'run-price-model-in-the-evening', cron: `${second} 0 18 * * *`, ...model },
    /* Missed: each day's row is written late; which curve it names depends on capture times alone. */
    {
      id: 'freeze-price-forecast',
      job: freezePriceForecastJob,
      cron: `${second} 0 12 * * *`,
      timeZone,
      catchUp: 'all',
    },
  ];
}
