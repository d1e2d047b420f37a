import { expect, test } from 'vitest';
import { readHardTexts } from '../../setup/hard-texts.ts';
import { READER_NAMES } from './hard-bodies.ts';

const REASON_CHARACTERS_MAX = 500;

test.each(READER_NAMES)(
  'two mebibytes of every hard shape take the reader of %s a bounded time, and its reason is short',
  async (reader) => {
    const { read, stuckAt } = await readHardTexts(new URL('./hard-bodies.ts', import.meta.url), reader);
    expect(stuckAt).toBeNull();
    expect(read.length).toBeGreaterThan(0);
    expect(read.filter(({ answer }) => (answer?.reasonCharacters ?? 0) > REASON_CHARACTERS_MAX)).toEqual([]);
  },
  30 * 60_000,
);
