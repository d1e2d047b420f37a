import { describe, expect, test } from 'vitest';
import { meteringFeeOf } from '../../../../src/billing/invoices/calculate/metering.ts';
import type { MeteringFee } from '../../../../src/tariffs/reference-data/figures.ts';
import { METERING_FEES, meteringCase, NONE, plainReference } from '../../../tariffs/quotes/plain-figures.ts';
import { contractOf } from './billed.ts';

const metering = {
  ...{ day: '2026-05-01', reference: plainReference(), grid: { operator: 'test-netz' }, modules: NONE },
  meter: 'smart' as const,
};
const feeOf = (
  contract: Parameters<typeof contractOf>[0],
  given: Partial<Parameters<typeof meteringFeeOf>[1]> = {},
) => meteringFeeOf(contractOf(contract), { ...metering, ...given }).value;

const plant = (kw: string, commissionedOn: string | null = null) => ({ kw, commissionedOn });

describe('the metering fee of a bill', () => {
  test('goes by the mean of the last three years where they are complete', () => {
    /* (6000 + 6000 + 6003) / 3 is over 6,000 kWh; the forecast is not. */
    expect(feeOf({ yearlyKwh: ['6000', '6000', '6003'] })).toBe('40');
    expect(feeOf({ yearlyKwh: ['99999', '6000', '6000', '6000'] })).toBe('30');
  });

  test('goes by the forecast while fewer years are known', () => {
    expect(feeOf({ yearlyKwh: ['9003', '9000'] })).toBe('30');
    expect(feeOf({ estimatedUsage: '6000.5' })).toBe('40');
  });

  test.each([
    ['7', '30'],
    ['7.01', '200'],
    ['25', '200'],
    ['25.5', '300'],
    ['100', '300'],
    ['100.5', '200'],
  ])('of a household with a plant of %s kW is %s EUR', (kw, eur) => {
    expect(feeOf({ plants: [plant(kw)] })).toBe(eur);
  });

  test('counts a plant from the day on which it began, and of several the largest', () => {
    const plants = [plant('8', '2026-05-02'), plant('26', '2026-06-01')];
    expect(feeOf({ plants })).toBe('30');
    expect(feeOf({ plants }, { day: '2026-05-02' })).toBe('200');
    expect(feeOf({ plants }, { day: '2026-06-01' })).toBe('300');
  });

  test('is the highest of the cases that fit: usage, plant, controlled device', () => {
    const modules = { ...NONE, module1: true };
    expect(feeOf({}, { modules })).toBe('50');
    expect(feeOf({ estimatedUsage: '20001' }, { modules })).toBe('110');
    expect(feeOf({ estimatedUsage: '20001', plants: [plant('8')] }, { modules })).toBe('200');
  });

  test('of an analog meter is its own', () => {
    expect(feeOf({ plants: [plant('30')], estimatedUsage: '20001' }, { meter: 'analog' })).toBe('25');
  });

  test('is what the metering operator charges, where it has a row of its own', () => {
    const own: readonly MeteringFee[] = [meteringCase('smart', '28.5')];
    const reference = {
      ...plainReference(),
      meteringFeesOf: (operator: string) => (operator === 'messwerk' ? own : METERING_FEES),
    };
    const operatedBy = (operator: string | null) => ({
      meteringOperators: [{ from: '2026-01-01', operator }],
    });
    expect(feeOf(operatedBy('messwerk'), { reference })).toBe('28.5');
    expect(feeOf(operatedBy('other'), { reference })).toBe('30');
    const grid = { operator: 'messwerk' };
    expect(feeOf(operatedBy(null), { reference, grid })).toBe('28.5');
    expect(feeOf(operatedBy('other'), { reference, grid })).toBe('30');
  });
});
