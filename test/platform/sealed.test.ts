import { expect, test } from 'vitest';
import { reseal, seal, unseal } from '../../src/platform/sealed.ts';

const key = 'k'.repeat(43);
const content = Buffer.from('private');

test('a sealed value opens with its own key, kind and name only, and not after a change', () => {
  const sealed = seal(key, 'signing-key', 'kid-1', content);
  expect(sealed.includes('private')).toBe(false);
  expect(unseal(key, 'signing-key', 'kid-1', sealed)).toEqual(content);
  expect(() => unseal(key, 'signing-key', 'kid-2', sealed)).toThrow();
  expect(() => unseal(key, 'webhook-secret', 'kid-1', sealed)).toThrow();
  expect(() => unseal('another key', 'signing-key', 'kid-1', sealed)).toThrow();
  for (const at of [0, 5, 20, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(() => unseal(key, 'signing-key', 'kid-1', changed)).toThrow();
  }
  expect(() => unseal(key, 'signing-key', 'kid-1', sealed.subarray(0, 10))).toThrow();
});

test('the same content sealed twice looks different', () => {
  const first = seal(key, 'webhook-secret', 'a', content);
  expect(seal(key, 'webhook-secret', 'a', content)).not.toEqual(first);
});

test('signing keys that were sealed before are opened', () => {
  const stored = Buffer.from('AR1xNGpGY/VVN8zCd0TVMY4NBSXXtfRyky8ErkNxSAPxmkwJ', 'base64');
  expect(unseal(key, 'signing-key', 'kid-1', stored)).toEqual(content);
});

test('of several keys the first one seals and each opens what it sealed, also what names no key', () => {
  const [both, next] = [`${'n'.repeat(43)},${key}`, 'n'.repeat(43)];
  const before = Buffer.from('AR1xNGpGY/VVN8zCd0TVMY4NBSXXtfRyky8ErkNxSAPxmkwJ', 'base64');
  for (const old of [before, seal(key, 'signing-key', 'kid-1', content)]) {
    expect(unseal(both, 'signing-key', 'kid-1', old)).toEqual(content);
    expect(() => unseal(next, 'signing-key', 'kid-1', old)).toThrow();
    const again = reseal(both, 'signing-key', 'kid-1', old) ?? Buffer.of();
    expect(unseal(next, 'signing-key', 'kid-1', again)).toEqual(content);
    expect(reseal(both, 'signing-key', 'kid-1', again)).toBeNull();
  }
  const sealed = seal(key, 'signing-key', 'kid-1', content);
  expect(() => unseal(next, 'signing-key', 'kid-1', sealed)).toThrow(
    /sealed with the key [0-9a-f]{8}, which/,
  );
});
