import { expect, test } from 'vitest';
import { readCommandLineConfig } from '../../../src/config/config.ts';
import { priceKinds } from '../../../src/config/prices.ts';
import { MARKET_SOURCES, REALIZED_SOURCES } from '../../../src/spot-prices/providers/index.ts';
import type { PriceSource } from '../../../src/spot-prices/providers/price-source.ts';
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
  const withoutToken = MARKET_SOURCES.filter((source: PriceSource) => source.token === undefined);
  expect(configuredSources(config)).toEqual(withoutToken.map(({ name }) => name));
  expect(configuredSources(config)).not.toContain('entsoe');
  expect(configuredSources(read({ PRICES_ENTSOE_TOKEN: 't' }))).toContain('entsoe');
  expect(priceKinds(config)).toEqual(['market']);
});

test('the order is the configured one; what it leaves out comes behind', () => {
  const config = read({ PRICES_SOURCES: ' energy-charts , smard', PRICES_ENTSOE_TOKEN: 't' });
  expect(configuredSources(config)).toEqual(['energy-charts', 'smard']);
  expect(sourceOrder(config)).toEqual([
    ...['energy-charts', 'smard'],
    ...REALIZED_SOURCES.filter((source) => source !== 'energy-charts' && source !== 'smard'),
  ]);
});

test.each([
  [{ PRICES_SOURCES: 'smard,awattar' }, /PRICES_SOURCES: needs some of entsoe, .*energy-charts/],
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
    expect(priceKinds(read(variables))).toContain('local');
    expect(() => read({ ...variables, APP_ENV: 'production' })).toThrow(
      'PRICES_SMARD_URL: in production a feed on this machine is refused',
    );
  },
);
