import type { StartFacts } from './demo.ts';

const VERSION = '2026-09-08.gauss';

/** Never to be taken for the market's: what is invented says so where it is first seen. */
function pricesLine({ prices, feed_url }: StartFacts): string {
  return prices === 'synthetic'
    ? `prices: synthetic (made-up numbers of the feed at ${feed_url}, no market prices; the market's own: README, "Prices")`
    : "prices: real (the market's own, from the sources that the README names)";
}

/** What a newcomer needs first: addresses, the demo key, and three lines that work when pasted. */
export function startBlock(facts: StartFacts): string {
  const solar = facts.assets.find((asset) => asset.type === 'solar');
  const token = `TOKEN=$(curl -s -u ${facts.client_id}:${facts.client_secret} -d grant_type=client_credentials ${facts.base_url}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  const send = `curl -s ${facts.base_url}/asset-snapshots -H "Authorization: Bearer $TOKEN" -H 'X-API-Version: ${VERSION}' -H 'Content-Type: application/json' -d "{\\"household\\":\\"${facts.household}\\",\\"snapshots\\":[{\\"asset\\":\\"${solar?.id}\\",\\"timestamp\\":\\"$(date -u +%FT%TZ)\\",\\"power_kw\\":-3.2}]}"`;
  const read = `curl -s -g "${facts.base_url}/asset-snapshots?filter[household][eq]=${facts.household}" -H "Authorization: Bearer $TOKEN" -H 'X-API-Version: ${VERSION}'`;
  return `
  API      ${facts.base_url}     (process ${facts.api_pid})     pages / /prices and /docs     errors /docs/errors     ready /readyz
  ${pricesLine(facts)}
  Demo     client_id ${facts.client_id}   client_secret ${facts.client_secret}
           also in .data/start.json (mode 600), with household, assets and the addresses of the servers
  Try
    ${token}
    ${send}
    ${read}
  Ctrl-C stops everything started here; the data stays until: npm run services -- reset
`;
}
