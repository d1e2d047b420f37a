import type { ServiceConfig } from '../../../config/config.ts';
import { systemClock } from '../../../platform/clock.ts';
import { type Database, openDatabase } from '../../../platform/database/db.ts';
import { openHttpClient } from '../../../platform/http/client.ts';
import { enqueue } from '../../../platform/jobs/enqueue.ts';
import { createLogger } from '../../../platform/log/logger.ts';
import { createMetrics } from '../../../platform/metrics.ts';
import { addDays, type DeliveryDay, daysBetween, deliveryDayAt } from '../../../spot-prices/calendar.ts';
import { runPriceModelJob } from '../../../spot-prices/forecast/jobs.ts';
import { findFrozenForecast } from '../../../spot-prices/forecast/queries.ts';
import { backfill } from '../../../spot-prices/pull/backfill.ts';
import type { PriceKind } from '../../local/facts.ts';
import type { BeginProcess } from '../../local/processes.ts';
import type { PriceChoice } from './price-choice.ts';

const NEAR_MILLISECONDS_MAX = 2_000;
/** The better of the own models learns from so many days, the weeks that it looks back to included. */
const HISTORY_DAYS = 600;
/** Behind everything else on the machine: the fleet is what is looked at meanwhile. */
const NICENESS = 15;
/** On a busy machine so little is left for it that the database seems to be away. */
const FILL_TRIES_MAX = 5;

function today(): DeliveryDay {
  return deliveryDayAt(systemClock().nowMilliseconds());
}

/**
 * Yesterday to tomorrow, as the operator's backfill would get them, so that the first look at the service finds prices.
 * What takes longer comes by the worker. Returns how many of the three days are complete.
 */
export async function pullNearDays(config: ServiceConfig): Promise<number> {
  const http = openHttpClient();
  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'voltstream-start',
    connectionsMax: 2,
    onError: () => {},
  });
  const parts = {
    database,
    http,
    config,
    clock: systemClock(),
    log: createLogger({ level: 'silent', name: 'start' }),
    metrics: createMetrics({ runtime: false }),
  };
  const [from, to] = [addDays(today(), -1), addDays(today(), 2)];
  try {
    const report = await backfill(parts, { from, to, signal: AbortSignal.timeout(NEAR_MILLISECONDS_MAX) });
    return report.days - report.missing.length;
  } finally {
    await http.close();
    await database.close();
  }
}

export function pricesLine({ kind, note }: PriceChoice, days: number): string {
  const text = `${kind} prices, ${days} of the days yesterday to tomorrow complete`;
  return note === null ? text : `${text} (${note})`;
}

/**
 * Weeks and months before that, and forecasts: with the operator's commands, one after the other and with the least
 * claim to the processors, while the service works already. Returns what is to be said about it at the end.
 */
export async function fillPriceHistory(options: {
  environment: Readonly<Record<string, string>> & { DATABASE_URL: string };
  kind: PriceKind;
  begin: BeginProcess;
}): Promise<string> {
  const { environment, kind } = options;
  const run = async (...parameters: string[]) => {
    const command = options.begin('Prices', 'src/cli/main.ts', environment, {
      parameters,
      niceness: NICENESS,
    });
    const reason = await command.ended;
    return { exitCode: command.exitCode(), reason, logFile: command.logFile };
  };
  const fill = () =>
    run('prices', 'backfill', '--from', addDays(today(), -HISTORY_DAYS), '--to', addDays(today(), 1));
  let filled = await fill();
  /* It goes on where it was. A real source is asked again by the worker. */
  for (let tries = 1; kind === 'synthetic' && filled.exitCode !== 0 && tries < FILL_TRIES_MAX; tries += 1) {
    filled = await fill();
  }
  const database = openDatabase({
    url: environment.DATABASE_URL,
    applicationName: 'voltstream-start',
    connectionsMax: 1,
    onError: () => {},
  });
  try {
    const open = kind === 'synthetic' ? await firstDayWithoutForecast(database) : null;
    if (open !== null) await run('prices', 'replay', '--from', open, '--to', addDays(today(), 2));
    await requestModelRun(database);
  } finally {
    await database.close();
  }
  if (filled.exitCode === 0) return `prices: ${HISTORY_DAYS} days of history are there, the forecast follows`;
  return `prices: history is not complete (${filled.reason}); its log: ${filled.logFile}`;
}

/** Forecasts of days that have begun cannot be made any more, but a made-up market can be played again. */
async function firstDayWithoutForecast(database: Database): Promise<DeliveryDay | null> {
  return await database.asService(async (connection) => {
    for (const day of daysBetween(addDays(today(), -1), today())) {
      if ((await findFrozenForecast(connection, 'DE-LU', day)) === undefined) return day;
    }
    return null;
  });
}

/** The worker finds it in its next round, as it finds what fell due. */
async function requestModelRun(database: Database): Promise<void> {
  const runAt = systemClock().now().toISOString();
  await database.asService((connection) => enqueue(connection, runPriceModelJob, {}, { runAt }));
}
