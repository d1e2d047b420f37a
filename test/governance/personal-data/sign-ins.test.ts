import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../cli/command-line.ts';
import { mailedCode, newEmail, type Page, Visitor, wrongFor } from '../../identity/oauth/visitor.ts';
import { Portal } from '../../pages/portal/link.ts';
import { administrator } from '../../setup/administrator.ts';
import { addTrigger } from '../../setup/engine.ts';
import { createHousehold } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

/* How a person's ways into the portal end with the erasure, those of this very moment too. */

let portal: Portal;

beforeAll(async () => {
  portal = await Portal.start();
  const admin = administrator(portal.api.database.adminUrl);
  await admin.query(
    'CREATE TABLE gate (is_open boolean); INSERT INTO gate VALUES (true); GRANT SELECT ON gate TO PUBLIC',
  );
  await addTrigger(admin, {
    name: 'wait_at_gate',
    when: 'BEFORE INSERT ON portal_sessions FOR EACH ROW',
    body: 'WHILE NOT (SELECT is_open FROM gate) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NEW;',
  });
});
afterAll(() => portal?.close());

async function customer(): Promise<{ id: string; email: string }> {
  const email = newEmail();
  const names = { type: 'person', first_name: 'Ada', last_name: 'Amsel', email } as const;
  const { customer: id } = await createHousehold(portal.api.deps, portal.organization, { customer: names });
  return { id, email };
}

async function codePage(visitor: Visitor, email: string): Promise<Page> {
  const login = await visitor.open(`${portal.url}/login`);
  return await visitor.follow(await visitor.submit(login, { email }), portal.api.baseUrl);
}

const erase = (id: string) =>
  runCommand(
    {
      DATABASE_OWNER_URL: portal.api.database.ownerUrl,
      SECRET_PEPPER: portal.api.deps.config.SECRET_PEPPER,
    },
    ...['customers', 'erase', id, '--organization', portal.organization, '--reason', 'asked', '--yes'],
  );

const left = () =>
  storedRows(
    portal.api,
    `SELECT (SELECT count(*)::int FROM portal_sessions) AS sessions, (SELECT count(*)::int FROM magic_links) AS links,
            (SELECT count(*)::int FROM one_time_codes) AS codes,
            (SELECT count(*)::int FROM wrong_one_time_codes) AS wrong`,
  );
const NOTHING = [{ sessions: 0, links: 0, codes: 0, wrong: 0 }];

/** Erases while the session that somebody is about to get waits for its gate. */
async function eraseDuring(id: string, signIn: () => Promise<Page>): Promise<void> {
  await storedRows(portal.api, 'UPDATE gate SET is_open = false');
  const signingIn = signIn();
  const waits = async (event: string) =>
    (
      await storedRows(
        portal.api,
        'SELECT FROM pg_stat_activity WHERE datname = current_database() AND $1 IN (wait_event, wait_event_type)',
        [event],
      )
    ).length > 0;
  while (!(await waits('PgSleep')));
  const erasing = erase(id);
  let isDone = false;
  void erasing.then(() => {
    isDone = true;
  });
  while (!isDone && !(await waits('Lock')));
  await storedRows(portal.api, 'UPDATE gate SET is_open = true');
  await signingIn;
  const { exitCode, stderr } = await erasing;
  expect([exitCode, stderr]).toEqual([0, '']);
}

test('a session, a link and a mailed code end with the erasure, and nothing is left of wrong codes', async () => {
  const { id, email } = await customer();
  const signedIn = await portal.signedIn(id);
  expect((await signedIn.open(`${portal.url}/overview`)).status).not.toBe(401);
  const link = await portal.link(id);
  const visitor = new Visitor();
  const verify = await codePage(visitor, email);
  const code = (await mailedCode(portal.api, email)) ?? '';
  expect((await visitor.submit(verify, { code: wrongFor(code) })).status).toBe(400);
  expect(await left()).toEqual([{ sessions: 1, links: 2, codes: 1, wrong: 1 }]);
  expect((await erase(id)).exitCode).toBe(0);
  expect(await left()).toEqual(NOTHING);
  expect((await signedIn.open(`${portal.url}/overview`)).status).toBe(401);
  const shown = await new Visitor().open(link);
  expect([shown.status, shown.text.includes('name="next"')]).toEqual([410, false]);
  expect((await visitor.submit(verify, { code })).status).toBe(400);
});

test('who uses a link at the moment of the erasure is signed out by it', async () => {
  const { id } = await customer();
  const link = await portal.link(id);
  await eraseDuring(id, () => portal.enter(new Visitor(), link));
  expect(await left()).toEqual([expect.objectContaining({ sessions: 0, links: 0 })]);
});

test('who types a mailed code at the moment of the erasure is signed out by it', async () => {
  const { id, email } = await customer();
  const visitor = new Visitor();
  const verify = await codePage(visitor, email);
  const code = (await mailedCode(portal.api, email)) ?? '';
  await eraseDuring(id, () => visitor.submit(verify, { code }));
  expect(await left()).toEqual([expect.objectContaining({ sessions: 0, codes: 0 })]);
});
