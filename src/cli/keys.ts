import { Command } from 'commander';
import { listSigningKeys } from '../oauth/key-queries.ts';
import { ensureSigningKey } from '../oauth/keys.ts';
import { printTable } from './output.ts';
import { withSession } from './session.ts';

export function keysCommand(): Command {
  const command = new Command('keys').description('keys that sign access tokens');
  command
    .command('list')
    .description('the published keys; makes the first one where there is none')
    .option('--json', 'as a list of JSON objects')
    .action((options: { json?: boolean }) =>
      withSession(async (session) => {
        await ensureSigningKey(session);
        const now = session.clock.now().toISOString();
        const rows = await session.database.asService((connection) => listSigningKeys(connection, now));
        const shown = rows.map(({ private_key_encrypted: _, public_jwk: __, ...row }) => row);
        printTable(shown, ['kid', 'signs', 'created_at', 'signs_from', 'signs_until'], options);
      }),
    );
  return command;
}
