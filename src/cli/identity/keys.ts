import { ensureSigningKey } from '../../identity/oauth/keys/keys.ts';
import { listSigningKeys, type SigningKeyRow } from '../../identity/oauth/keys/queries.ts';
import { rotateSigningKey } from '../../identity/oauth/keys/rotation.ts';
import { command } from '../command.ts';
import { ACT, JSON_LIST, JSON_OBJECT } from '../fields.ts';

export const commands = {
  list: command({
    words: 'the published keys; makes the first one where there is none',
    examples: ['', '--json'],
    options: JSON_LIST,
    work: async (session) => {
      await ensureSigningKey(session);
      const now = session.clock.now().toISOString();
      const rows = await session.database.asService((connection) => listSigningKeys(connection, now));
      return rows.map(({ kid, created_at, signs_from, signs_until, published_until, ...row }) => ({
        ...{ kid, state: stateOf(row), created_at },
        ...{ signs_from, signs_until, published_until },
      }));
    },
    columns: ['kid', 'state', 'created_at', 'signs_from', 'signs_until', 'published_until'],
  }),
  rotate: command({
    words: 'publishes a new key; it takes over the signing 11 minutes later, and no token becomes invalid',
    examples: ["--reason 'yearly change'", "--reason 'a backup was lost' --json"],
    options: { ...ACT, ...JSON_OBJECT },
    work: async ({ act, ...session }) => {
      await ensureSigningKey(session);
      return await rotateSigningKey(session, act);
    },
  }),
};

function stateOf(key: Pick<SigningKeyRow, 'signs' | 'ended'>): string {
  if (key.signs) return 'signing';
  return key.ended ? 'retired' : 'next';
}
