import type pg from 'pg';
import type { ErrorEntry } from '../../../src/platform/errors.ts';
import { administrator } from '../../setup/administrator.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { Answer, ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import type { TestDatabase } from '../../setup/database.ts';
import {
  type AssetType,
  createAsset,
  createHousehold,
  createTenant,
  tokenFor,
} from '../../setup/factories.ts';

/** The instant at which the clocks of these tests stand. */
export const NOW = '2026-12-01T11:05:00.000Z';

export interface BatchAnswer {
  object: string;
  household: string;
  start: string;
  end: string;
  total: number;
  stored: number;
  duplicates: number;
  code?: string;
  message?: string;
  errors?: ErrorEntry[];
}

export interface TestAsset {
  id: string;
  key: number;
  type: AssetType;
  external_id: string;
}

/** A household with one asset of every type, and what sends snapshots to it. */
export interface SnapshotHousehold {
  household: string;
  customer: string;
  assets: Record<AssetType, TestAsset>;
  send(rows: readonly unknown[], client?: ApiClient): Promise<Answer<BatchAnswer>>;
  /** Rows stored for the assets of this household. */
  count(): Promise<number>;
}

export interface SnapshotApi {
  api: TestApi;
  clock: FakeClock;
  organization: string;
  client: ApiClient;
  /** With a token of this moment: tokens end before the day does. */
  signIn(): Promise<ApiClient>;
  admin: pg.Pool;
  addHousehold(): Promise<SnapshotHousehold>;
  close(): Promise<void>;
}

const TYPES: AssetType[] = [
  'inverter',
  'solar',
  'battery',
  'wallbox',
  'heat_pump',
  'household_net',
  'household_residual',
];

/** Shared with other files where no variables are given, alone with `{}`. `database`: one that the caller drops. */
export async function startSnapshotApi(
  environment?: Record<string, string>,
  database?: TestDatabase,
): Promise<SnapshotApi> {
  const clock = fakeClock(NOW);
  const api = await startApi({ clock, ...(environment && { environment }), ...(database && { database }) });
  const { organization, token, client: registered } = await createTenant(api);
  const client = api.client(token);
  const admin = administrator(api.database.adminUrl);
  return {
    api,
    clock,
    organization,
    client,
    signIn: async () => api.client(await tokenFor(api, registered)),
    admin,
    addHousehold: () => addHousehold({ api, client, admin }, organization),
    close: () => api.close(),
  };
}

export async function addHousehold(
  { api, client, admin }: Pick<SnapshotApi, 'api' | 'client' | 'admin'>,
  organization: string,
): Promise<SnapshotHousehold> {
  const home = await createHousehold(api.deps, organization);
  const assets = {} as Record<AssetType, TestAsset>;
  for (const type of TYPES) {
    const asset = await createAsset(api.deps, organization, home, { type });
    assets[type] = { ...asset, external_id: asset.external_id ?? '' };
  }
  return {
    household: home.household,
    customer: home.customer,
    assets,
    send: (rows, by = client) =>
      by.post<BatchAnswer>('/asset-snapshots', { household: home.household, snapshots: rows }),
    count: async () => {
      const { rows } = await admin.query<{ count: string }>(
        'SELECT count(*) FROM asset_snapshots s JOIN assets a ON a.key = s.asset_id WHERE a.household_id = $1',
        [home.household],
      );
      return Number(rows[0]?.count);
    },
  };
}

/** Whole seconds after a fixed instant that lies well before `NOW`. */
export function instant(seconds: number): string {
  return new Date(Date.parse('2026-12-01T06:00:00.000Z') + seconds * 1000).toISOString();
}

/** What one answer says is wrong, as `code field`. */
export function entriesOf(answer: Answer<BatchAnswer>): string[] {
  return (answer.body.errors ?? []).map(({ code, field }) => `${code} ${field}`);
}

export interface StoredRow {
  timestamp: string;
  power_kw: number | null;
  state_of_charge: number | null;
  connected: boolean | null;
  vehicle_state_of_charge: number | null;
}

/** What the table holds for one asset, with timestamps to the microsecond, ascending. */
export async function storedRows({ admin }: Pick<SnapshotApi, 'admin'>, key: number): Promise<StoredRow[]> {
  const { rows } = await admin.query<StoredRow>(
    `SELECT to_char(timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS timestamp, power_kw,
            state_of_charge, connected, vehicle_state_of_charge
       FROM asset_snapshots WHERE asset_id = $1 ORDER BY asset_snapshots.timestamp`,
    [key],
  );
  return rows;
}
