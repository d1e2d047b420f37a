import { afterAll, beforeAll, expect, test } from 'vitest';
import { moveFailed, moveUncollectible } from '../../../../src/billing/invoices/issue/move.ts';
import { MOVES, type MoveName, mayMove } from '../../../../src/billing/invoices/issue/moves.ts';
import { voidInvoice } from '../../../../src/billing/invoices/issue/void.ts';
import {
  INVOICE_STATUSES,
  type InvoiceStatus,
  type InvoiceType,
} from '../../../../src/billing/invoices/schema.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { persistently } from '../../../setup/busy.ts';
import { type FakeClock, fakeClock } from '../../../setup/clock.ts';
import {
  type BilledContract,
  createBilledContract,
  issueDocument,
  payInFull,
} from '../../../setup/invoices.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { isLongTier, sampled } from '../../../setup/tier.ts';

const ISSUED = '2027-01-12T07:00:00.000Z';
const PAID = '2027-01-20T09:00:00.000Z';
const MOVED = '2027-02-03T10:00:00.000Z';

let clock: FakeClock;
let api: TestApi;
beforeAll(async () => {
  clock = fakeClock(ISSUED);
  api = await startApi({ clock });
});
afterAll(() => api?.close());

async function act(name: MoveName, { organization }: BilledContract, id: string): Promise<void> {
  await api.deps.database.inOrganization<unknown>({ organization }, (connection) => {
    if (name === 'voided') return voidInvoice(connection, organization, id, { reason: 'tests' }, clock);
    const moves = { paid: payInFull, payment_failed: moveFailed, uncollectible: moveUncollectible };
    return moves[name](connection, organization, id, clock);
  });
}

/** A document of a type in a state, come there as documents do; null: there is no such document. */
async function documentIn(
  contract: BilledContract,
  type: InvoiceType,
  status: InvoiceStatus,
  month: number,
): Promise<string | null> {
  clock.set(ISSUED);
  if (type === 'void') {
    if (status !== 'open' && status !== 'paid') return null;
    const { id: original } = await issueDocument(api.deps, contract, { month });
    if (status === 'open') await act('paid', contract, original);
    await act('voided', contract, original);
    const [reversal] = await storedRows<{ id: string }>(api, 'SELECT id FROM invoices WHERE voids = $1', [
      original,
    ]);
    if (reversal === undefined) throw new Error(`No reversal of ${original}`);
    return reversal.id;
  }
  const { id } = await issueDocument(api.deps, contract, { type, month });
  clock.set(PAID);
  if (status !== 'open') await act(status, contract, id);
  return id;
}

const stateOf = async (id: string) =>
  (
    await storedRows<{ status: string; paid_at: Date | null; told: string[] | null }>(
      api,
      `SELECT status, paid_at, (SELECT array_agg(topic ORDER BY position) FROM events
                                 WHERE context ->> 'invoice' = $1 AND timestamp = $2) AS told
         FROM invoices WHERE id = $1`,
      [id, MOVED],
    )
  )[0];

/** The table of the interface: state, move, what follows. Everything that is not here is refused. */
const ALLOWED: readonly [InvoiceStatus, MoveName, InvoiceStatus, topic: string][] = [
  ['open', 'paid', 'paid', 'invoice.paid'],
  ['open', 'payment_failed', 'open', 'invoice.payment_failed'],
  ['open', 'uncollectible', 'uncollectible', 'invoice.uncollectible'],
  ['uncollectible', 'paid', 'paid', 'invoice.paid'],
  ['open', 'voided', 'voided', 'invoice.voided'],
  ['paid', 'voided', 'voided', 'invoice.voided'],
];

const NAMES = Object.keys(MOVES) as MoveName[];

/** By `npm test` bills for usage and reversals are tried with every move from every state, others with a third of them. */
const TYPES = ['usage', 'prepayment', 'exit_summary', 'void'] as const;
const ALL = INVOICE_STATUSES.flatMap((status) => NAMES.map((name) => ({ status, name })));

for (const type of TYPES) {
  const tried = type === 'usage' || type === 'void' ? ALL : sampled(ALL, 3, TYPES.indexOf(type));
  test(`${type}: every move from every state does what the table says, and every other one is refused and changes nothing`, async () => {
    const first = await createBilledContract(api.deps);
    let month = 0;
    for (const { status, name } of tried) {
      month += 1;
      /* A contract has many bills, and one exit summary. */
      const contract = type === 'exit_summary' ? await createBilledContract(api.deps, first) : first;
      const id = await documentIn(contract, type, status, month);
      if (id === null) continue;
      const isOfVoid = type === 'void' && (name === 'voided' || name === 'uncollectible');
      const line = isOfVoid ? undefined : ALLOWED.find(([from, move]) => from === status && move === name);
      const what = `${status}, ${name}`;
      expect([what, mayMove({ id, type, status }, name)]).toEqual([what, line !== undefined]);
      const before = await stateOf(id);
      clock.set(MOVED);
      if (line === undefined) {
        await expect(act(name, contract, id), what).rejects.toMatchObject({ code: 'CONFLICT' });
        expect([what, await stateOf(id)]).toEqual([what, before]);
        continue;
      }
      await act(name, contract, id);
      const [, , to, topic] = line;
      const paid_at = to === 'paid' ? new Date(MOVED) : (before?.paid_at ?? null);
      expect([what, await stateOf(id)]).toEqual([what, { status: to, paid_at, told: [topic] }]);
    }
  });
}

const CHANGES = isLongTier ? 100 : 30;

test(`W20 of ${CHANGES} changes of one invoice at once each tells its event, and each event is in the outbox once`, async () => {
  clock.set(ISSUED);
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  clock.set(MOVED);
  await Promise.all(
    Array.from({ length: CHANGES }, () => persistently(() => act('payment_failed', contract, id))),
  );
  expect((await stateOf(id))?.told).toEqual(Array.from({ length: CHANGES }, () => 'invoice.payment_failed'));
  const requests = await storedRows<{ events: number; runs: number }>(
    api,
    `SELECT count(DISTINCT e.id)::int AS events, count(r.id)::int AS runs
       FROM events e LEFT JOIN job_runs r ON r.job = 'fan-out-event' AND r.payload ->> 'event' = e.id
      WHERE e.context ->> 'invoice' = $1 AND e.topic = 'invoice.payment_failed'`,
    [id],
  );
  expect(requests).toEqual([{ events: CHANGES, runs: CHANGES }]);
});

test(`${CHANGES} changes of one document at once: each change that is possible happens once and is told once`, async () => {
  clock.set(ISSUED);
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  clock.set(MOVED);
  const names: MoveName[] = ['paid', 'voided', 'uncollectible', 'payment_failed', 'paid'];
  const waiting = Array.from({ length: CHANGES }, (_, at) => names[at % names.length] ?? 'paid');
  const done: MoveName[] = [];
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const move = name;
        await act(move, contract, id).then(
          () => done.push(move),
          (error: unknown) => expect(error).toMatchObject({ code: 'CONFLICT' }),
        );
      }
    }),
  );
  const told = (await stateOf(id))?.told ?? [];
  expect(told.toSorted()).toEqual(done.map((name) => MOVES[name].topic.name).toSorted());
  expect(done.filter((name) => name === 'paid').length).toBeLessThanOrEqual(1);
  expect(done.filter((name) => name === 'voided').length).toBeLessThanOrEqual(1);
  expect(done.filter((name) => name === 'uncollectible').length).toBeLessThanOrEqual(1);
});
