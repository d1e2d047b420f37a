import { expect, test } from 'vitest';
import { engineOf, findEngine, loadedEngine } from '../../../src/platform/database/engine.ts';

/** A server that has these extensions, or has loaded these libraries. */
const serverWith = (...rows: Record<string, string>[]) => ({
  query: async <Row>() => ({ rows: rows as Row[] }),
});

test('the engine of a database is the one whose extension it has', async () => {
  expect(await findEngine(serverWith({ name: 'citus' }))).toBe('citus');
  expect(await engineOf(serverWith({ name: 'timescaledb' }))).toBe('timescaledb');
  expect(await findEngine(serverWith())).toBe(null);
});

test('a database without engine, or with both, is told what it lacks', async () => {
  await expect(engineOf(serverWith())).rejects.toThrow('run npm run db -- init');
  await expect(engineOf(serverWith({ name: 'citus' }, { name: 'timescaledb' }))).rejects.toThrow(
    'both extensions',
  );
});

test('the engine of a server is the one that it has loaded', async () => {
  expect(await loadedEngine(serverWith({ libraries: 'pg_stat_statements, "timescaledb"' }))).toBe(
    'timescaledb',
  );
  expect(await loadedEngine(serverWith({ libraries: 'citus,pg_stat_statements' }))).toBe('citus');
  await expect(loadedEngine(serverWith({ libraries: '' }))).rejects.toThrow(
    /neither timescaledb nor citus: put the line shared_preload_libraries = 'timescaledb' into/,
  );
  await expect(loadedEngine(serverWith({ libraries: 'citus,timescaledb' }))).rejects.toThrow(
    'both timescaledb and citus',
  );
});
