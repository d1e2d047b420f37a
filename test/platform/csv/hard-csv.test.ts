import { expect, test } from 'vitest';
import { readHardTexts } from '../../setup/hard-texts.ts';

test(
  'two mebibytes of every hard shape of a table are read in a bounded time',
  async () => {
    const { read, stuckAt } = await readHardTexts(new URL('./hard-csv.ts', import.meta.url), 'table');
    expect(stuckAt).toBeNull();
    expect(read).toHaveLength(9);
  },
  30 * 60_000,
);
