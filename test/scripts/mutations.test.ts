import { expect, test } from 'vitest';
import { mutationsOf } from '../../scripts/mutations.ts';

const changesOf = (text: string) =>
  mutationsOf({ path: 'src/a.ts', text }).map(
    ({ start, end, text: put }) => text.slice(0, start) + put + text.slice(end),
  );

test('operators, numbers, conditions and calls are changed one at a time', () => {
  expect(changesOf('a <= b')).toEqual(['a < b', 'a > b']);
  expect(changesOf('sum + 1')).toEqual(['sum - 1', 'sum + 2']);
  expect(changesOf('x = !y && z;')).toEqual(['x = !y || z;', 'x = y && z;']);
  expect(changesOf('if (a) b();')).toEqual(['if (true) b();', 'if (false) b();', 'if (a) ;']);
  expect(changesOf('x = a ? b : c')).toEqual(['x = !(a) ? b : c']);
  expect(changesOf('x = price.times(rate)')).toEqual(['x = price.div(rate)']);
});

test('types, imports and joined texts are left as they are', () => {
  expect(changesOf("import { a } from './b.ts';\ntype Step = 1 | 2;\nconst text = 'a' + b;")).toEqual([]);
});
