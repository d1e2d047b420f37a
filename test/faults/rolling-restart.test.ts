import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi, testEnvironment } from '../setup/api.ts';
import { createAsset, createHousehold, createTenant } from '../setup/factories.ts';
import { type ServiceProcess, startService } from '../setup/service-process.ts';
import { storedRows } from '../setup/stored-rows.ts';

const GATEWAYS = 6;
const ROWS_PER_BATCH = 20;
const PROBE_MILLISECONDS = 50;

let api: TestApi;
let token: string;
let household: string;
let asset: { id: string; key: number };

beforeAll(async () => {
  api = await startApi();
  const tenant = await createTenant(api);
  token = tenant.token;
  const home = await createHousehold(api.deps, tenant.organization);
  household = home.household;
  asset = await createAsset(api.deps, tenant.organization, home, { type: 'heat_pump' });
});

afterAll(() => api.close());

interface Backend {
  process: ServiceProcess;
  url: string;
  ready: boolean;
}

async function startBackend(): Promise<Backend> {
  const { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY, REDIS_URL } = api.deps.config;
  const process = startService('src/main.ts', {
    ...testEnvironment(api.database, REDIS_URL),
    SECRET_PEPPER,
    ENCRYPTION_KEY,
    CURSOR_KEY,
    BASE_URL: api.baseUrl,
    PORT: '0',
    LOG_LEVEL: 'info',
    SHUTDOWN_DELAY_SECONDS: '0.5',
  });
  const url = String((await process.line('API ready')).url);
  return { process, url, ready: false };
}

/** What stands before several processes in production: asks for readiness often, sends only where it is given. */
class Balancer {
  readonly backends: Backend[] = [];
  readonly #stopping = new AbortController();
  readonly #probing = this.#probe();
  #next = 0;

  pick(): Backend {
    const ready = this.backends.filter((backend) => backend.ready);
    this.#next += 1;
    const chosen = ready[this.#next % ready.length];
    if (chosen === undefined) throw new Error('No process is ready');
    return chosen;
  }

  async #probe(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      for (const backend of this.backends) {
        const answer = await fetch(`${backend.url}/readyz`).catch(() => null);
        backend.ready = answer?.status === 200;
      }
      await wait(PROBE_MILLISECONDS);
    }
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#probing;
  }
}

interface Tally {
  acknowledged: number;
  failures: string[];
}

/** Gateways that send one batch after the other, each row at an instant of its own, until told to stop. */
function startGateways(balancer: Balancer, signal: AbortSignal, tally: Tally): Promise<unknown> {
  const begin = Date.now() - 3_600_000;
  let instants = 0;
  const batch = () => ({
    household,
    snapshots: Array.from({ length: ROWS_PER_BATCH }, () => ({
      asset: asset.id,
      timestamp: new Date(begin + instants++).toISOString(),
      power_kw: 1.5,
    })),
  });
  const gateway = async () => {
    while (!signal.aborted) {
      try {
        const answer = await fetch(`${balancer.pick().url}/asset-snapshots`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'x-api-version': '2026-09-08.gauss',
          },
          body: JSON.stringify(batch()),
        });
        const text = await answer.text();
        if (answer.status === 200) tally.acknowledged += ROWS_PER_BATCH;
        else tally.failures.push(`${answer.status} ${text}`);
      } catch (error) {
        tally.failures.push(String(error instanceof Error ? (error.cause ?? error) : error));
      }
    }
  };
  return Promise.all(Array.from({ length: GATEWAYS }, gateway));
}

async function untilReady(backend: Backend): Promise<void> {
  while (!backend.ready) await wait(PROBE_MILLISECONDS);
}

test('F26 two processes are restarted one after the other under load: no request fails, no row is lost', async () => {
  const balancer = new Balancer();
  const tally: Tally = { acknowledged: 0, failures: [] };
  const stopping = new AbortController();
  let load: Promise<unknown> = Promise.resolve();
  try {
    balancer.backends.push(await startBackend(), await startBackend());
    await Promise.all(balancer.backends.map(untilReady));
    load = startGateways(balancer, stopping.signal, tally);
    for (const old of [...balancer.backends]) {
      const before = tally.acknowledged;
      old.process.child.kill('SIGTERM');
      const startedAt = performance.now();
      expect(await old.process.ended).toEqual({ code: 0, signal: null });
      expect(performance.now() - startedAt).toBeLessThan(25_000);
      balancer.backends.splice(balancer.backends.indexOf(old), 1);
      const fresh = await startBackend();
      balancer.backends.push(fresh);
      await untilReady(fresh);
      expect(tally.acknowledged).toBeGreaterThan(before);
    }
  } finally {
    stopping.abort();
    await load;
    await balancer.stop();
    await Promise.all(balancer.backends.map((backend) => backend.process.kill()));
  }
  expect(tally.failures).toEqual([]);
  const [row] = await storedRows<{ count: string }>(
    api,
    'SELECT count(*) FROM asset_snapshots WHERE asset_id = $1',
    [asset.key],
  );
  expect(Number(row?.count)).toBe(tally.acknowledged);
});
