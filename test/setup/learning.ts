import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { startFeed } from '../../src/cli/demo/feed/server.ts';
import { LEARNING_ORGANIZATION, LEARNING_SPAN } from '../../src/cli/demo/learning/households.ts';
import { learn } from '../../src/cli/demo/learning/learn.ts';
import { LEARNING_FEED } from '../../src/cli/demo/learning/prices.ts';
import { readPriceConfig } from '../../src/config/prices.ts';
import { analystAddress, createAnalyst, revokeAnalyst } from '../../src/governance/analysts/service.ts';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import type { DatabaseAddresses } from '../../src/platform/database/setup.ts';
import { openHttpClient } from '../../src/platform/http/client.ts';
import { createLogger } from '../../src/platform/log/logger.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import type { StaffAct } from '../../src/platform/staff-act.ts';
import { importFirstReferenceData } from '../../src/tariffs/reference-data/files/import.ts';
import { sumQuarterHoursNow } from '../../src/telemetry/quarter-hours/sum.ts';
import { fakeClock } from './clock.ts';

/** Some days behind the last one. */
const NOW = new Date(LEARNING_SPAN.ends * 1000 + 10 * 86_400_000).toISOString();

export const learningAct: StaffAct = { staff: 'tests', reason: 'test', command: 'learn', now: NOW };

const open = (url: string): Database =>
  openDatabase({ url, applicationName: 'test-learning', connectionsMax: 2, onError: () => {} });

/** As `npm run learn` beside `npm start`, at a fixed instant and with a feed in this process. */
export async function storeLearningData(
  { appUrl }: Pick<DatabaseAddresses, 'appUrl'>,
  { pricesSources = 'synthetic' } = {},
): ReturnType<typeof learn> {
  const database = open(appUrl);
  const http = openHttpClient();
  const log = createLogger({ level: 'silent', name: 'learn' });
  const parts = {
    ...{ database, http, log, clock: fakeClock(NOW), metrics: createMetrics({ runtime: false }) },
    config: readPriceConfig({ PRICES_SOURCES: pricesSources }),
  };
  try {
    await importFirstReferenceData(database, join(projectFolder, 'reference'), learningAct);
    return await learn(parts, { act: learningAct, openFeed });
  } finally {
    await http.close();
    await database.close();
  }
}

const openFeed = () =>
  startFeed({
    now: LEARNING_FEED.now,
    switches: { 'energy-charts': { revision: LEARNING_FEED.revision } },
  });

/** Sums of everything that is stored, as the worker's job makes them. */
export async function sumLearningData({ maintenanceUrl }: Pick<DatabaseAddresses, 'maintenanceUrl'>) {
  const maintenance = open(maintenanceUrl);
  try {
    return await sumQuarterHoursNow(
      { maintenance, clock: fakeClock(NOW) },
      { signal: new AbortController().signal },
    );
  } finally {
    await maintenance.close();
  }
}

/** A session of an analyst of the learning organization, whose account ends with it. */
export async function asLearningAnalyst<Result>(
  ownerUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const owner = open(ownerUrl);
  const name = `test_${randomBytes(6).toString('hex')}`;
  try {
    const account = await createAnalyst({ database: owner }, LEARNING_ORGANIZATION.id, name, learningAct);
    const client = new pg.Client({ connectionString: analystAddress(ownerUrl, account) });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
      await revokeAnalyst({ database: owner, ownerUrl }, name, learningAct);
    }
  } finally {
    await owner.close();
  }
}
