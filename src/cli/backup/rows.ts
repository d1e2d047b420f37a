import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { migrate, type RanMigration } from '../../platform/database/migrate.ts';
import { withDatabaseClient } from '../../platform/database/setup.ts';
import { commandIo } from '../engine/io.ts';
import { listTables } from './manifest.ts';
import { connectionOf, startProgramOf } from './programs.ts';

/*
 * From one version of TimescaleDB to a newer one. Its own tables differ between versions, so none of them is taken over:
 * migrations make the tables of the service, and the rows of the copy go into them as text. Rows of a chunk go into its
 * hypertable, which makes chunks of its own.
 */

export interface RowPrograms {
  restore: string;
  psql: string;
}

export async function refillRows(programs: RowPrograms, url: string, dump: string): Promise<void> {
  await migrateAsOwner(url);
  const tables = await withDatabaseClient(url, listTables);
  const { address, environment } = connectionOf(url);
  const reading = startProgramOf(programs.restore, ['--data-only', '--file=-', dump], environment);
  const writing = startProgramOf(
    programs.psql,
    [
      ...['--no-psqlrc', '--quiet', '--no-password', '--set=ON_ERROR_STOP=1'],
      ...['--output=/dev/null', `--dbname=${address}`],
    ],
    environment,
  );
  const rows = (script: AsyncIterable<string>) => rowsOfService(script, tables);
  const ends = await Promise.allSettled([
    writing.ended,
    pipeline(reading.output, rows, writing.input),
    reading.ended,
  ]);
  /* A program that fails ends the others too. */
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
  await withDatabaseClient(url, (client) => client.query('ANALYZE'));
}

/** What the database of a copy had run, out of the copy. */
export async function ranMigrations(program: string, dump: string): Promise<RanMigration[]> {
  const reading = startProgramOf(
    program,
    ['--data-only', '--table=schema_migrations', '--file=-', dump],
    commandIo().environment,
  );
  reading.input.end();
  const [script] = await Promise.all([text(reading.output), reading.ended]);
  const [, columns = '', rows = ''] =
    /^COPY public\.schema_migrations \((.*)\) FROM stdin;\n([\s\S]*?)^\\\.$/m.exec(script) ?? [];
  const names = columns.split(', ');
  return rows
    .split('\n')
    .slice(0, -1)
    .map((row) => {
      const cells = row.split('\t');
      const cell = (name: string) => cells[names.indexOf(name)] ?? '';
      return { name: cell('name'), sha256: cell('sha256'), earlier: cell('earlier').slice(1, -1).split(',') };
    });
}

/** By the superuser, who needs no password of the owner for it. */
export async function migrateAsOwner(url: string): Promise<void> {
  await withDatabaseClient(url, (client) => migrate(client), { options: '-c role=voltstream_owner' });
}

/** What psql is given: no trigger fires, and nothing stays of the rows that migrations made. */
async function* rowsOfService(
  script: AsyncIterable<string>,
  tables: readonly { schema: string; name: string }[],
): AsyncGenerator<string> {
  const names = tables.map(
    ({ schema, name }) => `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`,
  );
  yield `SET session_replication_role = replica;\nTRUNCATE ${names.join(', ')};\n`;
  const shown = lineReader();
  let rest = '';
  for await (const text of script) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield lines.map(shown).join('');
  }
}

const COPY = /^COPY (\S+) \((.*)\) FROM stdin;$/;
const CHUNK = /^_timescaledb_internal\._hyper_(\d+)_\d+_chunk$/;
const OF_TIMESCALEDB = /^(?:COPY |SELECT pg_catalog\.setval\(')_timescaledb_/;
const END_OF_ROWS = '\\.';

/** Takes the lines of the script one after the other and gives what psql gets for each. */
function lineReader(): (line: string) => string {
  /* Its table of hypertables stands before all chunks: pg_dump orders by schema. */
  const hypertables = new Map<string | undefined, string>();
  const keep = (line: string) => `${line}\n`;
  const leave = () => '';
  let showRow: ((row: string) => string) | null = null;

  const begin = (line: string): string => {
    const [, table = '', columns = ''] = COPY.exec(line) ?? [];
    const hypertable = CHUNK.exec(table)?.[1];
    if (hypertable !== undefined) {
      const target = hypertables.get(hypertable);
      if (target === undefined) throw new Error(`The backup does not say whose rows those of ${table} are`);
      showRow = keep;
      return keep(`COPY ${target} (${columns}) FROM stdin;`);
    }
    if (table === '_timescaledb_catalog.hypertable') {
      const names = columns.split(', ');
      showRow = (row) => {
        const cells = row.split('\t');
        const cell = (name: string) => cells[names.indexOf(name)];
        hypertables.set(cell('id'), `${cell('schema_name')}.${cell('table_name')}`);
        return '';
      };
      return '';
    }
    const shown = OF_TIMESCALEDB.test(line) ? leave : keep;
    if (table !== '') showRow = shown;
    return shown(line);
  };

  return (line) => {
    const show = showRow ?? begin;
    if (line === END_OF_ROWS) showRow = null;
    return show(line);
  };
}
