import { randomInt } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './queries.ts';

const NUMBER_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const NUMBER_CHARACTERS = 8;
/** 36^8 numbers: a second draw is rare, a fifth one does not happen. */
const DRAWS_MAX = 5;

function drawnNumber(): string {
  return Array.from({ length: NUMBER_CHARACTERS }, () =>
    NUMBER_ALPHABET.charAt(randomInt(NUMBER_ALPHABET.length)),
  ).join('');
}

/** With a number for people that no other contract of the organization has. */
export async function insertSubscription(
  connection: Connection,
  organization: string,
  subscription: Omit<Insertable<Tables['subscriptions']>, 'organization_id' | 'number'>,
): Promise<SubscriptionRow> {
  for (let draw = 0; draw < DRAWS_MAX; draw += 1) {
    const row = await connection
      .insertInto('subscriptions')
      .values({ ...subscription, organization_id: organization, number: drawnNumber() })
      .onConflict((on) => on.columns(['organization_id', 'number']).doNothing())
      .returning(SUBSCRIPTION_COLUMNS)
      .executeTakeFirst();
    if (row !== undefined) return row;
  }
  throw new Error('No free subscription number was drawn');
}
