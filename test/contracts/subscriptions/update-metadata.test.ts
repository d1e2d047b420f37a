import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { Contracts } from './contracts.ts';

interface Body {
  metadata: Record<string, unknown> | null;
}

let contracts: Contracts;
/** Of the calls that are refused. */
let untouched: string;
beforeAll(async () => {
  contracts = await Contracts.start('2026-10-05T08:30:00.000Z');
  ({ id: untouched } = await contracts.active());
});
afterAll(() => contracts.close());

async function patch(id: string, body: unknown) {
  return await (await contracts.client()).patch<ErrorBody>(`/subscriptions/${id}`, body);
}

async function changed(id: string, body: unknown): Promise<Body> {
  const answer = await patch(id, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as unknown as Body;
}

async function read(id: string): Promise<Body> {
  return (await (await contracts.client()).get<Body>(`/subscriptions/${id}`)).body;
}

test('is merged by key, a key with null goes, null alone takes all of them', async () => {
  const { id } = await contracts.active();
  expect((await changed(id, { metadata: { a: 1, b: { c: [1, 2] } } })).metadata).toEqual({
    a: 1,
    b: { c: [1, 2] },
  });
  expect((await changed(id, { metadata: { b: { d: null }, e: 'x' } })).metadata).toEqual({
    a: 1,
    b: { d: null },
    e: 'x',
  });
  expect((await changed(id, { metadata: { a: null, unknown: null } })).metadata).toEqual({
    b: { d: null },
    e: 'x',
  });
  expect((await changed(id, { metadata: { b: null, e: null } })).metadata).toEqual({});
  expect((await changed(id, { metadata: null })).metadata).toBeNull();
});

test('keeps a null that is stored when another key changes', async () => {
  const { id } = await contracts.active({ metadata: JSON.stringify({ kept: null, a: 1 }) });
  expect((await changed(id, { metadata: { a: 2 } })).metadata).toEqual({ kept: null, a: 2 });
  expect((await changed(id, { metadata: { kept: null } })).metadata).toEqual({ a: 2 });
});

test('that comes out the same leaves updated_at', async () => {
  const { id } = await contracts.active();
  const none = await read(id);
  contracts.clock.advance(1_000);
  for (const metadata of [null, {}, { a: null }]) expect(await changed(id, { metadata })).toEqual(none);
  const some = await changed(id, { metadata: { a: 1, b: [{ c: 2, d: 3 }] } });
  contracts.clock.advance(1_000);
  for (const metadata of [{}, { a: 1 }, { b: [{ d: 3, c: 2 }] }, { z: null }]) {
    expect(await changed(id, { metadata })).toEqual(some);
  }
});

test('may have 10,240 bytes when it is put together, and not one more', async () => {
  const { id } = await contracts.active();
  const empty = JSON.stringify({ a: '', b: '' }).length;
  await changed(id, { metadata: { a: 'x'.repeat(6_000) } });
  const rest = 10_240 - 6_000 - empty;
  const tooLarge = await patch(id, { metadata: { b: 'x'.repeat(rest + 1) } });
  expect(refusal(tooLarge)).toEqual([400, 'too_big metadata']);
  expect(refusal(await patch(id, { metadata: { b: 'ä'.repeat(rest / 2 + 1) } }))).toEqual([
    400,
    'too_big metadata',
  ]);
  expect((await changed(id, { metadata: { b: 'x'.repeat(rest) } })).metadata).toHaveProperty('b');
  const replaced = { a: null, b: 'y'.repeat(10_000) };
  expect((await changed(id, { metadata: replaced })).metadata).toEqual({ b: replaced.b });
});

test('B113 texts come back as they were sent', async () => {
  const { id } = await contracts.active();
  const metadata = { a: "'; DROP TABLE subscriptions", b: '=HYPERLINK(1)', c: '<script>\t\r\n\\N', ü: '𝄞' };
  expect((await changed(id, { metadata })).metadata).toEqual(metadata);
  expect((await read(id)).metadata).toEqual(metadata);
});

test.each([
  [{ metadata: 'x' }, [400, 'invalid_type metadata']],
  [{ metadata: [] }, [400, 'invalid_type metadata']],
  [{ metadata: { a: 'x'.repeat(10_240) } }, [400, 'too_big metadata']],
  [{ metadata: { toString: 1 } }, [400, 'custom metadata.toString']],
  [{ metadata: { a: { hasOwnProperty: 1 } } }, [400, 'custom metadata.a.hasOwnProperty']],
  [{ metadata: { a: '\u0000' } }, [400, 'invalid_format metadata.a']],
])('B48 %j is refused', async (body, expected) => {
  expect(refusal(await patch(untouched, body))).toEqual(expected);
});
