import { sql } from 'kysely';
import type { ExpiringRows, RowRemoval } from '../../platform/retention.ts';
import { updateSigningKeysRemoved } from './keys/queries.ts';

/** Counted from the end of the token's life: long enough to see that a rotated token came back. */
const DEAD_TOKEN = { days: 30 };

/** In this order: what refers to a row goes before it. */
export const oauthRowsKept: readonly ExpiringRows[] = [
  /* A sign-in lasts 15 minutes; the codes of the last hour are counted by address. */
  { table: 'one_time_codes', key: ['id'], at: 'created_at', keptFor: { hours: 2 } },
  { table: 'authorization_requests', key: ['id'], at: 'created_at', keptFor: { hours: 2 } },
  /* Codes that gave nothing; the others go with their grant. */
  {
    table: 'authorization_codes',
    key: ['hash'],
    at: 'expires_at',
    keptFor: DEAD_TOKEN,
    also: sql<boolean>`grant_id IS NULL`,
  },
  { table: 'refresh_tokens', key: ['hash'], at: 'expires_at', keptFor: DEAD_TOKEN },
  /* A grant without refresh tokens has issued its last access token long ago, if it is as old as they live. */
  {
    table: 'grants',
    key: ['id'],
    at: 'created_at',
    keptFor: DEAD_TOKEN,
    also: sql<boolean>`NOT EXISTS (
      SELECT FROM refresh_tokens AS token
       WHERE token.organization_id = grants.organization_id AND token.grant_id = grants.id)`,
  },
  /* Tokens that were given back and would be over by now. */
  { table: 'revoked_tokens', key: ['jti'], at: 'expires_at', keptFor: {} },
  /* Those of the last day are counted by account. */
  { table: 'wrong_one_time_codes', key: ['id'], at: 'created_at', keptFor: { hours: 24 } },
];

/** Counted from a key's last signature; its last token is over within 60 minutes. */
export const signingKeysKept: RowRemoval = {
  name: 'signing_keys',
  keptFor: () => ({ hours: 24 }),
  portion: 5_000,
  remove: updateSigningKeysRemoved,
};
