import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { advanceSubscriptions } from '../../../src/contracts/subscriptions/advance.ts';
import { confirmSubscription } from '../../../src/contracts/subscriptions/back-office.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { runCommand } from '../../cli/command-line.ts';
import { Visitor } from '../../identity/oauth/visitor.ts';
import { testEnvironment } from '../../setup/api.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { EARLIEST, SIGNED_UP_AT, SignUps } from './sign-ups.ts';

/* A consumer withdraws before the grid operator has answered (section 355 BGB): the contract ends at once. */

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start();
});
afterAll(() => signUps?.close());

const ORDERS = [{ type: 'smart-meter' }, { type: '14a_enwg', '14a_enwg': { module_1: true } }] as const;

const CALLED_AT = '2026-10-07T09:15:30.250Z';

async function withdraw(id: string, reason = 'WITHDRAWAL', version?: string) {
  const client = await signUps.contracts.client(version);
  return await client.post<ErrorBody>(`/subscriptions/${id}/terminate`, { reason });
}

async function get<Body>(path: string, version?: string): Promise<Body> {
  return (await (await signUps.contracts.client(version)).get<Body>(path)).body;
}

describe('a sign-up with orders that is withdrawn from before its confirmation', () => {
  const body = () => signUps.body({ product_orders: ORDERS });
  let id: string;
  let customer: string;
  let answer: Awaited<ReturnType<typeof withdraw>>;
  beforeAll(async () => {
    await signUps.contracts.at(SIGNED_UP_AT);
    ({ id, customer } = await signUps.signUp(body()));
    await signUps.contracts.at(CALLED_AT);
    answer = await withdraw(id);
  });

  test('the answer names the second of the call with the offset of Berlin, without milliseconds', () => {
    expect([answer.status, answer.body]).toEqual([
      200,
      { reason: 'WITHDRAWAL', intended_end_at: '2026-10-07T11:15:30+02:00' },
    ]);
  });

  test.each(['2026-01-29.edison', '2026-05-27.curie', '2026-09-08.gauss'])(
    'has ended without supply, in %s',
    async (version) => {
      const ended = { id, status: 'ended', start_at: null, terminated_at: CALLED_AT, end_at: CALLED_AT };
      expect(await get(`/subscriptions/${id}`, version)).toMatchObject(ended);
      const list = await get<{ items: unknown[] }>(
        `/subscriptions?filter[customer][eq]=${customer}&filter[status][eq]=ended`,
        version,
      );
      expect(list.items).toEqual([expect.objectContaining({ id, status: 'ended' })]);
    },
  );

  test('its meter order is cancelled, its reduction has ended, and the events are told in their order', async () => {
    const query = `filter[subscription][eq]=${id}`;
    expect(await get(`/meter-orders?${query}`)).toMatchObject({
      items: [{ status: 'cancelled', cancelled_reason: 'customer_request', cancelled_at: CALLED_AT }],
    });
    expect(await get(`/grid-fee-reductions?${query}`)).toMatchObject({
      items: [{ status: 'ended', valid_from: null, valid_until: CALLED_AT }],
    });
    const told = (await signUps.contracts.events(id)).filter(({ topic }) => !topic.endsWith('.created'));
    expect(told.map(({ topic }) => topic)).toEqual([
      'subscription.terminated',
      'subscription.ended',
      'meter_order.cancelled',
    ]);
    const { api, contracts } = signUps;
    const lines = await auditRows(api, contracts.organization, 'subscription.terminate');
    expect(lines.filter(({ object_id }) => object_id === id)).toHaveLength(1);
  });

  test('nothing is ordered, sent or changed for it any more', async () => {
    const client = await signUps.contracts.client();
    const orders = [
      ['/grid-fee-reductions', { subscription: id, type: 'enwg-14a-module-1' }],
      ['/meter-orders', { subscription: id }],
    ] as const;
    for (const [path, sent] of orders) {
      const answer = await client.post<ErrorBody>(path, sent);
      expect(answer.body.errors?.map(({ code }) => code)).toContain('ended_subscription');
    }
    expect(refusal(await withdraw(id))).toEqual([409, 'ended_subscription subscription']);
  });

  test('a confirmation that comes all the same is refused, and says to call the switch back', async () => {
    const { api, contracts } = signUps;
    const act = { staff: 'ada', reason: 'ticket 17', command: 'test', now: CALLED_AT };
    await expect(
      confirmSubscription(api.deps, contracts.organization, id, { start_on: EARLIEST }, act),
    ).rejects.toMatchObject({
      status: 409,
      entries: [
        {
          field: 'subscription',
          message:
            'Only a pending subscription can be confirmed; this one was withdrawn from: call the switch back',
        },
      ],
    });
  });

  test('the clock moves it no more, and its customer sees that it is over', async () => {
    const before = await signUps.contracts.row(id);
    await signUps.contracts.at('2026-12-01T09:00:00Z');
    const run = {
      signal: new AbortController().signal,
      log: createLogger({ level: 'silent', name: 'test' }),
    };
    await advanceSubscriptions(signUps.api.deps, run);
    expect(await signUps.contracts.row(id)).toEqual(before);

    const client = await signUps.contracts.client();
    const answer = await client.post<{ link: string }>('/admin/magic_link', { customerId: customer });
    const visitor = new Visitor('de-DE');
    const confirm = await visitor.open(answer.body.link);
    const next = /name="next" value="([^"]*)"/.exec(confirm.text)?.[1] ?? '';
    await visitor.submit(confirm, { next });
    const page = await visitor.open(`${signUps.api.deps.config.portalUrl}/overview`);
    expect(page.text).toContain('beendet');
    await signUps.contracts.at(CALLED_AT);
  });
});

test('the household can be supplied by the next sign-up at once', async () => {
  await signUps.contracts.at(SIGNED_UP_AT);
  const known = await signUps.known();
  expect((await withdraw(known.id)).status).toBe(200);
  const again = await signUps.signUp(
    signUps.body({ customer: known.customer, household: known.household, meter: signUps.meterOf(known) }),
  );
  expect(again).toMatchObject({ status: 'pending', household: known.household });
});

test.each([
  ['WITHDRAWAL', 'withdrawal_not_allowed reason'],
  ['ORDINARY', 'subscription_not_started subscription'],
])('a company that is not confirmed: %s is refused', async (reason, entry) => {
  await signUps.contracts.at(SIGNED_UP_AT);
  const { id } = await signUps.signUp(signUps.body({ customer: signUps.company() }));
  expect(refusal(await withdraw(id, reason))).toEqual([409, entry]);
});

test('feed-in ends at once too, and not with the month', async () => {
  await signUps.contracts.at(SIGNED_UP_AT);
  const { id } = await signUps.signUp(signUps.feedIn());
  expect((await withdraw(id)).status).toBe(200);
  expect(await signUps.contracts.row(id)).toMatchObject({ status: 'ended', start_at: null });
});

test('a member of staff enters it at the command line, by the same rules', async () => {
  await signUps.contracts.at(new Date().toISOString());
  const { id } = await signUps.signUp(signUps.body());
  const result = await runCommand(
    testEnvironment(signUps.api.database, 'redis://127.0.0.1:1'),
    ...['subscriptions', 'terminate', id, 'WITHDRAWAL', '--organization', signUps.contracts.organization],
    ...['--reason', 'letter of today', '--staff', 'ada'],
  );
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await signUps.contracts.topics(id)).toEqual([
    'subscription.created',
    'subscription.terminated',
    'subscription.ended',
  ]);
});
