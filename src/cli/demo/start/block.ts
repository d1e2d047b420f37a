import { NEWEST_VERSION } from '../../../config/versions.ts';
import type { StartFacts } from '../../local/facts.ts';
import { DEMO_EMAIL } from './demo.ts';

/** Never to be taken for the market's: what is invented says so where it is first seen. */
function pricesLine({ prices, feed_url }: StartFacts): string {
  return prices === 'synthetic'
    ? `prices: synthetic (made up by ${feed_url}, no market prices)`
    : "prices: real (the market's own, from the sources that docs/operating.md names)";
}

/**
 * A newcomer needs this first: addresses, the demo key, and five lines that work when pasted. With the lines that follow it
 * has to stay on a screen of 24 lines of 80 characters.
 */
export function startBlock(facts: StartFacts): string {
  const { base_url: base, household } = facts;
  const solar = facts.assets.find((asset) => asset.type === 'solar');
  const token = `TOKEN=$(curl -s -u ${facts.client_id}:${facts.client_secret} -d grant_type=client_credentials ${base}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`;
  const asNewest = `-H "Authorization: Bearer $TOKEN" -H X-API-Version:${NEWEST_VERSION}`;
  const send = `curl -s ${base}/asset-snapshots ${asNewest} -H Content-Type:application/json -d "{\\"household\\":\\"${household}\\",\\"snapshots\\":[{\\"asset\\":\\"${solar?.id}\\",\\"timestamp\\":\\"$(date -u +%FT%TZ)\\",\\"power_kw\\":-3.2}]}"`;
  const read = `curl -s -g "${base}/asset-snapshots?filter[household][eq]=${household}" ${asNewest}`;
  return `
  API      ${base} (process ${facts.api_pid})   pages / /prices /docs
  Console  ${base}/console as ${DEMO_EMAIL} (code: .data/mail)
  ${pricesLine(facts)}
  Demo     client_id ${facts.client_id}
           client_secret ${facts.client_secret}
           with all the rest in .data/start.json (mode 600): docs/demo.md
  Try
${token}
${send}
${read}
npm run -s cli -- listen --forward-to http://localhost:3000/hook
npm run -s db -- psql --as analyst -c 'select * from newest_snapshots limit 3'
  Ctrl-C stops all of this; data stays; npm run services -- reset deletes it`;
}
