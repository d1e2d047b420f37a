import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLongTier } from '../../setup/tier.ts';
import { type Known, SignUps } from './sign-ups.ts';

const ROUNDS = isLongTier ? 12 : 4;

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start();
});
afterAll(() => signUps?.close());

async function repeats(): Promise<number> {
  const text = await signUps.api.deps.metrics.text();
  return Number(/^voltstream_transaction_repeats_total (\d+)$/m.exec(text)?.[1]);
}

/** Another sign-up for the place: it looks at customer, household and meter, and learns the market location. */
function next(known: Known) {
  const { customer, household } = known;
  const meter = signUps.meterOf(known, { malo: '50123456789' });
  return signUps.post(signUps.body({ customer, household, meter }));
}

test('a reading, another account, another name and a sign-up of one contract at once wait for each other in one direction', async () => {
  const client = await signUps.client();
  const statuses: number[] = [];
  const texts: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const known = await signUps.endingSoon();
    const reading = { subscription: known.id, value: 100, timestamp: '2026-10-04T10:00:00Z' };
    const account = { iban: 'GB82WEST12345698765432', account_holder: `Jule ${round}` };
    const answers = await Promise.all([
      client.post('/meter-readings', reading),
      client.patch(`/subscriptions/${known.id}`, {
        payment_method: { type: 'sepa_debit', sepa_debit: account },
      }),
      next(known),
      client.patch(`/customers/${known.customer}`, { last_name: `Brandt ${round}` }),
      client.post(`/subscriptions/${known.id}/terminate`, {
        reason: 'MOVE_OUT',
        intended_end_at: '2026-10-10T00:00:00+02:00',
      }),
    ]);
    statuses.push(...answers.map(({ status }) => status));
    texts.push(...answers.filter(({ status }) => status !== 200).map(({ text }) => text));
  }
  expect(texts).toEqual([]);
  expect(statuses).toEqual(Array.from({ length: ROUNDS * 5 }, () => 200));
  /* Nobody was even in need of a repetition: a deadlock takes the server a second to find. */
  expect(await repeats()).toBe(0);
});
