import { Command } from 'commander';
import { ensureSigningKey } from '../../identity/oauth/keys/keys.ts';
import { listSigningKeys, type SigningKeyRow } from '../../identity/oauth/keys/queries.ts';
import { rotateSigningKey } from '../../identity/oauth/keys/rotation.ts';
import { printObject, printTable } from '../output.ts';
import { type ActOptions, staffAct, withActOptions, withSession } from '../session.ts';

interface KeyOptions {
  json?: boolean;
}

export function keysCommand(): Command {
  return new Command('keys').addCommand(list()).addCommand(rotate());
}

function list(): Command {
  return new Command('list')
    .description('the published keys; makes the first one where there is none')
    .option('--json', 'as a list of JSON objects')
    .action((options: KeyOptions) =>
      withSession(async (session) => {
        await ensureSigningKey(session);
        const now = session.clock.now().toISOString();
        const rows = await session.database.asService((connection) => listSigningKeys(connection, now));
        const shown = rows.map(({ kid, created_at, signs_from, signs_until, published_until, ...row }) => ({
          kid,
          state: stateOf(row),
          created_at,
          signs_from,
          signs_until,
          published_until,
        }));
        const columns = ['kid', 'state', 'created_at', 'signs_from', 'signs_until', 'published_until'];
        printTable(shown, columns, options);
      }),
    );
}

function stateOf(key: Pick<SigningKeyRow, 'signs' | 'ended'>): string {
  if (key.signs) return 'signing';
  return key.ended ? 'retired' : 'next';
}

function rotate(): Command {
  return withActOptions(new Command('rotate'))
    .description(
      'publishes a new key; it takes over the signing 11 minutes later, and no token becomes invalid',
    )
    .option('--json', 'as one JSON object')
    .action((options: KeyOptions & ActOptions) =>
      withSession(async (session) => {
        await ensureSigningKey(session);
        const rotation = await rotateSigningKey(session, staffAct(session, options, 'keys rotate'));
        printObject({ ...rotation }, options);
      }),
    );
}
