import type pg from 'pg';
import type { ServiceConfig } from '../../config/config.ts';
import { findEngine } from '../database/engine.ts';

/** The reasons against writing snapshots there. The other checks name a database without any engine. */
export async function placeOfWritesProblems(
  client: pg.ClientBase,
  place: ServiceConfig['SNAPSHOT_WRITES_TO'],
): Promise<string[]> {
  if (place === 'coordinator' || (await findEngine(client)) !== 'timescaledb') return [];
  return [
    'SNAPSHOT_WRITES_TO is nodes, and a database with TimescaleDB has no nodes: set it to coordinator, or use Citus',
  ];
}
