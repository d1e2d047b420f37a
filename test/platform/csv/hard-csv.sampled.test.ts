import { expect, test } from 'vitest';
import { readHardTexts } from '../../setup/hard-texts.ts';
import { isLongTier } from '../../setup/tier.ts';

/* A quarter of one still takes a reader in quadratic time half a minute. */
const [MEBIBYTES, IN_WORDS] = isLongTier ? [2, 'two mebibytes'] : [0.25, 'a quarter of a mebibyte'];

test(
  `${IN_WORDS} of every hard shape of a table are read in a bounded time`,
  async () => {
    const { read, stuckAt } = await readHardTexts(new URL('./hard-csv.ts', import.meta.url), MEBIBYTES);
    expect(stuckAt).toBeNull();
    expect(read).toHaveLength(9);
  },
  30 * 60_000,
);
