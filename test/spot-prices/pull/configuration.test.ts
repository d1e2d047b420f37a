import { expect, test } from 'vitest';
import { readCommandLineConfig } from '../../../src/config.ts';
import { pricesAreSynthetic } from '../../../src/config-prices.ts';
import { configuredSources, sourceOrder } from '../../../src/spot-prices/store/sources.ts';

const key = 'k'.repeat(43);
const read = (variables: Record<string, string>) =>
  readCommandLineConfig({
    APP_ENV: 'test',
    DATABASE_URL: 'postgres://x',
    SECRET_PEPPER: key,
    ENCRYPTION_KEY: key,
    ...variables,
  });

test('without any variable the public addresses are asked, ENTSO-E not without a token', () => {
  const config = read({});
  expect(config.PRICES_ENTSOE_URL).toEqual([
    'https://web-api.tp.entsoe.eu',
    'https://external-api.tp.entsoe.eu',
  ]);
  expect(configuredSources(config)).toEqual(['smard', 'energy-charts']);
  expect(configuredSources(read({ PRICES_ENTSOE_TOKEN: 't' }))).toEqual(['entsoe', 'smard', 'energy-charts']);
  expect(pricesAreSynthetic(config)).toBe(false);
});

test('the order is the configured one; what it leaves out comes behind', () => {
  const config = read({ PRICES_SOURCES: ' energy-charts , smard', PRICES_ENTSOE_TOKEN: 't' });
  expect(configuredSources(config)).toEqual(['energy-charts', 'smard']);
  expect(sourceOrder(config)).toEqual(['energy-charts', 'smard', 'entsoe', 'synthetic']);
});

test.each([
  [{ PRICES_SOURCES: 'smard,awattar' }, /PRICES_SOURCES: needs some of entsoe, smard, energy-charts/],
  [{ PRICES_SOURCES: 'smard,smard' }, /PRICES_SOURCES: names a source twice/],
  [{ PRICES_SOURCES: ',' }, /PRICES_SOURCES: needs at least one source/],
  [{ PRICES_SMARD_URL: 'http://www.smard.de' }, /PRICES_SMARD_URL: needs an https:\/\/ address/],
  [{ PRICES_SMARD_URL: 'https://www.smard.de/' }, /PRICES_SMARD_URL: needs/],
  [{ PRICES_ENTSOE_URL: 'https://a.example,http://b.example' }, /PRICES_ENTSOE_URL: needs/],
  [{ PRICES_ENTSOE_URL: 'https://a.example,https://b.example,https://c.example' }, /at most/],
  [{ PRICES_ENTSOE_TOKEN: 'two words' }, /PRICES_ENTSOE_TOKEN: needs/],
  [{ PRICES_CONTACT: 'a\r\nb' }, /PRICES_CONTACT: needs/],
  [{ PRICES_SMARD: 'x' }, /PRICES_SMARD is not a variable of this service/],
])('%j is refused', (variables, sentence) => {
  expect(() => read(variables as Record<string, string>)).toThrow(sentence);
});

test.each(['http://127.0.0.1:4310/smard', 'https://localhost', 'https://[::1]:1'])(
  'production refuses prices of %s',
  (url) => {
    const variables = { PRICES_SMARD_URL: url };
    expect(pricesAreSynthetic(read(variables))).toBe(true);
    expect(() => read({ ...variables, APP_ENV: 'production' })).toThrow(
      'PRICES_SMARD_URL: in production a feed on this machine is refused',
    );
  },
);
