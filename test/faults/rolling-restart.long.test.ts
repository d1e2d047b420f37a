import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../setup/api.ts';
import { addressOf, startApiProcess } from '../setup/api-process.ts';
import { timesLonger } from '../setup/busy.ts';
import { createAsset, createHousehold, createTenant } from '../setup/factories.ts';
import type { ServiceProcess } from '../setup/service-process.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { startGateways } from './gateways.ts';

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
  /* As long as the probe of a busy machine takes to find out. */
  const process = startApiProcess(api, { SHUTDOWN_DELAY_SECONDS: (0.5 * timesLonger()).toFixed(1) });
  const url = await addressOf(process);
  return { process, url, ready: false };
}

/** What stands before several processes in production: asks for readiness often, sends only where it is given. */
class Balancer {
  readonly backends: Backend[] = [];
  readonly #stopping = new AbortController();
  readonly #probing = this.#probe();
  #next = 0;

  /** On a busy machine all may be unready for a moment: then a request waits. */
  async pick(): Promise<Backend> {
    for (;;) {
      const ready = this.backends.filter((backend) => backend.ready);
      this.#next += 1;
      const chosen = ready[this.#next % ready.length];
      if (chosen !== undefined) return chosen;
      await wait(PROBE_MILLISECONDS);
    }
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

async function untilReady(backend: Backend): Promise<void> {
  while (!backend.ready) await wait(PROBE_MILLISECONDS);
}

test('F26 two processes are restarted one after the other under load: no request fails, no row is lost', async () => {
  const balancer = new Balancer();
  const stopping = new AbortController();
  let load: ReturnType<typeof startGateways> | undefined;
  try {
    balancer.backends.push(await startBackend(), await startBackend());
    await Promise.all(balancer.backends.map(untilReady));
    const url = async () => (await balancer.pick()).url;
    load = startGateways({ token, household, asset: asset.id, url, signal: stopping.signal });
    const { tally } = load;
    for (const old of [...balancer.backends]) {
      const before = tally.acknowledged;
      old.process.child.kill('SIGTERM');
      const startedAt = performance.now();
      expect(await old.process.ended).toEqual({ code: 0, signal: null });
      expect(performance.now() - startedAt).toBeLessThan(60_000);
      balancer.backends.splice(balancer.backends.indexOf(old), 1);
      const fresh = await startBackend();
      balancer.backends.push(fresh);
      await untilReady(fresh);
      expect(tally.acknowledged).toBeGreaterThan(before);
    }
  } finally {
    stopping.abort();
    await load?.ended;
    await balancer.stop();
    await Promise.all(balancer.backends.map((backend) => backend.process.kill()));
  }
  expect(load.tally.failures).toEqual([]);
  const [row] = await storedRows<{ count: string }>(
    api,
    'SELECT count(*) FROM asset_snapshots WHERE asset_id = $1',
    [asset.key],
  );
  expect(Number(row?.count)).toBe(load.tally.acknowledged);
});
