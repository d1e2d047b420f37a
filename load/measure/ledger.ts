import pg from 'pg';

/*
 * The rows of a batch follow from its number alone. So the checker knows what must be stored, and needs nobody whose memory
 * could have been lost. Batches go round all households, and those of one household follow each other in time without having
 * an instant in common.
 */

/** Households and the assets in each. */
export interface Fleet {
  households: readonly { household: string; assets: readonly { id: string; key: number }[] }[];
  /** Milliseconds since 1970 of the first batches. */
  beginMilliseconds: number;
}

export interface LedgerRow {
  asset: string;
  timestamp: string;
  power_kw: number;
}

/** mulberry32: the same numbers for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const LARGE_ROWS = 4000;

/** From a batch of a household to its next one: the rows of an asset are a millisecond apart. */
function stepOf({ households }: Fleet): number {
  const fewest = Math.min(...households.map(({ assets }) => assets.length));
  return Math.ceil(LARGE_ROWS / fewest);
}

/** The instant of a batch's first rows, milliseconds since 1970. */
export function beginOfBatch(fleet: Fleet, number: number): number {
  return fleet.beginMilliseconds + Math.floor(number / fleet.households.length) * stepOf(fleet);
}

/** The first batch that begins at this instant or later. */
export function firstBatchFrom(fleet: Fleet, milliseconds: number): number {
  const rounds = Math.ceil((milliseconds - fleet.beginMilliseconds) / stepOf(fleet));
  return Math.max(0, rounds) * fleet.households.length;
}

/** Mostly some hundred rows, now and then thousands, so that faults also strike in the middle of a large COPY. */
export function ledgerBatch(fleet: Fleet, number: number): { household: string; snapshots: LedgerRow[] } {
  const random = randomNumbers(number);
  const home = fleet.households[number % fleet.households.length];
  if (home === undefined) throw new RangeError('A fleet has households');
  const count = random() < 0.125 ? LARGE_ROWS : 50 + Math.floor(random() * 400);
  const begin = beginOfBatch(fleet, number);
  const snapshots = Array.from({ length: count }, (_, index) => ({
    asset: home.assets[index % home.assets.length]?.id ?? '',
    timestamp: new Date(begin + Math.floor(index / home.assets.length)).toISOString(),
    /* Below the rating of any device. */
    power_kw: Math.floor(random() * 1_000) / 1000,
  }));
  return { household: home.household, snapshots };
}

export type Outcome = 'invoke' | 'ok' | 'fail' | 'unknown';

/** What became of each batch that was sent. */
export type Ledger = ReadonlyMap<number, ReadonlySet<Outcome>>;

export interface Findings {
  /** Acknowledged and not stored as sent. */
  lost: number[];
  /** Stored in part, or otherwise than sent. */
  partial: number[];
  /** Refused and yet stored. */
  storedThoughRefused: number[];
  /** Rows that no batch of the ledger holds. */
  strangers: number;
  acknowledged: number;
  unknown: number;
  rows: number;
}

/** Compares every stored row with what the ledger's batches hold. */
export async function checkLedger(adminUrl: string, fleet: Fleet, ledger: Ledger): Promise<Findings> {
  const findings: Findings = {
    ...{ lost: [], partial: [], storedThoughRefused: [] },
    ...{ strangers: 0, acknowledged: 0, unknown: 0, rows: 0 },
  };
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    let seen = 0;
    /* One after the other: a long run stores more than a process should hold. */
    for (const [index, { assets }] of fleet.households.entries()) {
      const { rows } = await client.query<StoredRow>(
        `SELECT asset_id AS key, (extract(epoch FROM timestamp) * 1000)::bigint AS milliseconds, power_kw
           FROM asset_snapshots WHERE asset_id = ANY ($1)`,
        [assets.map(({ key }) => key)],
      );
      seen += rows.length;
      compareHousehold(fleet, index, ledger, rows, findings);
    }
    const { rows: all } = await client.query<{ count: string }>('SELECT count(*) FROM asset_snapshots');
    findings.strangers += Number(all[0]?.count) - seen;
  } finally {
    await client.end();
  }
  return findings;
}

/** 64-bit numbers come as texts. */
export interface StoredRow {
  key: string;
  milliseconds: string;
  power_kw: number;
}

/** Adds to `findings` what the stored rows of one household say of its batches. */
export function compareHousehold(
  fleet: Fleet,
  index: number,
  ledger: Ledger,
  rows: readonly StoredRow[],
  findings: Findings,
): void {
  const { assets = [] } = fleet.households[index] ?? {};
  const keys = new Map(assets.map(({ id, key }) => [id, String(key)]));
  const stored = byBatch(fleet, index, rows);
  for (const [number, outcomes] of ledger) {
    if (number % fleet.households.length !== index) continue;
    const found = stored.get(number) ?? new Set();
    stored.delete(number);
    findings.rows += found.size;
    const sent = ledgerBatch(fleet, number).snapshots.map(({ asset, timestamp, power_kw }) =>
      textOf({ key: keys.get(asset) ?? '', milliseconds: String(Date.parse(timestamp)), power_kw }),
    );
    const isComplete = found.size === sent.length && sent.every((text) => found.has(text));
    if (outcomes.has('ok')) findings.acknowledged += 1;
    if (outcomes.has('unknown')) findings.unknown += 1;
    if (outcomes.has('ok') && !isComplete) findings.lost.push(number);
    if (found.size > 0 && !isComplete) findings.partial.push(number);
    if (outcomes.has('fail') && found.size > 0) findings.storedThoughRefused.push(number);
  }
  for (const found of stored.values()) findings.strangers += found.size;
}

const textOf = ({ key, milliseconds, power_kw }: StoredRow) => `${key} ${milliseconds} ${power_kw}`;

function byBatch(fleet: Fleet, index: number, rows: readonly StoredRow[]): Map<number, Set<string>> {
  const [step, batches] = [stepOf(fleet), new Map<number, Set<string>>()];
  for (const row of rows) {
    const round = Math.floor((Number(row.milliseconds) - fleet.beginMilliseconds) / step);
    const number = round * fleet.households.length + index;
    const batch = batches.get(number) ?? new Set<string>();
    batch.add(textOf(row));
    batches.set(number, batch);
  }
  return batches;
}
