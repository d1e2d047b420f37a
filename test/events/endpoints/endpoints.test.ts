import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import { changeEndpoint } from '../../../src/events/endpoints/change.ts';
import { createListener } from '../../../src/events/endpoints/create.ts';
import { listEndpoints, readEndpoint } from '../../../src/events/endpoints/read.ts';
import { rotateSecret } from '../../../src/events/endpoints/rotate.ts';
import { sendTestEvent } from '../../../src/events/endpoints/send-test.ts';
import { deleteEndpoint, disableEndpoint, enableEndpoint } from '../../../src/events/endpoints/switch.ts';
import { recordEvents } from '../../../src/events/record.ts';
import { openWebhookRequests } from '../../../src/events/requests/send.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { happened } from '../../setup/events.ts';
import { createOrganization } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { HERE } from '../requests/receiver.ts';
import { actAt, depsOf, makeEndpoint } from './setup.ts';

let api: TestApi;
let organization: string;
const requests = openWebhookRequests(HERE);

beforeAll(async () => {
  api = await startApi();
  organization = await createOrganization(api.deps);
});
afterAll(async () => {
  await requests.close();
  await api.close();
});

const stored = async (id: string) =>
  (await storedRows<Record<string, unknown>>(api, 'SELECT * FROM webhook_endpoints WHERE id = $1', [id]))[0];

/** Deliveries of an endpoint in the given states, of an event each. */
async function deliveriesOf(endpoint: string, ...states: string[]): Promise<void> {
  const now = api.deps.clock.now().toISOString();
  const [topic] = topics;
  if (topic === undefined) throw new Error('There is no topic');
  await api.deps.database.inOrganization({ organization }, async (connection) => {
    await recordEvents(connection, organization, states.map(() => happened(topic, now)) as never);
  });
  await storedRows(
    api,
    `INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, state, next_at, delivered_at, created_at)
     SELECT $1, e.id, $2, s.state, CASE WHEN s.state = 'pending' THEN e.timestamp END,
            CASE WHEN s.state = 'delivered' THEN e.timestamp END, e.timestamp
       FROM unnest($3::text[]) WITH ORDINALITY AS s (state, n)
       JOIN (SELECT id, timestamp, row_number() OVER (ORDER BY position DESC) AS n
               FROM events WHERE organization_id = $1) AS e USING (n)`,
    [organization, endpoint, states],
  );
}

const statesOf = async (endpoint: string) =>
  (
    await storedRows<{ state: string }>(
      api,
      'SELECT state FROM event_deliveries WHERE endpoint_id = $1 ORDER BY state',
      [endpoint],
    )
  ).map(({ state }) => state);

describe('create and change', () => {
  test('all that is wrong is told at once, with the topics that there are', async () => {
    const input = {
      url: 'http://10.0.0.1/hook',
      topics: ['subscription.created', 'subscription.creatd', 'subscription.created'],
      description: 'x'.repeat(201),
      contact_email: 'nobody',
    };
    await expect(makeEndpoint(api, organization, input)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      entries: [
        expect.objectContaining({ field: 'description' }),
        expect.objectContaining({ field: 'contact_email' }),
        { code: 'custom', field: 'url', message: 'The address must begin with https://' },
        {
          code: 'custom',
          field: 'topics.1',
          message: `There is no topic "subscription.creatd". There are: ${topics.map(({ name }) => name).join(', ')}`,
        },
        { code: 'custom', field: 'topics.2', message: 'subscription.created is named twice' },
      ],
    });
    await expect(makeEndpoint(api, organization, { topics: [] })).rejects.toMatchObject({
      entries: [expect.objectContaining({ field: 'topics', code: 'too_small' })],
    });
    await expect(makeEndpoint(api, organization, { topics: ['test.event'] })).rejects.toMatchObject({
      entries: [expect.objectContaining({ field: 'topics.0' })],
    });
  });

  test('W16 an address that must not be reached is refused at creation and at a change', async () => {
    const { id } = await makeEndpoint(api, organization);
    const deps = {
      ...depsOf(api),
      rules: { allowedNetworks: [], ports: [443], ownHosts: ['api.example.org'] },
    };
    for (const url of [
      'https://127.0.0.1/',
      'https://169.254.169.254/',
      'https://api.example.org/',
      'file:///etc',
    ]) {
      const changed = changeEndpoint(deps, organization, id, { url }, actAt(api));
      await expect(changed, url).rejects.toMatchObject({
        entries: [expect.objectContaining({ field: 'url' })],
      });
    }
    expect(await stored(id)).toMatchObject({ url: 'http://127.0.0.1:9/hook' });
  });

  test('an organization has 50 endpoints at most, however many are made at once; deleted ones do not count', async () => {
    const own = await createOrganization(api.deps);
    for (let made = 0; made < 48; made += 1) await makeEndpoint(api, own);
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => makeEndpoint(api, own)));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(4);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ code: 'CONFLICT', entries: [{ field: 'organization' }] });
      expect(String(reason.message)).toContain('has 50 webhook endpoints already');
    }
    const [first] = await listEndpoints(api.deps.database, own);
    await deleteEndpoint(api.deps.database, own, first?.id ?? '', actAt(api));
    await makeEndpoint(api, own);
    expect(await listEndpoints(api.deps.database, own)).toHaveLength(50);
  });

  test('another address has another health; another description has the same', async () => {
    const { id } = await makeEndpoint(api, organization);
    const fail = `UPDATE webhook_endpoints SET failing_since = now(), first_mail_at = now(), wait_until = now(),
                  one_at_a_time = true WHERE id = $1`;
    await storedRows(api, fail, [id]);
    const act = actAt(api, 'webhooks change');
    await changeEndpoint(depsOf(api), organization, id, { description: 'Billing' }, act);
    expect(await stored(id)).toMatchObject({ description: 'Billing', one_at_a_time: true });
    await changeEndpoint(depsOf(api), organization, id, { url: 'http://127.0.0.1:9/other' }, act);
    expect(await stored(id)).toMatchObject({
      failing_since: null,
      first_mail_at: null,
      wait_until: null,
      one_at_a_time: false,
      description: 'Billing',
    });
  });
});

describe('disable, enable, delete', () => {
  test('what waited for a disabled endpoint is cancelled and counted, what is done stays as it was', async () => {
    const { id } = await makeEndpoint(api, organization);
    await deliveriesOf(id, 'pending', 'pending', 'delivered', 'failed');
    const { endpoint, cancelled } = await disableEndpoint(api.deps.database, organization, id, actAt(api));
    expect(cancelled).toBe(2);
    expect(endpoint).toMatchObject({ disabled_at: expect.any(String), disabled_reason: 'operator' });
    expect(await statesOf(id)).toEqual(['cancelled', 'cancelled', 'delivered', 'failed']);
    expect(await disableEndpoint(api.deps.database, organization, id, actAt(api))).toMatchObject({
      cancelled: 0,
      endpoint: { disabled_at: endpoint.disabled_at },
    });
  });

  test('an endpoint that was disabled by its answers begins well when it is enabled', async () => {
    const { id } = await makeEndpoint(api, organization);
    const gone = `UPDATE webhook_endpoints SET failing_since = now(), first_mail_at = now(), wait_until = now(),
                  one_at_a_time = true, disabled_at = now(), disabled_reason = 'gone' WHERE id = $1`;
    await storedRows(api, gone, [id]);
    await enableEndpoint(api.deps.database, organization, id, actAt(api));
    expect(await stored(id)).toMatchObject({
      ...{ disabled_at: null, disabled_reason: null, failing_since: null, first_mail_at: null },
      ...{ wait_until: null, one_at_a_time: false },
    });
  });

  test('of a deleted endpoint nothing waits, nothing signs, nobody is told, and no command finds it', async () => {
    const { id } = await makeEndpoint(api, organization, { contact_email: 'ops@example.org' });
    await deliveriesOf(id, 'pending', 'failed');
    expect(await deleteEndpoint(api.deps.database, organization, id, actAt(api))).toMatchObject({
      cancelled: 1,
    });
    expect(await statesOf(id)).toEqual(['cancelled', 'failed']);
    expect(await stored(id)).toMatchObject({
      deleted_at: expect.any(Date),
      secret: Buffer.alloc(0),
      previous_secret: null,
      contact_email: null,
    });
    expect(
      (await listEndpoints(api.deps.database, organization)).map((endpoint) => endpoint.id),
    ).not.toContain(id);
    await expect(readEndpoint(api.deps.database, organization, id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const again = deleteEndpoint(api.deps.database, organization, id, actAt(api));
    await expect(again).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('every change leaves one audit row, without path, description and mail address', async () => {
    const { id } = await makeEndpoint(api, organization, {
      url: 'http://127.0.0.1:9/hook?key=canary',
      description: 'canary',
      contact_email: 'canary@example.org',
    });
    const { database } = api.deps;
    await changeEndpoint(depsOf(api), organization, id, { topics: ['subscription.ended'] }, actAt(api));
    await disableEndpoint(database, organization, id, actAt(api));
    await enableEndpoint(database, organization, id, actAt(api));
    await deleteEndpoint(database, organization, id, actAt(api));
    const rows = (await auditRows(api, organization, 'webhook_')).filter((row) => row.object_id === id);
    expect(rows.map((row) => row.act.split('.')[1])).toEqual([
      'create',
      'change',
      'disable',
      'enable',
      'delete',
    ]);
    const [{ text } = { text: '' }] = await storedRows<{ text: string }>(
      api,
      'SELECT string_agg(to_jsonb(a)::text, chr(10)) AS text FROM audit_log AS a WHERE object_id = $1',
      [id],
    );
    expect(text).toContain('"origin": "http://127.0.0.1:9"');
    expect(text).not.toContain('canary');
  });
});

describe('one organization and another', () => {
  test('nothing of an endpoint is seen or changed from another organization', async () => {
    const { id } = await makeEndpoint(api, organization, { contact_email: 'ops@example.org' });
    const other = await createOrganization(api.deps);
    const { database } = api.deps;
    const before = await stored(id);
    const deps = { ...depsOf(api), requests };
    const act = actAt(api);
    const attempts = [
      () => readEndpoint(database, other, id),
      () => changeEndpoint(deps, other, id, { description: 'x' }, act),
      () => rotateSecret(deps, other, id, 'compromised', act),
      () => disableEndpoint(database, other, id, act),
      () => enableEndpoint(database, other, id, act),
      () => deleteEndpoint(database, other, id, act),
      () => sendTestEvent(deps, other, id, act),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await listEndpoints(database, other)).toEqual([]);
    expect(await stored(id)).toEqual(before);
    expect(await auditRows(api, other, 'webhook_')).toEqual([]);
  });
});

describe('listeners', () => {
  test('a listener has neither address nor secret here, and only its topics can be changed', async () => {
    const { id } = await createListener(
      depsOf(api),
      organization,
      { topics: ['subscription.created'] },
      actAt(api),
    );
    expect(await stored(id)).toMatchObject({ kind: 'listener', url: null, secret: null });
    const act = actAt(api);
    const deps = { ...depsOf(api), requests };
    for (const refused of [
      () => changeEndpoint(deps, organization, id, { url: 'http://127.0.0.1:9/' }, act),
      () => rotateSecret(deps, organization, id, 'overlap', act),
      () => sendTestEvent(deps, organization, id, act),
    ]) {
      await expect(refused()).rejects.toMatchObject({
        entries: [expect.objectContaining({ field: 'endpoint' })],
      });
    }
    const changed = await changeEndpoint(deps, organization, id, { topics: null }, act);
    expect(changed.topics).toBeNull();
  });

  test('an organization has 10 of them at most, beside its endpoints', async () => {
    const own = await createOrganization(api.deps);
    for (let made = 0; made < 10; made += 1) await createListener(depsOf(api), own, {}, actAt(api));
    await expect(createListener(depsOf(api), own, {}, actAt(api))).rejects.toThrow(
      'has 10 listeners already',
    );
    await makeEndpoint(api, own);
  });
});
