import { NEWEST_VERSION } from '../config/versions.ts';
import { command } from './engine/command.ts';
import { JSON_OBJECT } from './engine/fields.ts';
import { printLine } from './engine/output.ts';
import { withoutSession } from './engine/session.ts';
import { authorizeAddress, type StartFacts } from './local/facts.ts';
import { readJsonFile, startFiles } from './local/folder.ts';

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** What a shell needs to try the running service: `eval "$(npm run -s cli -- env)"`. */
export const commands = command({
  words:
    'BASE, TOKEN, HOUSEHOLD, PLAN, ASSET, NOW, AUTHORIZE and the client of the demo organization, for eval in a shell',
  examples: ['', '--json'],
  options: JSON_OBJECT,
  session: withoutSession,
  work: async ({ isJson }) => {
    const facts = await readJsonFile<StartFacts>(startFiles.facts);
    if (facts === null) throw new Error('Nothing was started here yet: npm start');
    const token = await demoToken(facts);
    const values = {
      BASE: facts.base_url,
      TOKEN: token,
      HOUSEHOLD: facts.household,
      PLAN: await demoPlan(facts, token),
      ASSET: facts.assets.find((asset) => asset.type === 'solar')?.id ?? '',
      NOW: new Date().toISOString(),
      CLIENT_ID: facts.client_id,
      CLIENT_SECRET: facts.client_secret,
      AUTHORIZE: authorizeAddress(facts),
    };
    const lines = Object.entries(values).map(([name, value]) => `export ${name}=${quoted(value)}`);
    printLine(isJson ? JSON.stringify(values) : lines.join('\n'));
  },
});

async function demoToken(facts: StartFacts): Promise<string> {
  const credentials = Buffer.from(`${facts.client_id}:${facts.client_secret}`).toString('base64');
  const response = await fetch(`${facts.base_url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  if (response === null) throw new Error(`${facts.base_url} does not answer: is npm start running?`);
  const answer = (await response.json()) as { access_token?: string; message?: string };
  if (answer.access_token === undefined)
    throw new Error(`No token from ${facts.base_url}: ${answer.message}`);
  return answer.access_token;
}

/** The newest plan that supplies electricity; none where somebody archived all of them. */
async function demoPlan(facts: StartFacts, token: string): Promise<string> {
  const response = await fetch(`${facts.base_url}/plans?filter%5Bstatus%5D%5Beq%5D=active&limit=100`, {
    headers: { authorization: `Bearer ${token}`, 'x-api-version': NEWEST_VERSION },
    signal: AbortSignal.timeout(10_000),
  });
  const { items } = (await response.json()) as { items?: { id: string; type: string }[] };
  return items?.find(({ type }) => type === 'consumption')?.id ?? '';
}
