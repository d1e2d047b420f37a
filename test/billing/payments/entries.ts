import type { Insertable } from 'kysely';
import type { Tables } from '../../../src/platform/database/tables.ts';
import type { Deps } from '../../../src/platform/deps.ts';
import { newId } from '../../../src/platform/ids.ts';

type EntryInput = Partial<Omit<Insertable<Tables['bank_entries']>, 'organization_id' | 'id'>>;

/** A movement on the account that fitted nothing by itself, straight into the table. */
export async function createEntry(
  { deps: { database, clock } }: { deps: Pick<Deps, 'database' | 'clock'> },
  organization: string,
  given: EntryInput = {},
): Promise<string> {
  const id = newId('bke');
  await database.inOrganization({ organization }, (connection) =>
    connection
      .insertInto('bank_entries')
      .values({
        ...{
          organization_id: organization,
          id,
          identity: id,
          provider: 'bank_files',
          booked_on: '2027-01-27',
        },
        ...{ amount: '119.00', state: 'unmatched', note: 'no_bill', imported_at: clock.now().toISOString() },
        ...given,
      })
      .execute(),
  );
  return id;
}
