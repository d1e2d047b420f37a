import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertGrant, type NewGrant, newGrantId } from '../../../src/identity/oauth/access/grant-queries.ts';
import { createClient } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { Portal, words } from './link.ts';

/* Which programs a customer has let in, and the end of it. */

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.start();
});
afterAll(() => portal.close());

async function letIn(name: string, input: { created_at?: string } = {}) {
  const { deps } = portal.api;
  const place = await portal.customer({ status: 'active' });
  const { client_id } = await createClient(deps, portal.organization, { display_name: name });
  const again = async (at: { created_at?: string } = {}) => {
    const grant: NewGrant = {
      ...{ id: newGrantId(), client_id, customer_id: place.customer, kind: 'authorization_code' },
      ...{ scopes: ['read:*'], created_at: portal.clock.now().toISOString(), ...at },
    };
    await deps.database.inOrganization({ organization: portal.organization }, (connection) =>
      insertGrant(connection, portal.organization, grant),
    );
    return grant.id;
  };
  return { grant: await again(input), again, visitor: await portal.signedIn(place.customer) };
}

const revoked = async (grant: string) =>
  (
    await storedRows<{ reason: string | null }>(
      portal.api,
      'SELECT revoked_reason AS reason FROM grants WHERE id = $1',
      [grant],
    )
  )[0]?.reason;

const consents = () => `${portal.url}/overview/consents`;

test('a program is named with what it may do; ending it revokes its grant, once', async () => {
  const { grant, visitor } = await letIn('Wallbox <b>');
  const page = await visitor.open(consents());
  expect(words(page.text)).toContain(
    'Wallbox &lt;b&gt; erlaubt am 20.11.2026, 11:00:00 Ihre Haushalte und Geräte',
  );
  expect(words(page.text)).not.toContain('Zählerstände für Sie melden');
  const heard: unknown[] = [];
  const emitted = portal.api.deps.changed.emit;
  portal.api.deps.changed.emit = (change) => {
    heard.push(change);
    emitted(change);
  };
  for (let press = 0; press < 2; press += 1) {
    const sent = await visitor.submit(page, { consent: grant });
    expect(sent.status).toBe(303);
  }
  portal.api.deps.changed.emit = emitted;
  expect(await revoked(grant)).toBe('customer');
  expect(heard).toEqual([{ organization: portal.organization, object: grant }]);
  const lines = await auditRows(portal.api, portal.organization, 'grant.revoke');
  expect(lines.filter(({ object_id }) => object_id === grant).map(({ route }) => route)).toEqual([
    'POST /portal/overview/consents',
  ]);
  const after = await visitor.open(`${consents()}?ended=1`);
  expect(words(after.text)).toContain('Der Zugriff ist beendet. Zurzeit hat kein Programm Zugriff.');
});

test('a program that was let in twice stands there with the time of each', async () => {
  const { again, visitor } = await letIn('Doppelt', { created_at: '2026-11-20T06:00:00Z' });
  await again({ created_at: '2026-11-20T07:30:05Z' });
  const { text } = await visitor.open(consents());
  expect(text.match(/erlaubt am [^<]+/g)).toEqual([
    'erlaubt am 20.11.2026, 08:30:05',
    'erlaubt am 20.11.2026, 07:00:00',
  ]);
  const said = [...text.matchAll(/ aria-describedby="(grt_\w+ grt_\w+-since)"/g)].map(([, ids]) => ids);
  expect(new Set(said).size).toBe(2);
});

test('one that came to its own end is not shown', async () => {
  const { visitor } = await letIn('Alt', { created_at: '2026-05-01T00:00:00Z' });
  expect(words((await visitor.open(consents())).text)).toContain('Zurzeit hat kein Programm Zugriff.');
});

test("another customer's consents are neither seen nor ended, and typed junk is no program", async () => {
  const [mine, theirs] = [await letIn('Meines'), await letIn('Fremdes')];
  const page = await mine.visitor.open(consents());
  expect(page.text).not.toContain('Fremdes');
  for (const consent of [theirs.grant, 'grt_000000000000000000000000', '', '\u0000', 'x'.repeat(9_000)]) {
    expect((await mine.visitor.submit(page, { consent })).status).toBe(404);
  }
  expect(await revoked(theirs.grant)).toBeNull();
});
