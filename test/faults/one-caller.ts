import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { startApi, type TestApi, testEnvironment } from '../setup/api.ts';
import { createAsset, createHousehold, createTenant } from '../setup/factories.ts';
import { takeTestRedis } from '../setup/redis.ts';
import { type ServiceProcess, startService } from '../setup/service-process.ts';
import { storedRows } from '../setup/stored-rows.ts';

/** A process of the service, one tenant who works with it, and another who may do what he likes. */
export interface OneCaller {
  readonly service: ServiceProcess;
  readonly url: URL;
  readonly attackerToken: string;
  /** Gives the other one so many customers in all; those that are there stay. */
  storeCustomers(count: number): Promise<void>;
  /** A battery of the other one's. */
  readonly attackerAsset: string;
  /** Sends small batches of the other tenant, one after the other, until `work` is done. */
  during(work: () => Promise<unknown>): Promise<Served>;
  /** MiB that the process holds at this moment. */
  residentMebibytes(): Promise<number>;
  close(): Promise<void>;
}

/** How the other tenant was served meanwhile. */
export interface Served {
  batches: number;
  /** Answers that were not 200. */
  refused: number[];
  medianMilliseconds: number;
  slowestMilliseconds: number;
}

const PAUSE_MILLISECONDS = 20;
const VERSION = { 'x-api-version': '2026-09-08.gauss' };

export async function startOneCaller(changes: Record<string, string> = {}): Promise<OneCaller> {
  const api = await startApi({ alone: true });
  const service = startService('src/main.ts', {
    ...testEnvironment(api.database, await takeTestRedis()),
    ...keysOf(api),
    BASE_URL: api.baseUrl,
    PORT: '0',
    LOG_LEVEL: 'info',
    /* A busy machine delays all events. What one caller does to the others is measured by their answers. */
    OVERLOAD_EVENT_LOOP_DELAY_MILLISECONDS: '60000',
    ...changes,
  });
  const url = new URL(String((await service.line('API ready')).url));
  const attacker = await createTenant(api);
  const home = await createHousehold(api.deps, attacker.organization);
  const attackerAsset = await createAsset(api.deps, attacker.organization, home, { type: 'battery' });
  const sender = await senderOf(api, url);
  return {
    service,
    url,
    attackerToken: attacker.token,
    attackerAsset: attackerAsset.id,
    storeCustomers: async (count) => {
      await storedRows(
        api,
        `INSERT INTO customers (organization_id, id, type, first_name, last_name, email, created_at, updated_at)
         SELECT $1, 'cus_' || substr(md5($1 || number), 1, 24), 'person', 'One', 'Of many', number || '@example.org',
                now() - number * INTERVAL '1 second', now()
           FROM generate_series(1, $2::int) AS number
         ON CONFLICT DO NOTHING`,
        [attacker.organization, count],
      );
    },
    during: async (work) => {
      let isDone = false;
      const working = work().finally(() => {
        isDone = true;
      });
      const served = await sender(() => isDone);
      await working;
      return served;
    },
    residentMebibytes: async () => {
      const text = await (await fetch(new URL('/metrics', url))).text();
      const bytes = /^(?:voltstream_)?process_resident_memory_bytes (\S+)$/m.exec(text)?.[1];
      return Number(bytes) / 2 ** 20;
    },
    close: async () => {
      await service.kill();
      await api.close();
    },
  };
}

function keysOf({ deps: { config } }: TestApi): Record<string, string> {
  const { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY } = config;
  return { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY };
}

async function senderOf(api: TestApi, url: URL): Promise<(isDone: () => boolean) => Promise<Served>> {
  const { organization, token } = await createTenant(api);
  const household = await createHousehold(api.deps, organization);
  const asset = await createAsset(api.deps, organization, household, { type: 'battery' });
  let second = 0;
  const send = async () => {
    second += 1;
    const timestamp = new Date((Math.floor(Date.now() / 1000) - 86_400 + second) * 1000).toISOString();
    const row = { asset: asset.id, timestamp, power_kw: 1, state_of_charge: 0.5 };
    const answer = await fetch(new URL('/asset-snapshots', url), {
      method: 'POST',
      headers: { ...VERSION, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ household: household.household, snapshots: [row] }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  return async (isDone) => {
    const times: number[] = [];
    const refused: number[] = [];
    do {
      const startedAt = performance.now();
      const status = await send();
      times.push(performance.now() - startedAt);
      if (status !== 200) refused.push(status);
      await wait(PAUSE_MILLISECONDS);
    } while (!isDone());
    times.sort((left, right) => left - right);
    return {
      batches: times.length,
      refused,
      medianMilliseconds: times[times.length >> 1] ?? 0,
      slowestMilliseconds: times.at(-1) ?? 0,
    };
  };
}

/** Opens connections that send these bytes and then nothing; ends them with the function that it returns. */
export async function holdConnections(
  url: URL,
  count: number,
  bytes: Buffer | string,
): Promise<{ sockets: readonly Socket[]; release: () => void }> {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(url.port), url.hostname);
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      socket.write(bytes);
      return socket;
    }),
  );
  return {
    sockets,
    release: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
