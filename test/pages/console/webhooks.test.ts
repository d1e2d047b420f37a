import { afterAll, beforeAll, expect, test } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import { createListener } from '../../../src/events/endpoints/create.ts';
import { newId } from '../../../src/platform/ids.ts';
import { testReceiver } from '../../events/requests/receiver.ts';
import type { Page, Visitor } from '../../identity/oauth/visitor.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createFailedDelivery, createTenant } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { expectSoundPage, press, signedIn } from './console.ts';

let api: TestApi;
let organization: string;
let visitor: Visitor;
let foreign: Visitor;

beforeAll(async () => {
  api = await startApi({ environment: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
  ({ organization } = await createTenant(api));
  visitor = await signedIn(api, organization);
  foreign = await signedIn(api, (await createTenant(api)).organization, 'de');
});
afterAll(() => api.close());

const open = (path: string, who = visitor) => who.open(`${api.baseUrl}/console${path}`);
const actsAs = { staff: 'ada', reason: 'test', command: 'listen' };
const reason = { reason: 'yearly <b>change</b>' };
const acts = async (act: string) => await auditRows(api, organization, act);

let endpoint: string;
let event: string;
let path: string;

beforeAll(async () => {
  const failed = { attempts: 2, description: 'Receiver <1>' };
  ({ endpoint, event } = await createFailedDelivery(api, organization, failed));
  path = `/webhooks/${endpoint}/${event}`;
  await storedRows(
    api,
    `INSERT INTO delivery_attempts (organization_id, event_id, endpoint_id, number, at, status, error, answer, milliseconds)
     VALUES ($1, $2, $3, 1, now(), NULL, 'time_out', '', 10000), ($1, $2, $3, 2, now(), 500, NULL, '<script>oh</script>', 17)`,
    [organization, event, endpoint],
  );
});

/** Another one each time, made by the form. */
async function newReceiver(): Promise<string> {
  const fields = { url: 'https://93.184.215.14/hook', ...reason };
  const made = await press(visitor, await open('/webhooks'), '/console/webhooks', fields);
  return /whe_\w{24}/.exec(made.text)?.[0] ?? '';
}

const storedReceiver = async (id: string) =>
  (
    await storedRows<{ topics: string[] | null }>(api, 'SELECT * FROM webhook_endpoints WHERE id = $1', [id])
  )[0];
const actsOn = async (id: string, act: string) =>
  (await acts(act)).filter(({ object_id }) => object_id === id).map(({ route, reason: why }) => [route, why]);

/** The texts that the form of a receiver shows. */
const shownIn = ({ text }: Page) =>
  Object.fromEntries(
    [...text.matchAll(/ id="change-(url|description|contact_email)" .*? value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );

test('receivers and deliveries are shown with state, attempts and answer, and filtered', async () => {
  for (const query of ['', '?state=failed', `?endpoint=${endpoint}&state=failed`]) {
    const page = await open(`/webhooks${query}`);
    expectSoundPage(page);
    expect(page.text).toMatch(/Receiver &lt;1&gt;.*>failing</);
    expect(page.text).toMatch(/subscription\.created.*>given up<.*>2<.*>500</);
  }
  expect((await open('/webhooks?state=delivered')).text).toContain('There is no such delivery.');
  const page = await open(path);
  expectSoundPage(page);
  expect(page.text).toContain('<td data-column="Status">no answer in time</td>');
  expect(page.text).toContain('&lt;script&gt;oh&lt;/script&gt;');
});

test('older deliveries follow page by page with their filter, each once, also those of one moment', async () => {
  const failed = { attempts: 1, description: 'Many' };
  const { endpoint: many } = await createFailedDelivery(api, organization, failed);
  await storedRows(
    api,
    `WITH made AS (
       INSERT INTO events (organization_id, id, topic, timestamp, context)
       SELECT $1, 'evt_' || lpad(n::text, 24, '0'), 'subscription.created', now(), '{}' FROM generate_series(1, 120) AS n
       RETURNING id)
     INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, state, attempts, attempts_in_all, next_at)
     SELECT $1, id, $2, 'cancelled', 1, 1, NULL FROM made`,
    [organization, many],
  );
  const filters = `endpoint=${many}&state=cancelled`;
  const shown: string[] = [];
  const counts: number[] = [];
  for (let query: string | undefined = `?${filters}`; query !== undefined; ) {
    const page = await open(`/webhooks${query}`);
    expectSoundPage(page);
    const ids = [...page.text.matchAll(/<code class="below">(evt_\w+)</g)].map(([, id = '']) => id);
    shown.push(...ids);
    counts.push(ids.length);
    query = /href="\/console\/webhooks(\?[^"]*after=[^"]*)">Older/
      .exec(page.text)?.[1]
      ?.replaceAll('&amp;', '&');
    if (query !== undefined) expect(query).toContain(filters);
  }
  expect([counts, new Set(shown).size]).toEqual([[50, 50, 20], 120]);
  expect((await open(`/webhooks?${filters}&after=2026-11-20T10:00:00Z.evt_x`)).status).toBe(200);
});

test('nobody of another organization sees a delivery or sends it again', async () => {
  expect((await open('/webhooks', foreign)).text).not.toContain(event);
  expect((await open(path, foreign)).status).toBe(404);
  const theirs = await open('/keys', foreign);
  const action = `/console${path}/resend`;
  const form = { ...theirs, text: theirs.text.replace('action="/console/keys"', `action="${action}"`) };
  expect((await press(foreign, form, action, reason)).status).toBe(404);
  expect(await acts('webhook_delivery.resend')).toEqual([]);
});

test('a new receiver shows its secret once, hears its topics, and is made once', async () => {
  const fields = { url: 'https://93.184.215.14/hook?token=abc', description: 'New <1>', ...reason };
  const chosen = { 'invoice.created': 'yes', 'subscription.ended': 'yes', 'no.topic': 'yes' };
  const page = await open('/webhooks');
  expectSoundPage(page);
  const made = await press(visitor, page, '/console/webhooks', { ...fields, ...chosen });
  expectSoundPage(made);
  const id = /whe_\w{24}/.exec(made.text)?.[0] ?? '';
  expect(made.text.match(/whsec_[A-Za-z0-9+/=]{44}/g)).toHaveLength(1);
  const again = await press(visitor, page, '/console/webhooks', { ...fields, ...chosen });
  const place = `${api.baseUrl}/console/webhooks?notice=shown`;
  expect([again.status, again.headers.get('location')]).toEqual([303, place]);
  const list = await open('/webhooks');
  expect(list.text.match(/<th scope="row"><a href="[^"]*">New &lt;1&gt;/g)).toHaveLength(1);
  expect(list.text).not.toContain('whsec_');
  expect(
    await storedRows(api, 'SELECT topics, contact_email FROM webhook_endpoints WHERE id = $1', [id]),
  ).toEqual([
    { topics: expect.arrayContaining(['invoice.created', 'subscription.ended']), contact_email: null },
  ]);
  expect(await acts('webhook_endpoint.create')).toMatchObject([
    {
      ...{ object_id: id, staff: expect.stringMatching(/^usr_/), reason: reason.reason },
      ...{ route: 'POST /console/webhooks', request_id: expect.any(String) },
    },
  ]);
});

test('a receiver that may not be is not made, and another organization never sees one', async () => {
  const before = (await acts('webhook_endpoint.create')).length;
  const page = await open('/webhooks');
  for (const [fields, words] of [
    [{ url: 'ftp://receiver.example/' }, 'Address (https://…): The address must begin with https://'],
    [
      { url: 'https://93.184.215.14/', contact_email: 'nobody' },
      'E-mail address to tell when it does not answer: ',
    ],
    [{ url: 'https://93.184.215.14/', reason: '' }, 'Reason: Needed'],
  ] as const) {
    const refused = await press(visitor, page, '/console/webhooks', { ...reason, ...fields });
    expect([fields, refused.status, refused.text.includes(words)]).toEqual([fields, 400, true]);
  }
  expect((await acts('webhook_endpoint.create')).length).toBe(before);
  expect((await open('/webhooks', foreign)).text).toContain('Es gibt noch keinen Empfänger.');
});

test('a receiver is changed by form: what was typed anew, and nothing that somebody else changed meanwhile', async () => {
  const id = await newReceiver();
  const address = `/console/webhooks/${id}`;
  const [page, late] = [await open(`/webhooks/${id}`), await open(`/webhooks/${id}`)];
  expectSoundPage(page);
  const shown = shownIn(page);
  const changed = { ...shown, description: 'Moved <2>', 'invoice.created': 'yes' };
  const sent = await press(visitor, page, `${address}/change`, { ...changed, ...reason });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `${api.baseUrl}${address}`]);
  const nowhere = { ...shown, url: 'ftp://nowhere/', 'subscription.ended': 'yes', ...reason };
  const refused = await press(visitor, late, `${address}/change`, nowhere);
  expect([refused.status, shownIn(refused).url]).toEqual([400, 'ftp://nowhere/']);
  expect(refused.text).toMatch(/<details open>\s*<summary>Change/);
  expect(refused.text).toMatch(/name="subscription\.ended" type="checkbox" value="yes" checked/);
  expect(refused.text).not.toMatch(/name="invoice\.created" type="checkbox" value="yes" checked/);
  const moved = { ...shownIn(refused), url: 'https://93.184.215.14/moved' };
  expect((await press(visitor, refused, `${address}/change`, { ...moved, ...reason })).status).toBe(303);
  expect(await storedReceiver(id)).toMatchObject({
    ...{ url: 'https://93.184.215.14/moved', description: 'Moved <2>', topics: ['invoice.created'] },
  });
  const after = await open(`/webhooks/${id}`);
  expectSoundPage(after);
  expect(after.text).toMatch(/name="invoice\.created" type="checkbox" value="yes" checked/);
  const same = { ...shownIn(after), 'invoice.created': 'yes', ...reason };
  expect((await press(visitor, after, `${address}/change`, same)).status).toBe(303);
  expect(await actsOn(id, 'webhook_endpoint.change')).toEqual([
    ['POST /console/webhooks/:endpoint/change', reason.reason],
    ['POST /console/webhooks/:endpoint/change', reason.reason],
  ]);
});

test('a secret is renewed by form and shown once; the next is refused in its overlap, unless nobody has put that one in', async () => {
  const id = await newReceiver();
  const rotate = `/console/webhooks/${id}/rotate`;
  const page = await open(`/webhooks/${id}`);
  const rotated = await press(visitor, page, rotate, { ...reason, kind: 'overlap' });
  expectSoundPage(rotated);
  expect(rotated.text.match(/whsec_[A-Za-z0-9+/=]{44}/g)).toHaveLength(1);
  expect(rotated.text).toContain(`href="/console/webhooks/${id}"`);
  const again = await press(visitor, page, rotate, { ...reason, kind: 'overlap' });
  expect([again.status, again.headers.get('location')]).toEqual([
    303,
    `${api.baseUrl}/console/webhooks/${id}?notice=lost`,
  ]);
  const after = await visitor.follow(again, api.baseUrl);
  expect(after.text).toContain('renew it as one that nobody has put in');
  expect(after.text).toContain('The secret before signs until');
  expect(after.text).not.toContain('whsec_');
  const refused = await press(visitor, after, rotate, { ...reason, kind: 'overlap' });
  expect([refused.status, refused.text.includes('An earlier secret signs until')]).toEqual([409, true]);
  expect((await press(visitor, after, rotate, { ...reason, kind: 'stolen' })).status).toBe(400);
  expect((await press(visitor, after, rotate, { ...reason, kind: 'lost' })).status).toBe(200);
  const next = await open(`/webhooks/${id}`);
  expect((await press(visitor, next, rotate, { ...reason, kind: 'compromised' })).status).toBe(200);
  expect((await open(`/webhooks/${id}`)).text).not.toContain('The secret before signs until');
  expect(await actsOn(id, 'webhook_secret.rotate')).toHaveLength(3);
});

test('a test event is sent by form, once, and the page shows the answer or why none came', async () => {
  let status = 200;
  await using receiver = await testReceiver((_request, response) => {
    response.writeHead(status).end('<b>thank you</b>');
  });
  const fields = { url: receiver.url, ...reason };
  const made = await press(visitor, await open('/webhooks'), '/console/webhooks', fields);
  const id = /whe_\w{24}/.exec(made.text)?.[0] ?? '';
  const send = `/console/webhooks/${id}/test`;
  const page = await open(`/webhooks/${id}`);
  const sent = await press(visitor, page, send, reason);
  expectSoundPage(sent);
  expect(sent.text).toContain('The receiver took it.');
  expect(sent.text).toContain('&lt;b&gt;thank you&lt;/b&gt;');
  expect((await press(visitor, page, send, reason)).status).toBe(303);
  expect(receiver.requests.map(({ body }) => JSON.parse(body))).toEqual([
    expect.objectContaining({ id: /evt_test_\w+/.exec(sent.text)?.[0], topic: 'test.event' }),
  ]);
  status = 500;
  const failed = await press(visitor, await open(`/webhooks/${id}`), send, reason);
  expect(failed.text).toMatch(
    /class="warning" role="status">The receiver did not take it\..*<code[^>]*>500</s,
  );
  await storedRows(api, "UPDATE webhook_endpoints SET url = 'https://10.0.0.1/' WHERE id = $1", [id]);
  const refused = await press(visitor, await open(`/webhooks/${id}`), send, reason);
  expect(refused.text).toMatch(
    /The receiver did not take it\..*<code[^>]*>nothing is sent to this address</s,
  );
  expect(receiver.requests).toHaveLength(2);
  expect(await actsOn(id, 'webhook_endpoint.test')).toEqual(
    [1, 2, 3].map(() => ['POST /console/webhooks/:endpoint/test', reason.reason]),
  );
});

test('a receiver is switched off and on and deleted by form, each once and with its reason', async () => {
  const id = await newReceiver();
  const address = `/console/webhooks/${id}`;
  const on = await open(`/webhooks/${id}`);
  expect((await press(visitor, on, `${address}/disable`, reason)).status).toBe(303);
  expect((await press(visitor, on, `${address}/disable`, reason)).status).toBe(303);
  const off = await open(`/webhooks/${id}`);
  expectSoundPage(off);
  expect(off.text).toMatch(/Switched off<\/dt><dd>.*, by a person</);
  expect((await press(visitor, off, `${address}/enable`, reason)).status).toBe(303);
  expect((await open(`/webhooks/${id}`)).text).toContain(`action="${address}/disable"`);
  const refused = await press(visitor, off, `${address}/delete`, { reason: ' ' });
  expect([refused.status, refused.text.includes('Reason: Needed')]).toEqual([400, true]);
  for (const notice of ['', '?notice=sent']) {
    const sent = await press(visitor, off, `${address}/delete`, reason);
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      `${api.baseUrl}/console/webhooks${notice}`,
    ]);
  }
  expect((await open(`/webhooks/${id}`)).status).toBe(404);
  expect((await press(visitor, on, `${address}/rotate`, { ...reason, kind: 'lost' })).status).toBe(404);
  for (const act of ['disable', 'enable', 'delete']) {
    expect([act, await actsOn(id, `webhook_endpoint.${act}`)]).toEqual([
      act,
      [[`POST /console/webhooks/:endpoint/${act}`, reason.reason]],
    ]);
  }
});

test('a program that listens has a page, on which its topics are changed and no secret is renewed', async () => {
  const act = { ...actsAs, now: api.deps.clock.now().toISOString() };
  const { id } = await createListener({ database: api.deps.database, topics }, organization, {}, act);
  const page = await open(`/webhooks/${id}`);
  expectSoundPage(page);
  expect([page.text.includes('/rotate'), page.text.includes('name="url"')]).toEqual([false, false]);
  const change = `/console/webhooks/${id}/change`;
  expect((await press(visitor, page, change, { 'invoice.created': 'yes', ...reason })).status).toBe(303);
  expect((await storedReceiver(id))?.topics).toEqual(['invoice.created']);
});

test('nobody of another organization sees or changes a receiver, also not by its id', async () => {
  const id = await newReceiver();
  const before = await storedReceiver(id);
  expect((await open(`/webhooks/${id}`, foreign)).status).toBe(404);
  const theirs = await open('/keys', foreign);
  for (const act of ['change', 'rotate', 'test', 'resend', 'disable', 'enable', 'delete']) {
    const path = `/console/webhooks/${id}/${act}`;
    const form = { ...theirs, text: theirs.text.replace('action="/console/keys"', `action="${path}"`) };
    const typed = { ...reason, kind: 'compromised', url: 'https://93.184.215.14/theirs' };
    expect([act, (await press(foreign, form, path, typed)).status]).toEqual([act, 404]);
  }
  expect(await storedReceiver(id)).toEqual(before);
});

test('a delivery is sent again once, with its reason', async () => {
  const page = await open(path);
  for (const notice of ['', '?notice=sent']) {
    const sent = await press(visitor, page, `/console${path}/resend`, reason);
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      `${api.baseUrl}/console${path}${notice}`,
    ]);
  }
  expect((await open(path)).text).toMatch(/State<\/dt><dd>waits</);
  expect(await acts('webhook_delivery.resend')).toMatchObject([
    { object_id: event, staff: expect.stringMatching(/^usr_/), reason: reason.reason },
  ]);
});

test('all that failed is sent again once by a form of the receiver, with its reason, while it is on', async () => {
  const failed = { attempts: 2, description: 'Back again' };
  const { endpoint: back, event: lost } = await createFailedDelivery(api, organization, failed);
  const action = `/console/webhooks/${back}/resend`;
  const waits = "UPDATE webhook_endpoints SET wait_until = now() + interval '1 day' WHERE id = $1";
  await storedRows(api, waits, [back]);
  const page = await open(`/webhooks/${back}`);
  expect(page.text).toMatch(/Wants to be asked again<\/dt><dd>\d/);
  expectSoundPage(page);
  const refused = await press(visitor, page, action, { reason: ' ' });
  expect([refused.status, refused.text.includes('Reason: Needed')]).toEqual([400, true]);
  for (const notice of ['', '?notice=sent']) {
    const sent = await press(visitor, page, action, reason);
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      `${api.baseUrl}/console/webhooks/${back}${notice}`,
    ]);
  }
  expect((await open(`/webhooks/${back}/${lost}`)).text).toMatch(/State<\/dt><dd>waits</);
  expect(await actsOn(back, 'webhook_delivery.resend_failed')).toEqual([
    ['POST /console/webhooks/:endpoint/resend', reason.reason],
  ]);
  expect((await press(visitor, page, `/console/webhooks/${back}/disable`, reason)).status).toBe(303);
  expect((await open(`/webhooks/${back}`)).text).not.toContain(`action="${action}"`);
});

test('what is typed into an address harms nothing', async () => {
  for (const [below, status] of [
    ['/webhooks/x/y', 404],
    [`/webhooks/${endpoint}/${newId('evt')}`, 404],
    ['/webhooks?endpoint=<script>', 400],
    ['/webhooks?state=<script>', 200],
    ['/keys/%00', 404],
    [`/keys/${newId('oac')}`, 404],
  ] as const) {
    const page = await open(below);
    expect([below, page.status, page.text.includes('<script>')]).toEqual([below, status, false]);
  }
});
