import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { basic, registeredClient } from '../identity/oauth/token-requests.ts';
import {
  authorizeUrl,
  consentPage,
  loginPage,
  newEmail,
  REDIRECT_URI,
  Visitor,
} from '../identity/oauth/visitor.ts';
import { type Fixture, startFixture } from '../isolation/fixture.ts';
import { signedIn } from '../pages/console/console.ts';
import { Portal } from '../pages/portal/link.ts';
import { NOW } from '../routes/table/place.ts';
import { fakeClock } from '../setup/clock.ts';
import { formsOf, requestsOf, type Target, targetsFrom } from './page-forms.ts';
import { type Exchange, runRandom, type SentRequest } from './random-run.ts';

/*
 * Pages and forms, as a browser meets them, and the endpoints of OAuth that take forms. More of them, or those of one seed:
 * `BAD_INPUT_REQUESTS=100000 BAD_INPUT_SEED=1 npm test -- test/bad-input/pages.long.test.ts`
 */

let fixture: Fixture;
let targets: Target[];
beforeAll(async () => {
  fixture = await startFixture();
  targets = await allTargets();
});
afterAll(() => fixture?.close());

async function allTargets(): Promise<Target[]> {
  const { api, places } = fixture;
  const origin = api.baseUrl;
  const stranger = new Visitor();
  const portal = await Portal.on(api, fakeClock(NOW), places.a1.organization);
  const customer = await portal.signedIn(places.a1.customer);
  const staff = await signedIn(api, places.a1.organization);
  const client = await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI] });
  const asking = { client_id: client.id, scope: 'read:*', state: 's' };
  const [login, consent] = [new Visitor(), new Visitor()];
  const loginForm = await loginPage(api, login, asking);
  const coded = await login.follow(await login.submit(loginForm, { email: newEmail() }), origin);
  const { page } = await consentPage(api, consent);
  const oauth = (path: string, fields: Target['fields']): Target => {
    const headers = [['authorization', basic(client)]] as const;
    return { method: 'POST', path: `/oauth/${path}`, fields, headers };
  };
  const authorize = new URL(authorizeUrl(api, asking));
  return [
    ...(await targetsFrom(
      stranger,
      origin,
      ['/', '/docs', '/prices', '/portal/login', '/console/login'],
      ['/docs', '/prices', '/changelog'],
    )),
    ...(await targetsFrom(customer, origin, ['/portal/overview'], ['/portal/'])),
    ...(await targetsFrom(staff, origin, ['/console'], ['/console'])),
    ...formsOf(login, loginForm),
    ...formsOf(login, coded),
    ...formsOf(consent, page),
    { method: 'GET', path: authorize.pathname, fields: [...authorize.searchParams], headers: [] },
    oauth('token', [
      ['grant_type', 'authorization_code'],
      ['code', 'x'],
      ['redirect_uri', REDIRECT_URI],
    ]),
    oauth('token', [
      ['grant_type', 'refresh_token'],
      ['refresh_token', 'x'],
      ['scope', 'read:*'],
    ]),
    oauth('revoke', [
      ['token', 'x'],
      ['token_type_hint', 'refresh_token'],
    ]),
    oauth('introspect', [
      ['token', fixture.tokens['A full'].text],
      ['token_type_hint', 'access_token'],
    ]),
    ...['/health', '/livez', '/readyz', '/metrics', '/openapi.json', '/.well-known/jwks.json'].map(
      (path): Target => ({ method: 'GET', path, fields: [], headers: [] }),
    ),
  ];
}

function problemOf({ sent, answer }: Exchange<SentRequest>): string | undefined {
  const { status, headers, text } = answer;
  /* It is asked for this: on a busy machine the database may not answer within its second. */
  const isNotReady =
    status === 503 && sent.url.startsWith('/readyz') && JSON.parse(text).status === 'not_ready';
  if (isNotReady) return undefined;
  if (status >= 500) return 'the service failed';
  if (typeof headers['x-request-id'] !== 'string') return 'no X-Request-Id';
  if (`${headers['content-type']}`.startsWith('text/html')) {
    if (/<script>alert|\[object \w+\]/.test(text)) return 'a page with what was never meant for it';
    return text.includes('<title>') ? undefined : 'a page without a title';
  }
  if (status >= 400 && text !== '' && typeof JSON.parse(text).message !== 'string')
    return 'a refusal that says nothing';
  return sent.method === 'POST' && status === 204 ? 'a form that leads nowhere' : undefined;
}

/** Wrong codes and requests for codes are counted, and so are those for pages of the sign-in. */
const COUNTS = /\/(login|verify|signup|consent|oauth)/;

const title = 'random requests of pages and forms are answered by a page, and store nothing when refused';
test(title, { timeout: 24 * 3_600_000 }, async () => {
  const paths = new Set(targets.map(({ method, path }) => `${method} ${path}`));
  expect(paths.size).toBeGreaterThan(40);
  const requests = Number(process.env.BAD_INPUT_REQUESTS ?? 8_000);
  const statuses = await runRandom({
    ...{ requests, seed: randomInt(2 ** 31), baseUrl: fixture.api.baseUrl, arbitrary: requestsOf(targets) },
    known: (of, name) => `~${of}.${name}~`,
    problemOf,
    isRefused: ({ sent, answer }) => answer.status >= 400 && !COUNTS.test(sent.url),
    stored: () => fixture.state.whole(),
  });
  expect(statuses.get(200)).toBeGreaterThan(requests / 10);
});
