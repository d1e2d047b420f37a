import { expect, test } from 'vitest';
import { VERSION_NAMES } from '../../src/config/versions.ts';
import { requestNumbers } from './request-numbers.ts';

/*
 * A number that enters without bounds is calculated with later: 1.7e308 kWh a year made every reading of a contract's
 * usage fail. The checked-in descriptions are held equal to the schemas by a rule of their own.
 */

test.each(VERSION_NAMES)(
  'every number that a request of %s can hold has a lower and an upper bound',
  (version) => {
    const numbers = requestNumbers(version);
    const unbounded = numbers.filter(({ least, greatest }) => least === null || greatest === null);
    expect(unbounded).toEqual([]);
    expect(numbers.length).toBeGreaterThan(2);
  },
);

test('parameters of addresses are among them', () => {
  const names = requestNumbers('2026-09-08.gauss').map(({ name }) => name);
  expect(names).toContain('get /asset-snapshots limit');
});
