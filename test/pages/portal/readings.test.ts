import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeMeter } from '../../../src/contracts/meters/change.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { createSubscription, type TestSubscription } from '../../setup/factories.ts';
import { issueDocument } from '../../setup/invoices.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { Portal, words } from './link.ts';

/* A customer tells on a page what the meter shows. */

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.start();
});
afterAll(() => portal.close());

async function supplied(input: Parameters<typeof createSubscription>[3] = {}) {
  const place = await portal.customer();
  const contract = await createSubscription(portal.api.deps, portal.organization, place, {
    ...{ status: 'active', ...input },
  });
  return { ...place, ...contract, visitor: await portal.signedIn(place.customer) };
}

const kept = ({ id }: Pick<TestSubscription, 'id'>) =>
  storedRows<{ id: string; value: string; day: string; type: string }>(
    portal.api,
    'SELECT id, value::text, read_on::text AS day, type FROM meter_readings WHERE subscription_id = $1',
    [id],
  );

test('a reading is stored as the interface stores it, with its line in the audit log, and thanked for', async () => {
  const { visitor, ...contract } = await supplied();
  const form = await visitor.open(portal.page(contract.id, 'reading'));
  expect([form.status, form.text.includes('value="2026-11-20"')]).toEqual([200, true]);
  const sent = await visitor.submit(form, { value: ' 18 342,7 ', day: '2026-11-19' });
  expect(sent.status).toBe(303);
  const rows = await kept(contract);
  expect(rows).toEqual([{ id: rows[0]?.id, value: '18342.7', day: '2026-11-19', type: 'customer_report' }]);
  const thanks = await visitor.follow(sent, portal.api.baseUrl);
  expect(words(thanks.text)).toContain(
    'Danke, wir haben 18.342,7 kWh für den 19. November 2026 gespeichert.',
  );
  expect(words(thanks.text)).toContain('19. Nov. 2026 18.342,7 von Ihnen');
  const lines = await auditRows(portal.api, portal.organization, 'meter_reading.create');
  expect(lines.filter(({ object_id }) => object_id === rows[0]?.id)).toEqual([
    expect.objectContaining({ route: 'POST /portal/overview/contracts/:id/reading', result: 'done' }),
  ]);
});

test('a second press stores nothing twice, and leads to the same page', async () => {
  const { visitor, ...contract } = await supplied();
  const form = await visitor.open(portal.page(contract.id, 'reading'));
  const fields = { value: '100', day: '20.11.2026' };
  const answers = await Promise.all([visitor.submit(form, fields), visitor.submit(form, fields)]);
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
  expect(await kept(contract)).toHaveLength(1);
});

/** What counts, as the interface lists it. */
async function listed({ id }: Pick<TestSubscription, 'id'>): Promise<string[]> {
  const path = `/meter-readings?filter[subscription][eq]=${id}`;
  const { body } = await (await portal.client()).get<{ items: Record<string, unknown>[] }>(path);
  return body.items.map(({ timestamp, value }) => `${timestamp} ${value}`).sort();
}

/** Addresses of the links beside the readings that can be corrected, the newest first. */
const correctionsOf = ({ text }: { text: string }) =>
  [...text.matchAll(/href="([^"]*correct=[^"]*)"/g)].map(([, to]) => new URL(to ?? '', portal.url).href);

/** What a browser sends, with the reading that the form of a page replaces. */
const sentFrom = ({ text }: { text: string }, value: string, day: string) => ({
  ...{ value, day, correct: /name="correct" value="([^"]*)"/.exec(text)?.[1] ?? '' },
});

test('a wrong reading of the own gives way to another of its day, and the audit log has both', async () => {
  const { visitor, ...contract } = await supplied({ start_at: '2026-10-31T23:00:00Z' });
  const page = portal.page(contract.id, 'reading');
  const form = await visitor.open(page);
  await visitor.submit(form, { value: '1000', day: '2026-11-01' });
  await visitor.submit(form, { value: '1009,5', day: '2026-11-20' });
  const full = await visitor.open(page);
  expect(words(full.text)).toContain('Ist er falsch, berichtigen Sie ihn unten.');
  const correcting = await visitor.open(correctionsOf(full)[1] ?? '');
  expect(correcting.text).toMatch(/value="1000".*value="2026-11-01"/s);
  expect(words(correcting.text)).toContain('ersetzt Ihren Zählerstand vom 1. November 2026');
  /* Between two readings, and no more than the next one. */
  const tooHigh = await visitor.submit(correcting, sentFrom(correcting, '1010', '2026-11-01'));
  expect([tooHigh.status, words(tooHigh.text)]).toEqual([
    422,
    expect.stringContaining('höchstens 1.009,5 kWh'),
  ]);
  expect(tooHigh.text).toContain('value="1010"');
  const twice = sentFrom(tooHigh, '990', '2026-11-01');
  const answers = await Promise.all([visitor.submit(correcting, twice), visitor.submit(correcting, twice)]);
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  const after = await visitor.open(page);
  expect(correctionsOf(after)).toHaveLength(1);
  const shown = words(after.text);
  expect([shown.includes('1. Nov. 2026 990 von Ihnen'), shown.includes('1.000')]).toEqual([true, false]);
  expect(await listed(contract)).toEqual(['2026-10-31T23:00:00.000Z 990', '2026-11-19T23:00:00.000Z 1009.5']);
  const rows = await kept(contract);
  const wrong = rows.find(({ value }) => value === '1000')?.id;
  const lines = await auditRows(portal.api, portal.organization, 'meter_reading.');
  expect(lines.filter(({ object_id }) => object_id === wrong)).toMatchObject([
    { act: 'meter_reading.create' },
    { act: 'meter_reading.withdraw', route: 'POST /portal/overview/contracts/:id/reading', result: 'done' },
  ]);
  expect(rows).toHaveLength(3);
  /* By the interface a second one of a day stays a conflict. */
  const sent = { subscription: contract.id, value: 991, timestamp: '2026-11-01T12:00:00Z' };
  expect((await (await portal.client()).post('/meter-readings', sent)).status).toBe(409);
});

test('a reading that a bill rests on, or that the operator took, is corrected by the supplier', async () => {
  const { visitor, ...contract } = await supplied({ start_at: '2026-08-31T22:00:00Z', number: 'PORTALD1' });
  const page = portal.page(contract.id, 'reading');
  const form = await visitor.open(page);
  await visitor.submit(form, { value: '1000', day: '2026-09-01' });
  await visitor.submit(form, { value: '1050', day: '2026-11-05' });
  await billOctober(contract);
  await visitor.submit(form, { value: '1060', day: '2026-11-19' });
  const shown = await visitor.open(page);
  /* That of 5 November says what October used. */
  expect(shown.text.match(/correct=mr_/g)).toHaveLength(1);
  expect(words(shown.text)).toMatch(/auf dem eine Rechnung beruht, .* kann nur Ihr Anbieter berichtigen/);
  for (const day of ['2026-09-01', '2026-11-05']) {
    const { status, text } = await visitor.submit(form, { value: '1049', day });
    expect([status, words(text)]).toEqual([409, expect.stringContaining('auf dem eine Rechnung beruht')]);
  }
  /* Only what says that it replaces does. */
  const told = await visitor.submit(form, { value: '1061', day: '2026-11-19' });
  expect([told.status, words(told.text)]).toEqual([
    409,
    expect.stringMatching(
      /ersetzt Ihren Zählerstand vom 19\. November 2026\. Für diesen Tag haben Sie schon/,
    ),
  ]);
  expect((await visitor.submit(told, sentFrom(told, '1061', '2026-11-19'))).status).toBe(303);
  await storedRows(
    portal.api,
    `INSERT INTO meter_readings (organization_id, customer_id, subscription_id, id, meter_id, value, read_on, type)
     VALUES ($1, $2, $3, 'mr_' || left(md5($3), 24), $4, 1062, '2026-11-20', 'grid_reading')`,
    [portal.organization, contract.customer, contract.id, contract.meter],
  );
  const operators = await visitor.submit(form, { value: '1063', day: '2026-11-20' });
  expect([operators.status, words(operators.text)]).toEqual([
    409,
    expect.stringContaining('schon einen anderen Zählerstand'),
  ]);
});

const cli = (...args: string[]) =>
  runCommand(
    testEnvironment(portal.api.database, 'redis://127.0.0.1:1'),
    ...[...args, '--organization', portal.organization, '--reason', 'photo of the meter'],
  );

test('what the back office corrected, billed or not, is not overwritten by the customer', async () => {
  const { visitor, ...contract } = await supplied({ start_at: '2026-08-31T22:00:00Z', number: 'PORTALE1' });
  const page = portal.page(contract.id, 'reading');
  const form = await visitor.open(page);
  await visitor.submit(form, { value: '1000', day: '2026-09-01' });
  await visitor.submit(form, { value: '1050', day: '2026-11-05' });
  await visitor.submit(form, { value: '1060', day: '2026-11-19' });
  const offered = correctionsOf(await visitor.open(page));
  expect(offered).toHaveLength(3);
  await billOctober(contract);
  const staffs = { '2026-11-19': '1058', '2026-11-05': '1040' };
  for (const [index, [day, value]] of Object.entries(staffs).entries()) {
    const id = offered[index]?.split('=')[1] ?? '';
    expect(await cli('meter-readings', 'correct', id, '--value', value)).toMatchObject({ exitCode: 0 });
    expect(correctionsOf(await visitor.open(page))).toEqual([]);
    for (const correct of ['', id]) {
      const { status, text } = await visitor.submit(form, { day, value: '1049', correct });
      expect([status, words(text)]).toEqual([409, expect.stringContaining('der schon berichtigt wurde')]);
    }
  }
});

test('a reading of a wrong day gives way to that of the right one, and none counts beside it', async () => {
  const { visitor, ...contract } = await supplied({ start_at: '2026-08-31T22:00:00Z' });
  const page = portal.page(contract.id, 'reading');
  const form = await visitor.open(page);
  await visitor.submit(form, { value: '1000', day: '2026-09-01' });
  await visitor.submit(form, { value: '1010', day: '2026-11-18' });
  const correcting = await visitor.open(correctionsOf(await visitor.open(page))[0] ?? '');
  const sent = sentFrom(correcting, '1010', '2026-11-17');
  for (let times = 0; times < 2; times += 1)
    expect((await visitor.submit(correcting, sent)).status).toBe(303);
  expect(await listed(contract)).toEqual(['2026-08-31T22:00:00.000Z 1000', '2026-11-16T23:00:00.000Z 1010']);
  const late = await visitor.submit(correcting, { ...sent, day: '2026-11-19' });
  expect([late.status, words(late.text)]).toEqual([409, expect.stringContaining('schon berichtigt wurde')]);
  /* A day that has another one keeps it, and what does not fit changes nothing. */
  const moved = await visitor.open(correctionsOf(await visitor.open(page))[0] ?? '');
  const taken = await visitor.submit(moved, sentFrom(moved, '1011', '2026-09-01'));
  expect([taken.status, words(taken.text)]).toEqual([409, expect.stringContaining('schon einen anderen')]);
  const low = await visitor.submit(moved, sentFrom(moved, '999', '2026-11-19'));
  expect([low.status, words(low.text)]).toEqual([422, expect.stringContaining('mindestens 1.000 kWh')]);
  expect(await listed(contract)).toHaveLength(2);
  const { stderr } = await cli('meter-readings', 'correct', sent.correct);
  expect(stderr).toContain('counts in its place');
});

test('the reading that closes an exchanged device is not offered to be corrected', async () => {
  const contract = await supplied({ start_at: '2026-08-31T22:00:00Z' });
  await send(contract, '2026-09-01', '1000');
  await send(contract, '2026-11-05', '1050');
  const device = ['--on', '2026-11-05', '--number', '1EMH0012345678', '--opening', '0'];
  expect(await cli('meters', 'exchange', contract.meter, ...device)).toMatchObject({ exitCode: 0 });
  const shown = await contract.visitor.open(portal.page(contract.id, 'reading'));
  expect(correctionsOf(shown)).toHaveLength(1);
  expect(words(shown.text)).toContain('mit dem ein Zähler ausgebaut wurde');
});

test('bad input is named at its field, and what was typed stays', async () => {
  const { visitor, ...contract } = await supplied();
  const form = await visitor.open(portal.page(contract.id, 'reading'));
  await visitor.submit(form, { value: '500', day: '2026-11-01' });
  const cases: [Record<string, string>, number, string][] = [
    [{ value: '18.342', day: '2026-11-20' }, 400, 'value'],
    [{ value: '<b>"', day: '2026-11-20' }, 400, 'value'],
    [{ value: '0', day: '2026-11-20' }, 400, 'value'],
    [{ value: '9999999999999999999', day: '2026-11-20' }, 400, 'value'],
    [{ value: '400', day: '2026-11-20' }, 422, 'value'],
    [{ value: '600', day: '2026-02-30' }, 400, 'day'],
    [{ value: '600', day: '0001-01-01' }, 400, 'day'],
    [{ value: '600', day: '2026-11-21' }, 400, 'day'],
    [{ value: '600', day: '1999-01-01' }, 400, 'day'],
    [{ value: '600', day: `${'9'.repeat(5000)}` }, 400, 'day'],
    [{}, 400, 'value'],
  ];
  for (const [fields, status, field] of cases) {
    const { status: got, text } = await visitor.submit(form, fields);
    expect([fields, got]).toEqual([fields, status]);
    const input = new RegExp(`<input id="${field}"[^>]*>`).exec(text)?.[0] ?? '';
    expect(input).toContain('aria-invalid="true"');
    expect(text).toContain(`role="alert" id="error-${field}"`);
  }
  const again = await visitor.submit(form, { value: '12,3,4"', day: '31.12.2026' });
  expect(again.text).toContain('value="12,3,4&quot;"');
  expect(again.text).toContain('value="2026-12-31"');
  expect(await kept(contract)).toHaveLength(1);
});

test('each rule has its words: the bound that is broken, the first day that is open, and who corrects', async () => {
  const { visitor, ...contract } = await supplied({ start_at: '2026-08-31T22:00:00Z' });
  const form = await visitor.open(portal.page(contract.id, 'reading'));
  const answered = async (value: string, day: string) => {
    const { status, text } = await visitor.submit(form, { value, day });
    return `${status} ${/role="alert" id="[^"]*">([^<]*)/.exec(text)?.[1] ?? ''}`.replaceAll('\u00a0', ' ');
  };
  expect(await answered('5000,5', '2026-10-01')).toBe('303 ');
  expect(await answered('4000', '2026-11-01')).toMatch(/^422 .* mindestens 5\.000,5 kWh: So viel hatte/);
  expect(await answered('5001', '2026-09-15')).toMatch(/^422 .* höchstens 5\.000,5 kWh\. Bitte sehen/);
  expect(await answered('5050', '2026-11-01')).toBe('303 ');
  expect(await answered('5020', '2026-10-15')).toBe(
    '422 Dieser Tag liegt vor einem späteren Zählerstand oder ist abgerechnet: Seinen Stand trägt Ihr Anbieter ein. Hier melden Sie Stände ab dem 2. November 2026.',
  );
  expect(await answered('5049', '2026-11-01')).toBe(
    '409 Für diesen Tag haben Sie schon einen anderen Zählerstand gemeldet.',
  );
});

test('readings stand in the order of their days, however late they came', async () => {
  const { visitor, ...contract } = await supplied({ start_at: '2026-08-31T22:00:00Z' });
  const form = await visitor.open(portal.page(contract.id, 'reading'));
  for (const fields of [
    { value: '200', day: '2026-11-02' },
    { value: '100', day: '2026-09-15' },
  ])
    expect((await visitor.submit(form, fields)).status).toBe(303);
  expect(words((await visitor.open(portal.page(contract.id, 'reading'))).text)).toMatch(
    /2\. Nov\. 2026 200 von Ihnen berich\u00adtigen 15\. Sept\. 2026 100 von/,
  );
});

type Supplied = Awaited<ReturnType<typeof supplied>>;

/** Whether the overview leads to the page, which day its form begins with, and what it says. */
async function seen({ visitor, id }: Pick<Supplied, 'visitor' | 'id'>) {
  const overview = await visitor.open(`${portal.url}/overview`);
  const page = await visitor.open(portal.page(id, 'reading'));
  const day = /id="day"[^>]* value="([^"]*)"/.exec(page.text)?.[1];
  return [overview.text.includes(portal.page(id, 'reading').slice(portal.url.length)), day, words(page.text)];
}

async function send({ visitor, id }: Pick<Supplied, 'visitor' | 'id'>, day: string, value: string) {
  const form = await visitor.open(portal.page(id, 'reading'));
  expect((await visitor.submit(form, { value, day })).status).toBe(303);
}

/** Until the first of a month. */
async function billOctober({ id, customer }: Pick<Supplied, 'id' | 'customer'>) {
  const [row] = await storedRows<{ number: string }>(
    portal.api,
    'SELECT number FROM subscriptions WHERE id = $1',
    [id],
  );
  const contract = {
    organization: portal.organization,
    customer,
    subscription: id,
    number: row?.number ?? '',
  };
  const period = { from: '2026-10-01', until: '2026-11-01' };
  await issueDocument(portal.api.deps, contract, { period, periodNumber: 1 });
}

test('what is billed, or read for the contract that follows at the meter, is offered in no form', async () => {
  const ending = {
    status: 'ended',
    start_at: '2026-03-31T22:00:00Z',
    end_at: '2026-06-30T22:00:00Z',
  } as const;
  const first = await supplied({ ...ending, number: 'PORTALA1' });
  const place = { household: first.household, customer: first.customer, address: first.address };
  const next = await createSubscription(portal.api.deps, portal.organization, place, {
    ...{ status: 'active', start_at: '2026-06-30T22:00:00Z', number: 'PORTALB1' },
  });
  const form = await first.visitor.open(portal.page(first.id, 'reading'));
  expect(form.text).toContain('value="2026-07-01"');
  await billOctober({ ...next, customer: first.customer });
  expect(await seen(first)).toEqual([true, undefined, expect.stringContaining('trägt ihn Ihr Anbieter ein')]);
  const late = await first.visitor.submit(form, { value: '900', day: '2026-07-01' });
  expect([late.status, words(late.text)]).toEqual([422, expect.stringContaining('trägt Ihr Anbieter ein.')]);
  expect(words(late.text)).not.toContain('Hier melden Sie');
  expect(await seen({ ...first, id: next.id })).toEqual([true, '2026-11-20', expect.anything()]);

  const read = await supplied({ ...ending, number: 'PORTALA2' });
  const follower = await createSubscription(
    ...[portal.api.deps, portal.organization],
    { household: read.household, customer: read.customer, address: read.address },
    { status: 'active', start_at: '2026-06-30T22:00:00Z', number: 'PORTALB2' },
  );
  await send(read, '2026-04-01', '500');
  await send({ ...read, id: follower.id }, '2026-07-01', '540');
  expect(await seen(read)).toEqual([true, undefined, expect.stringContaining('ist schon da')]);
});

test('a meter that became smart takes its closing reading until later days are billed', async () => {
  const contract = await supplied({ start_at: '2026-08-31T22:00:00Z', number: 'PORTALC1' });
  const now = portal.clock.now().toISOString();
  const act = { staff: 'ada', reason: 'a smart meter', command: 'tests', now };
  const change = { valid_from: '2026-10-01', type: 'smart' } as const;
  await changeMeter(portal.api.deps.database, portal.organization, contract.meter, change, act);
  expect(await seen(contract)).toEqual([true, '2026-10-01', expect.not.stringContaining('selbst')]);
  await billOctober(contract);
  expect(await seen(contract)).toEqual([
    true,
    undefined,
    expect.stringContaining('sendet seine Stände selbst'),
  ]);
});

test('the form is there only while a reading can be taken, and begins with a day that is', async () => {
  const [smart, analog] = [await supplied({ meter_type: 'smart' }), await supplied()];
  await send(analog, '2026-10-21', '800');
  const never = await supplied({ start_at: '2026-10-31T23:00:00Z', end_at: '2026-10-31T23:00:00Z' });
  const ended = await supplied({
    ...{ status: 'ended', start_at: '2026-08-31T22:00:00Z', end_at: '2026-10-31T23:00:00Z' },
  });
  expect(await seen(smart)).toEqual([
    false,
    undefined,
    expect.stringContaining('sendet seine Stände selbst'),
  ]);
  expect(await seen(analog)).toEqual([true, '2026-11-20', expect.not.stringContaining('selbst')]);
  expect(await seen(never)).toEqual([false, undefined, expect.stringContaining('werden keine')]);
  expect(await seen(ended)).toEqual([true, '2026-11-01', expect.not.stringContaining('werden keine')]);
  await send(ended, '2026-11-01', '900');
  expect(await seen(ended)).toEqual([
    ...[true, '2026-09-01'],
    expect.stringContaining('höchstens noch ein früherer Zählerstand'),
  ]);
  await send(ended, '2026-09-01', '700');
  expect(await seen(ended)).toEqual([true, undefined, expect.stringContaining('ist schon da')]);
  await send(analog, '2026-11-20', '840');
  expect(await seen(analog)).toEqual([true, undefined, expect.stringContaining('ist schon da')]);
  const feedIn = await supplied({ type: 'feed_in' });
  expect((await feedIn.visitor.open(portal.page(feedIn.id, 'reading'))).status).toBe(404);
});

test('nobody enters one for somebody else, or from elsewhere, or when signed out', async () => {
  const [mine, theirs] = [await supplied(), await supplied()];
  const form = await mine.visitor.open(portal.page(mine.id, 'reading'));
  const foreign = { ...form, text: form.text.replaceAll(mine.id, theirs.id) };
  const fields = { value: '1', day: '2026-11-20' };
  expect((await mine.visitor.submit(foreign, fields)).status).toBe(404);
  expect((await theirs.visitor.submit(form, fields)).status).toBe(403);
  const csrf = await mine.visitor.submit(form, { ...fields, _csrf: 'x' });
  expect(csrf.status).toBe(403);
  portal.clock.advance(13 * 3_600_000);
  expect((await mine.visitor.submit(form, fields)).status).toBe(401);
  expect(await kept(mine)).toEqual([]);
  expect(await kept(theirs)).toEqual([]);
});
