import { describe, expect, test } from 'vitest';
import { sources } from '../../../src/spot-prices/providers/index.ts';
import { bytes } from './documents.ts';
import { DOCUMENTED_SOURCES, SOURCE_DOCUMENTS } from './source-documents.ts';

describe.each(DOCUMENTED_SOURCES)('%s', (source) => {
  const { around, unitEurMwh = 1 } = SOURCE_DOCUMENTS[source];
  const read = (price: string) => sources[source].read(bytes(around(price)), { zone: 'DE-LU', days: null });
  const inUnit = (eurMwh: number) => String(eurMwh / unitEurMwh);

  test('a price of 100,000 EUR/MWh on either side is the last one that is read', () => {
    expect(read(inUnit(100_000))).toMatchObject({ status: 'read' });
    expect(read(inUnit(-100_000))).toMatchObject({ status: 'read' });
    expect(read(inUnit(100_001))).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('100000'),
    });
    expect(read(inUnit(-100_001))).toMatchObject({ status: 'rejected' });
  });

  test.each(['1e399', '-1e399', 'Infinity', '-Infinity', 'NaN'])('a price of %s is refused', (price) => {
    expect(read(price)).toMatchObject({ status: 'rejected' });
  });
});
