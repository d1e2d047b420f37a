import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundedCache } from '../../src/platform/bounded-cache.ts';

test('keeps what fits; what was used longest ago leaves first', () => {
  const cache = new BoundedCache<string>(10);
  cache.set('a', 'A', 4);
  cache.set('b', 'B', 4);
  expect(cache.get('a')).toBe('A');
  cache.set('c', 'C', 4);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['A', undefined, 'C']);
});

test('a new value in the place of an old one counts once', () => {
  const cache = new BoundedCache<string>(10);
  cache.set('a', 'A', 8);
  cache.set('a', 'A2', 8);
  cache.set('b', 'B', 2);
  expect([cache.get('a'), cache.get('b')]).toEqual(['A2', 'B']);
});

test('what is deleted is gone and leaves its room', () => {
  const cache = new BoundedCache<string>(2);
  cache.set('a', 'A');
  cache.set('b', 'B');
  cache.delete('a');
  cache.delete('never there');
  cache.set('c', 'C');
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([undefined, 'B', 'C']);
});

test('a cleared cache has nothing and all of its room', () => {
  const cache = new BoundedCache<string>(2);
  cache.set('a', 'A');
  cache.set('b', 'B');
  cache.clear();
  expect(cache.get('b')).toBeUndefined();
  cache.set('b', 'B2');
  cache.set('c', 'C');
  expect([cache.get('b'), cache.get('c')]).toEqual(['B2', 'C']);
});

test('what is larger than all the room is not kept, and drives out nothing that could stay', () => {
  const cache = new BoundedCache<string>(10);
  cache.set('a', 'A', 4);
  cache.set('huge', 'H', 11);
  expect([cache.get('a'), cache.get('huge')]).toEqual(['A', undefined]);
});

test('whatever is asked, stored and deleted in turn: the least recently used one leaves first', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const act = fc.oneof(
    fc.record({ act: fc.constant('get' as const), key }),
    fc.record({ act: fc.constant('set' as const), key }),
    fc.record({ act: fc.constant('delete' as const), key }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const cache = new BoundedCache<string>(2);
      /** Least recently used first. */
      let expected: string[] = [];
      for (const { act, key } of acts) {
        const others = expected.filter((candidate) => candidate !== key);
        if (act === 'get') {
          const isKnown = expected.includes(key);
          expect(cache.get(key)).toBe(isKnown ? key : undefined);
          if (isKnown) expected = [...others, key];
        } else if (act === 'set') {
          cache.set(key, key);
          expected = [...others, key].slice(-2);
        } else {
          cache.delete(key);
          expected = others;
        }
      }
      const left = ['a', 'b', 'c', 'd'].filter((letter) => cache.get(letter) !== undefined);
      expect(left).toEqual(expected.toSorted());
    }),
  );
});
