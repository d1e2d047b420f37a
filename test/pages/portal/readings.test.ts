import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSubscription, type TestSubscription } from '../../setup/factories.ts';
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
  return { ...contract, customer: place.customer, visitor: await portal.signedIn(place.customer) };
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
  const other = await visitor.submit(form, { value: '101', day: '2026-11-20' });
  expect([other.status, words(other.text).includes('schon einen anderen Zählerstand')]).toEqual([409, true]);
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
    '422 Dieser Tag liegt vor einem späteren Zählerstand oder ist abgerechnet. Hier melden Sie Stände ab dem 2. November 2026. Einen früheren trägt Ihr Anbieter ein.',
  );
  expect(await answered('5051', '2026-11-01')).toBe(
    '409 Für diesen Tag gibt es schon einen anderen Zählerstand. Ist er falsch, berichtigt ihn Ihr Anbieter.',
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
    /2\. Nov\. 2026 200 von Ihnen 15\. Sept\. 2026 100 von/,
  );
});

test('the form is there only while a reading can be taken, and begins with a day that is', async () => {
  const [smart, analog] = [await supplied({ meter_type: 'smart' }), await supplied()];
  const never = await supplied({ start_at: '2026-10-31T23:00:00Z', end_at: '2026-10-31T23:00:00Z' });
  const ended = await supplied({
    ...{ status: 'ended', start_at: '2026-08-31T22:00:00Z', end_at: '2026-10-31T23:00:00Z' },
  });
  const seen = async ({ visitor, id }: typeof analog) => {
    const overview = await visitor.open(`${portal.url}/overview`);
    const page = await visitor.open(portal.page(id, 'reading'));
    const day = /id="day"[^>]* value="([^"]*)"/.exec(page.text)?.[1];
    return [
      overview.text.includes(portal.page(id, 'reading').slice(portal.url.length)),
      day,
      words(page.text),
    ];
  };
  expect(await seen(smart)).toEqual([
    false,
    undefined,
    expect.stringContaining('sendet seine Stände selbst'),
  ]);
  expect(await seen(analog)).toEqual([true, '2026-11-20', expect.not.stringContaining('selbst')]);
  expect(await seen(never)).toEqual([false, undefined, expect.stringContaining('werden keine')]);
  expect(await seen(ended)).toEqual([true, '2026-11-01', expect.not.stringContaining('werden keine')]);
  const form = await ended.visitor.open(portal.page(ended.id, 'reading'));
  expect((await ended.visitor.submit(form, { value: '900', day: '2026-11-01' })).status).toBe(303);
  expect(await seen(ended)).toEqual([true, undefined, expect.stringContaining('ist schon da')]);
  const today = await analog.visitor.open(portal.page(analog.id, 'reading'));
  expect((await analog.visitor.submit(today, { value: '900', day: '2026-11-20' })).status).toBe(303);
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
