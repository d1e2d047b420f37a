import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { median } from '../measure/statistics.ts';

/** What analysts ask most, from snapshots and from sums. */
const QUESTIONS: Readonly<Record<string, { snapshots: string; sums: string }>> = {
  'energy of ten assets by day': {
    snapshots: `
      SELECT date_trunc('day', timestamp), sum(greatest(power_kw, 0) * least(seconds, 900)) / 3600
        FROM (SELECT timestamp, power_kw,
                     date_part('epoch', lead(timestamp) OVER (PARTITION BY asset_id ORDER BY timestamp) - timestamp) AS seconds
                FROM asset_snapshots WHERE asset_id = ANY ($1::bigint[])) AS held
       GROUP BY 1`,
    sums: `
      SELECT date_trunc('day', start), sum(consumed_kwh) FROM asset_quarter_hours
       WHERE asset_id = ANY ($1::bigint[]) GROUP BY 1`,
  },
  'mean power of all assets by hour': {
    snapshots: `
      SELECT date_trunc('hour', timestamp), avg(power_kw) FROM asset_snapshots
       WHERE asset_id <> ALL ($1::bigint[]) GROUP BY 1`,
    sums: `
      SELECT date_trunc('hour', start), sum(consumed_kwh - fed_kwh) / nullif(sum(covered_seconds), 0) * 3600
        FROM asset_quarter_hours WHERE asset_id <> ALL ($1::bigint[]) GROUP BY 1`,
  },
};

/** Milliseconds of each question, the median of the rounds. */
export async function askQuestions(database: pg.ClientBase, keys: readonly number[], rounds: number) {
  const found: Record<string, Record<string, number>> = {};
  for (const [question, texts] of Object.entries(QUESTIONS)) {
    found[question] = {};
    for (const [source, text] of Object.entries(texts)) {
      const milliseconds: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const begun = performance.now();
        await database.query(text, [keys.slice(0, 10)]);
        milliseconds.push(performance.now() - begun);
      }
      found[question][source] = Math.round(median(milliseconds) * 10) / 10;
    }
  }
  return found;
}
