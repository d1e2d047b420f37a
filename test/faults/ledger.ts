import pg from 'pg';

/*
 * What the driver sends follows from the number of the batch alone, so that the checker knows what must be stored
 * without having been told by anybody whose memory could have been lost.
 */

/** Households and the assets in each, as the driver gets them. */
export interface Fleet {
  households: { household: string; assets: { id: string; key: number }[] }[];
  /** Milliseconds since 1970; batch n holds the second that begins n seconds later. */
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

/** Mostly some hundred rows, now and then thousands, so that faults also strike in the middle of a large COPY. */
export function ledgerBatch(fleet: Fleet, number: number): { household: string; snapshots: LedgerRow[] } {
  const random = randomNumbers(number);
  const home = fleet.households[number % fleet.households.length];
  if (home === undefined) throw new RangeError('A fleet has households');
  const count = random() < 0.125 ? 4000 : 50 + Math.floor(random() * 400);
  const begin = fleet.beginMilliseconds + number * 1000;
  const snapshots = Array.from({ length: count }, (_, index) => ({
    asset: home.assets[index % home.assets.length]?.id ?? '',
    timestamp: new Date(begin + Math.floor(index / home.assets.length)).toISOString(),
    power_kw: Math.floor(random() * 10_000) / 1000,
  }));
  return { household: home.household, snapshots };
}

export type Outcome = 'invoke' | 'ok' | 'fail' | 'unknown';

/** `17 ok` per line. The last line may be torn when the driver itself was ended. */
export function readLedger(text: string): Map<number, Set<Outcome>> {
  const entries = new Map<number, Set<Outcome>>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [number = '', outcome = ''] = line.split(' ');
    const known = entries.get(Number(number)) ?? new Set<Outcome>();
    known.add(outcome as Outcome);
    entries.set(Number(number), known);
  }
  return entries;
}

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
export async function checkLedger(
  adminUrl: string,
  fleet: Fleet,
  ledger: ReadonlyMap<number, ReadonlySet<Outcome>>,
): Promise<Findings> {
  const stored = await storedByBatch(adminUrl, fleet);
  const findings: Findings = {
    lost: [],
    partial: [],
    storedThoughRefused: [],
    strangers: 0,
    acknowledged: 0,
    unknown: 0,
    rows: 0,
  };
  for (const [number, outcomes] of ledger) {
    const rows = stored.get(number) ?? new Set();
    stored.delete(number);
    findings.rows += rows.size;
    const sent = ledgerBatch(fleet, number).snapshots.map((row) => textOf(row));
    const isComplete = rows.size === sent.length && sent.every((text) => rows.has(text));
    if (outcomes.has('ok')) findings.acknowledged += 1;
    if (outcomes.has('unknown')) findings.unknown += 1;
    if (outcomes.has('ok') && !isComplete) findings.lost.push(number);
    if (rows.size > 0 && !isComplete) findings.partial.push(number);
    if (outcomes.has('fail') && rows.size > 0) findings.storedThoughRefused.push(number);
  }
  for (const rows of stored.values()) findings.strangers += rows.size;
  return findings;
}

function textOf({ asset, timestamp, power_kw }: LedgerRow): string {
  return `${asset} ${Date.parse(timestamp)} ${power_kw}`;
}

async function storedByBatch(adminUrl: string, fleet: Fleet): Promise<Map<number, Set<string>>> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ asset: string; milliseconds: string; power_kw: number }>(
      `SELECT a.id AS asset, (extract(epoch FROM s.timestamp) * 1000)::bigint AS milliseconds, s.power_kw
         FROM asset_snapshots s JOIN assets a ON a.key = s.asset_id`,
    );
    const batches = new Map<number, Set<string>>();
    for (const { asset, milliseconds, power_kw } of rows) {
      const number = Math.floor((Number(milliseconds) - fleet.beginMilliseconds) / 1000);
      const batch = batches.get(number) ?? new Set<string>();
      batch.add(`${asset} ${milliseconds} ${power_kw}`);
      batches.set(number, batch);
    }
    return batches;
  } finally {
    await client.end();
  }
}
