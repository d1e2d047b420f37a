import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkLedger, type Findings, type Fleet, type Outcome } from '../../load/measure/ledger.ts';
import { startApi, testEnvironment } from '../setup/api.ts';
import type { TestDatabase } from '../setup/database.ts';
import { createAsset, createHousehold, createTenant } from '../setup/factories.ts';
import { type ServiceProcess, startService } from '../setup/service-process.ts';

/** The API as a process of its own under the load of a driver that is another. */
export interface LedgerRun {
  token: string;
  fleet: Fleet;
  /** The API that runs at present. */
  api(): ServiceProcess;
  baseUrl: string;
  /** Ends the API with SIGKILL and starts it again on the same port. */
  killApi(): Promise<void>;
  /** Begins to send, with this many writers. */
  drive(writers: number): Promise<void>;
  /** Lines of the ledger so far that say `ok`. */
  acknowledged(): Promise<number>;
  /** Ends the driver and compares its ledger with the database. */
  finish(): Promise<Findings>;
  close(): Promise<void>;
}

const HOUSEHOLDS = 4;
const TYPES = ['inverter', 'wallbox', 'household_net', 'inverter', 'inverter'] as const;
const LOCAL_REDIS_IS_NOT_NEEDED = 'redis://127.0.0.1:1';

/** `databaseUrl`: what the process connects to, where it is not the database itself. */
export async function startLedgerRun(
  database: TestDatabase,
  databaseUrl = database.appUrl,
  changes: Record<string, string> = {},
): Promise<LedgerRun> {
  const { fleet, token, port, keys } = await prepare(database);
  const baseUrl = `http://127.0.0.1:${port}`;
  const environment = {
    ...testEnvironment(database, LOCAL_REDIS_IS_NOT_NEEDED),
    ...keys,
    DATABASE_URL: databaseUrl,
    BASE_URL: baseUrl,
    PORT: port,
    LOG_LEVEL: 'info',
    SNAPSHOT_RETENTION_MONTHS: '0',
    ...changes,
  };
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-ledger-'));
  const ledgerFile = join(folder, 'ledger');
  await writeFile(ledgerFile, '');
  let api = startService('src/main.ts', environment);
  let driver: ChildProcess | undefined;
  await api.line('API ready');

  return {
    token,
    fleet,
    baseUrl,
    api: () => api,
    killApi: async () => {
      await api.kill();
      api = startService('src/main.ts', environment);
      await api.line('API ready');
    },
    drive: async (writers) => {
      const orderFile = join(folder, 'order.json');
      await writeFile(orderFile, JSON.stringify({ fleet, ledgerFile, baseUrl, token, writers }), {
        mode: 0o600,
      });
      const program = new URL('ledger-driver.ts', import.meta.url).pathname;
      driver = spawn(process.execPath, [program, orderFile], { stdio: 'inherit' });
    },
    acknowledged: async () => (await readFile(ledgerFile, 'utf8')).split(' ok\n').length - 1,
    finish: async () => {
      driver?.kill('SIGTERM');
      if (driver !== undefined && driver.exitCode === null) await once(driver, 'exit');
      const ledger = readLedger(await readFile(ledgerFile, 'utf8'));
      return await checkLedger(database.adminUrl, fleet, ledger);
    },
    close: async () => {
      driver?.kill('SIGKILL');
      await api.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Tenant, households and token, made by a service of this process that is gone before the faults begin. */
async function prepare(database: TestDatabase) {
  const preparing = await startApi({ database });
  const { organization, token } = await createTenant(preparing);
  const households: Fleet['households'][number][] = [];
  for (let count = 0; count < HOUSEHOLDS; count += 1) {
    const home = await createHousehold(preparing.deps, organization);
    const assets: { id: string; key: number }[] = [];
    for (const type of TYPES) assets.push(await createAsset(preparing.deps, organization, home, { type }));
    households.push({ household: home.household, assets });
  }
  const { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY, PORT } = preparing.deps.config;
  const beginMilliseconds = Math.floor(preparing.deps.clock.nowMilliseconds() / 1000 - 6 * 3600) * 1000;
  await preparing.close();
  return {
    token,
    fleet: { households, beginMilliseconds },
    port: String(PORT),
    keys: { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY },
  };
}

/** `17 ok` per line. The last line may be torn when the driver itself was ended. */
function readLedger(text: string): Map<number, Set<Outcome>> {
  const entries = new Map<number, Set<Outcome>>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [number = '', outcome = ''] = line.split(' ');
    const known = entries.get(Number(number)) ?? new Set<Outcome>();
    known.add(outcome as Outcome);
    entries.set(Number(number), known);
  }
  return entries;
}
