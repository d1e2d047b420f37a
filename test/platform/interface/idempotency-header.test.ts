import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Failure } from '../../../src/platform/errors.ts';
import { idempotencyRequestOf } from '../../../src/platform/interface/idempotency.ts';

const BODY = Buffer.from('{"a":1}');

function read(...headers: string[]) {
  return idempotencyRequestOf(headers, 'POST /assets', BODY);
}

function refusalOf(...headers: string[]): Failure {
  try {
    read(...headers);
  } catch (error) {
    return error as Failure;
  }
  throw new Error('It was accepted');
}

test('without the header a call has no key', () => {
  expect(read('Content-Type', 'application/json', 'X-Idempotency-Key', 'a')).toBeNull();
});

test('the key is taken as sent, whatever the case of the header name, with the hash of the inflated body', () => {
  const bodyHash = createHash('sha256').update(BODY).digest();
  expect(read('Host', 'x', 'IDEMPOTENCY-key', 'Order 7 ~!')).toEqual({
    key: 'Order 7 ~!',
    route: 'POST /assets',
    bodyHash,
  });
});

test('no body and an empty body are the same body', () => {
  const none = idempotencyRequestOf(['Idempotency-Key', 'a'], 'POST /assets', null);
  const empty = idempotencyRequestOf(['Idempotency-Key', 'a'], 'POST /assets', Buffer.alloc(0));
  expect(none).toEqual(empty);
});

test('Y06 255 characters are a key', () => {
  expect(read('Idempotency-Key', 'k'.repeat(255))?.key).toHaveLength(255);
});

test.each([
  ['an empty key', ['Idempotency-Key', '']],
  ['256 characters', ['Idempotency-Key', 'k'.repeat(256)]],
  ['a header sent twice', ['Idempotency-Key', 'a', 'idempotency-key', 'b']],
  ['a header sent twice with one value', ['Idempotency-Key', 'a', 'Idempotency-Key', 'a']],
  ['a control character', ['Idempotency-Key', 'a\tb']],
  ['a character outside ASCII', ['Idempotency-Key', 'schlüssel']],
])('Y06 %s is refused at the header', (_, headers) => {
  const failure = refusalOf(...headers);
  expect(failure.status).toBe(400);
  expect(failure.entries).toMatchObject([{ code: 'custom', field: 'Idempotency-Key' }]);
});
