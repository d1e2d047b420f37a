import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mailReceiptJob } from '../../../src/pages/portal/jobs.ts';
import { mailReceipt } from '../../../src/pages/portal/mail-receipt.ts';
import { worker } from '../../../src/platform/jobs/jobs.ts';
import { createMail } from '../../../src/platform/mail.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { runCommand } from '../../cli/command-line.ts';
import { newEmail } from '../../identity/oauth/visitor.ts';
import { createHousehold, createSubscription } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { workJobs } from '../../setup/work-jobs.ts';
import { Portal, words } from './link.ts';

/* The end of a contract by its customer: termination and withdrawal, each with its button and its receipt. */

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.start();
});
afterAll(() => portal.close());

const ACTIVE = {
  status: 'active',
  start_at: '2025-12-31T23:00:00Z',
  confirmed_at: '2025-12-10T10:00:00Z',
} as const;
const FRESH = {
  status: 'pending',
  start_at: '2026-12-31T23:00:00Z',
  confirmed_at: '2026-11-18T10:00:00Z',
} as const;

async function contractOf(input: Parameters<typeof createSubscription>[3] = ACTIVE, language = 'de-DE') {
  const place = await portal.customer();
  const { id } = await createSubscription(portal.api.deps, portal.organization, place, input);
  return { id, customer: place.customer, visitor: await portal.signedIn(place.customer, language) };
}

const rowOf = async (id: string) =>
  (
    await storedRows<Record<string, string | null>>(
      portal.api,
      `SELECT status, termination_reason AS reason, (end_at AT TIME ZONE 'Europe/Berlin')::text AS end
         FROM subscriptions WHERE id = $1`,
      [id],
    )
  )[0];

const topicsOf = async (id: string) =>
  (
    await storedRows<{ topic: string }>(
      portal.api,
      "SELECT topic FROM events WHERE context ->> 'subscription' = $1 ORDER BY topic",
      [id],
    )
  ).map(({ topic }) => topic);

const actsOf = async (id: string) =>
  (await auditRows(portal.api, portal.organization, 'subscription.terminate'))
    .filter(({ object_id }) => object_id === id)
    .map(({ route }) => route);

/** Works off the receipts that are due, with this mail. */
const mailReceipts = (mail = portal.api.deps.mail) =>
  workJobs({ ...portal.api, deps: { ...portal.api.deps, mail } }, [worker(mailReceiptJob, mailReceipt)]);

async function mailsTo(customer: string): Promise<string[]> {
  const [{ email = '' } = {}] = await storedRows<{ email: string }>(
    portal.api,
    'SELECT email FROM customers WHERE id = $1',
    [customer],
  );
  const folder = portal.api.deps.config.MAIL_FOLDER;
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return texts.filter((text) => text.includes(email));
}

describe('termination', () => {
  test('is two presses away from the contracts, in the words of the law', async () => {
    const { id, visitor } = await contractOf();
    const overview = await visitor.open(`${portal.url}/overview`);
    expect(overview.text).toContain(`/overview/contracts/${id}/terminate">Verträge hier kündigen`);
    const page = await visitor.open(portal.page(id, 'terminate'));
    expect(page.text).toContain('>jetzt kündigen</button>');
    expect(words(page.text)).toContain('letzter Tag frühestens');
    expect(await rowOf(id)).toMatchObject({ status: 'active', reason: null });
  });

  test('has the effect that it has through the interface, and a receipt with day and time, also by mail', async () => {
    const [mine, theirs] = [await contractOf(), await contractOf()];
    const page = await mine.visitor.open(portal.page(mine.id, 'terminate'));
    const sent = await mine.visitor.submit(page, { kind: 'ORDINARY', day: '' });
    expect(sent.status).toBe(303);
    const client = await portal.client();
    await client.post(`/subscriptions/${theirs.id}/terminate`, { reason: 'ORDINARY' });
    expect(await rowOf(mine.id)).toEqual(await rowOf(theirs.id));
    expect(await topicsOf(mine.id)).toEqual(await topicsOf(theirs.id));
    expect(await actsOf(mine.id)).toEqual(['POST /portal/overview/contracts/:id/terminate']);
    const receipt = await mine.visitor.follow(sent, portal.api.baseUrl);
    expect(words(receipt.text)).toMatch(
      /Erklärung Ordentliche Kündigung Eingegangen 20\.11\.2026, 11:00:\d\d Letzter Tag \d+\. \S+ 202\d/,
    );
    await mailReceipts();
    expect(await mailsTo(mine.customer)).toHaveLength(1);
    expect(await mailsTo(theirs.customer)).toEqual([]);
  });

  test('has a receipt that waits where no mail can be sent, one for each declaration, and a page that promises none', async () => {
    const { id, customer, visitor } = await contractOf(ACTIVE, 'en');
    const page = await visitor.open(portal.page(id, 'terminate'));
    for (const day of ['2027-01-31', '2026-12-31'])
      expect((await visitor.submit(page, { kind: 'MOVE_OUT', day })).status).toBe(303);
    const { deps } = portal.api;
    await mailReceipts(
      createMail({ ...deps, config: { ...deps.config, MAIL_FOLDER: import.meta.filename } }),
    );
    expect(await mailsTo(customer)).toEqual([]);
    portal.clock.advance(60_000);
    await mailReceipts();
    const days = (await mailsTo(customer)).map((text) => /Last day: (.*)/.exec(text)?.[1]).sort();
    expect(days).toEqual(['31 December 2026', '31 January 2027']);
    const promise = 'we send the receipt to your e-mail address, too';
    expect((await visitor.open(portal.page(id, 'ended'))).text).toContain(promise);
    const { mail } = deps;
    Object.assign(deps, { mail: { ...mail, isOn: false } });
    try {
      expect((await visitor.open(portal.page(id, 'ended'))).text).not.toContain(promise);
    } finally {
      Object.assign(deps, { mail });
    }
  });

  test('without a mail server has a receipt on its page alone: no mail fails, and no run is given up', async () => {
    const { id, customer, visitor } = await contractOf();
    const page = await visitor.open(portal.page(id, 'terminate'));
    expect((await visitor.submit(page, { kind: 'ORDINARY', day: '' })).status).toBe(303);
    const { deps } = portal.api;
    const metrics = createMetrics({ runtime: false });
    const config = { ...deps.config, APP_ENV: 'production', SMTP_URL: undefined } as const;
    await mailReceipts(createMail({ ...deps, metrics, config }));
    expect(await metrics.text()).toMatch(/mails_total\{outcome="failed"\} 0\n/);
    const runs = await storedRows(
      portal.api,
      "SELECT state, attempts, result FROM job_runs WHERE job = 'mail-receipt' AND payload ->> 'subscription' = $1",
      [id],
    );
    expect(runs).toEqual([{ state: 'done', attempts: 1, result: { mails: 0 } }]);
    expect(await mailsTo(customer)).toEqual([]);
    expect(words((await visitor.open(portal.page(id, 'ended'))).text)).toContain(
      'Haben Sie hier gekündigt oder widerrufen, schicken wir die Bestätigung auch an Ihre E-Mail-Adresse, wenn uns eine bekannt ist.',
    );
  });

  test('has a receipt that is mailed in the slots of what waits for servers of others', () => {
    expect(mailReceiptJob.pool).toBe('requests');
  });

  test('of a day that is named takes that day, and one that is too early is refused at its field', async () => {
    const { id, visitor } = await contractOf();
    const page = await visitor.open(portal.page(id, 'terminate'));
    for (const [fields, status] of [
      [{ kind: 'ORDINARY', day: '2026-11-21' }, 409],
      [{ kind: 'MOVE_OUT', day: '' }, 400],
      [{ kind: 'MOVE_OUT', day: '2026-02-31' }, 400],
      [{ kind: '__proto__', day: '<i>' }, 400],
      [{ kind: 'WITHDRAWAL', day: '9999999-01-01' }, 400],
    ] as const) {
      const refused = await visitor.submit(page, fields);
      expect([fields, refused.status]).toEqual([fields, status]);
      expect(refused.text).toContain('aria-invalid="true"');
    }
    expect(await rowOf(id)).toMatchObject({ reason: null });
    const sent = await visitor.submit(page, { kind: 'MOVE_OUT', day: '31.01.2027' });
    expect(sent.status).toBe(303);
    expect(await rowOf(id)).toMatchObject({ reason: 'MOVE_OUT', end: '2027-02-01 00:00:00' });
    const overview = await visitor.open(`${portal.url}/overview`);
    expect(words(overview.text)).toContain('Letzter Tag 31. Januar 2027');
  });

  test('pressed twice is declared once', async () => {
    const { id, visitor } = await contractOf();
    const page = await visitor.open(portal.page(id, 'terminate'));
    const fields = { kind: 'ORDINARY', day: '' };
    const answers = await Promise.all([visitor.submit(page, fields), visitor.submit(page, fields)]);
    const receipt = portal.page(id, 'ended');
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [303, receipt],
      [303, receipt],
    ]);
    expect(await actsOf(id)).toHaveLength(1);
    expect(await topicsOf(id)).toHaveLength(1);
  });
});

describe('withdrawal', () => {
  test('is offered while its 14 days run, confirmed on a page, and receipted', async () => {
    const { id, visitor } = await contractOf(FRESH);
    const overview = await visitor.open(`${portal.url}/overview`);
    expect(overview.text).toContain(`/overview/contracts/${id}/withdraw">Vertrag widerrufen`);
    const page = await visitor.open(portal.page(id, 'withdraw'));
    expect(page.text).toContain('>Widerruf bestätigen</button>');
    expect(await rowOf(id)).toMatchObject({ reason: null });
    const answers = await Promise.all([visitor.submit(page, {}), visitor.submit(page, {})]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect(await rowOf(id)).toMatchObject({ reason: 'WITHDRAWAL' });
    expect(await actsOf(id)).toEqual(['POST /portal/overview/contracts/:id/withdraw']);
    const receipt = await visitor.open(portal.page(id, 'ended'));
    expect(words(receipt.text)).toContain('Erklärung Widerruf Eingegangen 20.11.2026');
    const behind = await visitor.open(`${portal.url}/overview`);
    expect(behind.text).not.toMatch(new RegExp(`${id}/(withdraw|terminate)`));
    expect(behind.text).toContain(`${id}/ended">Bestätigung des Widerrufs`);
    expect(words(behind.text)).toContain('Letzter Tag keiner, die Belieferung beginnt nicht');
    const terminate = await visitor.open(portal.page(id, 'terminate'));
    expect(terminate.headers.get('location')).toBe(portal.page(id, 'ended'));
  });

  test('is not offered where supply ends as early already, and the page says so', async () => {
    const supplied = { ...ACTIVE, start_at: '2026-11-18T23:00:00Z', confirmed_at: '2026-11-18T10:00:00Z' };
    const { id, visitor } = await contractOf(supplied);
    const open = await visitor.open(portal.page(id, 'withdraw'));
    const form = await visitor.open(portal.page(id, 'terminate'));
    expect((await visitor.submit(form, { kind: 'MOVE_OUT', day: '25.11.2026' })).status).toBe(303);
    const overview = await visitor.open(`${portal.url}/overview`);
    expect(overview.text).not.toContain(`${id}/withdraw`);
    for (const page of [await visitor.open(portal.page(id, 'withdraw')), await visitor.submit(open, {})]) {
      const seen = words(page.text);
      expect(page.status).toBe(409);
      expect(seen).toContain(
        'Letzter Tag der Belieferung ist der 25. November 2026. Früher kann er nicht enden.',
      );
      expect(seen).not.toContain('14 Tage');
    }
    expect(await rowOf(id)).toMatchObject({ reason: 'MOVE_OUT' });
  });

  test('is named to persons alone', async () => {
    const pending = { status: 'pending', start_at: null, confirmed_at: null } as const;
    const person = await contractOf(pending);
    const name = { first_name: 'Ayşe', last_name: 'Öz', company_name: 'Bäckerei Öz' };
    const customer = { type: 'company', email: newEmail(), ...name } as const;
    const company = await createHousehold(portal.api.deps, portal.organization, { customer });
    const { id } = await createSubscription(portal.api.deps, portal.organization, company, pending);
    const seen = async (visitor: typeof person.visitor, contract: string) =>
      words((await visitor.open(portal.page(contract, 'terminate'))).text);
    expect(await seen(person.visitor, person.id)).toContain('Bis dahin können Sie ihn widerrufen.');
    const theirs = await seen(await portal.signedIn(company.customer), id);
    expect(theirs).toContain('Kündigen können Sie den Vertrag erst danach.');
    expect(theirs).not.toContain('widerrufen');
  });

  test('of a contract that is not confirmed ends it at once', async () => {
    const { id, visitor } = await contractOf({ status: 'pending', start_at: null, confirmed_at: null }, 'en');
    const terminate = await visitor.open(portal.page(id, 'terminate'));
    expect(words(terminate.text)).toContain('The supply is not confirmed yet');
    const page = await visitor.open(portal.page(id, 'withdraw'));
    expect((await visitor.submit(page, {})).status).toBe(303);
    expect(await rowOf(id)).toMatchObject({ status: 'ended', reason: 'WITHDRAWAL' });
    expect(words((await visitor.open(portal.page(id, 'ended'))).text)).toContain('the supply does not begin');
  });

  test('has no receipt by mail where the person was erased before one could leave', async () => {
    const unconfirmed = { status: 'pending', start_at: null, confirmed_at: null } as const;
    const { id, customer, visitor } = await contractOf(unconfirmed);
    const page = await visitor.open(portal.page(id, 'withdraw'));
    expect((await visitor.submit(page, {})).status).toBe(303);
    const { deps, database } = portal.api;
    await mailReceipts(
      createMail({ ...deps, config: { ...deps.config, MAIL_FOLDER: import.meta.filename } }),
    );
    const { exitCode, stderr } = await runCommand(
      { DATABASE_OWNER_URL: database.ownerUrl, SECRET_PEPPER: deps.config.SECRET_PEPPER },
      ...['customers', 'erase', customer, '--organization', portal.organization],
      ...['--reason', 'asked', '--yes'],
    );
    expect([exitCode, stderr]).toEqual([0, '']);
    portal.clock.advance(60_000);
    await mailReceipts();
    expect(await mailsTo(customer)).toEqual([]);
  });

  test('is over behind them, and no form brings it back', async () => {
    const { id, visitor } = await contractOf({ ...FRESH, confirmed_at: '2026-11-05T10:00:00Z' });
    expect((await visitor.open(`${portal.url}/overview`)).text).not.toContain(`${id}/withdraw`);
    const page = await visitor.open(portal.page(id, 'withdraw'));
    expect([page.status, words(page.text).includes('nicht mehr möglich')]).toEqual([409, true]);
    const form = await visitor.open(portal.page(id, 'terminate'));
    const forged = { ...form, text: form.text.replaceAll(`${id}/terminate`, `${id}/withdraw`) };
    expect((await visitor.submit(forged, {})).status).toBe(409);
    expect(await rowOf(id)).toMatchObject({ reason: null });
  });
});

test("another customer's contract is neither seen nor ended by its id", async () => {
  const [mine, theirs] = [await contractOf(FRESH), await contractOf(FRESH)];
  for (const name of ['terminate', 'withdraw']) {
    expect((await mine.visitor.open(portal.page(theirs.id, name))).status).toBe(404);
    const form = await mine.visitor.open(portal.page(mine.id, name));
    const forged = { ...form, text: form.text.replaceAll(mine.id, theirs.id) };
    expect((await mine.visitor.submit(forged, { kind: 'ORDINARY', day: '' })).status).toBe(404);
  }
  expect((await mine.visitor.open(portal.page(theirs.id, 'ended'))).status).toBe(404);
  expect(await rowOf(theirs.id)).toMatchObject({ reason: null });
});
