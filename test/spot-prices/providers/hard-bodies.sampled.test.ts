import { expect, test } from 'vitest';
import { readHardTexts } from '../../setup/hard-texts.ts';
import { isLongTier } from '../../setup/tier.ts';
import { READER_NAMES } from './hard-bodies.ts';

/* A quarter of one still takes a reader in quadratic time half a minute. */
const [MEBIBYTES, IN_WORDS] = isLongTier ? [2, 'two mebibytes'] : [0.25, 'a quarter of a mebibyte'];
const REASON_CHARACTERS_MAX = 500;

/* One thread for all: it takes a second to start. */
const reading = readHardTexts(new URL('./hard-bodies.ts', import.meta.url), MEBIBYTES);

test.each(READER_NAMES)(
  `${IN_WORDS} of every hard shape take the reader of %s a bounded time, and its reason is short`,
  async (reader) => {
    const { read, stuckAt } = await reading;
    expect(stuckAt).toBeNull();
    const ofReader = read.filter(({ shape }) => shape.startsWith(`${reader}: `));
    expect(ofReader.length).toBeGreaterThan(0);
    expect(ofReader.filter(({ answer }) => (answer?.reasonCharacters ?? 0) > REASON_CHARACTERS_MAX)).toEqual(
      [],
    );
  },
  30 * 60_000,
);
