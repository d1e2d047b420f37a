import { describe, expect, test } from 'vitest';
import { exitSummaryCharges } from '../../../../src/billing/invoices/calculate/corrections.ts';

const rate = (net: string, tax: string, of = '0.19') => ({ rate: of, net, tax });
const MAY = { from: '2026-05-01', until: '2026-06-01', invoiceNumber: 'K7P2M9QX-005' };
const JUNE = { from: '2026-06-01', until: '2026-07-01', invoiceNumber: 'K7P2M9QX-006' };

describe('an exit summary', () => {
  test('is the sum over corrected periods of recomputed less invoiced', () => {
    const charges = exitSummaryCharges([
      {
        ...MAY,
        invoiced: { taxes: [rate('100.00', '19.00')] },
        recomputed: { taxes: [rate('90.13', '17.12')] },
      },
      {
        ...JUNE,
        invoiced: { taxes: [rate('80.00', '15.20')] },
        recomputed: { taxes: [rate('84.02', '15.96')] },
      },
    ]);
    expect(charges.lines.map(({ kind, from, until, net }) => `${kind} ${from} ${until} ${net}`)).toEqual([
      ...['correction 2026-05-01 2026-06-01 -9.87', 'correction 2026-06-01 2026-07-01 4.02'],
    ]);
    /* (107.25 - 119.00) + (99.98 - 95.20) */
    expect(charges.sums).toEqual({
      ...{ net: '-5.85', taxes: [rate('-5.85', '-1.12')], tax: '-1.12', deducted: '0.00', total: '-6.97' },
    });
    expect(charges.lines[0]?.figures.map(({ name, value, source }) => `${name} ${value} ${source}`)).toEqual([
      ...['invoiced 100 invoice K7P2M9QX-005', 'recomputed 90.13 usage'],
    ]);
  });

  test('keeps rates of VAT apart', () => {
    const { lines, sums } = exitSummaryCharges([
      {
        ...MAY,
        invoiced: { taxes: [rate('10.00', '1.90'), rate('5.00', '0.80', '0.16')] },
        recomputed: { taxes: [rate('12.00', '2.28'), rate('4.00', '0.64', '0.16')] },
      },
    ]);
    expect(lines.map(({ net, vatRate }) => `${net} ${vatRate}`)).toEqual(['2.00 0.19', '-1.00 0.16']);
    expect(sums.taxes).toEqual([rate('2.00', '0.38'), rate('-1.00', '-0.16', '0.16')]);
  });

  test('has no line for a period that comes to the same', () => {
    const same = { taxes: [rate('10.00', '1.90')] };
    const charges = exitSummaryCharges([{ ...MAY, invoiced: same, recomputed: same }]);
    expect(charges).toEqual({
      lines: [],
      sums: { net: '0.00', taxes: [], tax: '0.00', deducted: '0.00', total: '0.00' },
      usageKwh: null,
    });
  });
});
