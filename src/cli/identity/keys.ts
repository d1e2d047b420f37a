import { resealSecrets } from '../../events/endpoints/rotate.ts';
import { ensureSigningKey } from '../../identity/oauth/keys/keys.ts';
import { listSigningKeys, type SigningKeyRow } from '../../identity/oauth/keys/queries.ts';
import { resealSigningKeys, rotateSigningKey } from '../../identity/oauth/keys/rotation.ts';
import { organizations } from '../../identity/organizations/service.ts';
import { command } from '../engine/command.ts';
import { ACT, JSON_LIST, JSON_OBJECT } from '../engine/fields.ts';

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
  'rotate-encryption': command({
    words:
      'encrypts what the database holds encrypted with the first key of ENCRYPTION_KEY; secrets stay what they are',
    examples: ["--reason 'yearly change'", "--reason 'an environment file was lost' --json"],
    notes:
      'ENCRYPTION_KEY=NEW,OLD stands in the environment of every API and worker process before. When this command is done, OLD can go.',
    options: { ...ACT, ...JSON_OBJECT },
    work: async ({ act, ...session }) => {
      let webhook_endpoints = 0;
      for (const { id } of await organizations(session.database))
        webhook_endpoints += await resealSecrets(session, id, act);
      return { signing_keys: await resealSigningKeys(session, act), webhook_endpoints };
    },
  }),
};

function stateOf(key: Pick<SigningKeyRow, 'signs' | 'ended'>): string {
  if (key.signs) return 'signing';
  return key.ended ? 'retired' : 'next';
}
