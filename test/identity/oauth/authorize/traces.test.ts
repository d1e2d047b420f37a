import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { createLogger } from '../../../../src/platform/log/logger.ts';
import { startApi } from '../../../setup/api.ts';
import { refreshed } from '../token-requests.ts';
import {
  answerOf,
  authorizeUrl,
  clientWithCustomer,
  exchange,
  mailedCode,
  newEmail,
  Visitor,
} from '../visitor.ts';

const VERIFIER = 'Verifier-of-this-flow-0123456789-0123456789-abc';
const STATE = 'State-of-this-flow-0123456789';
let lines = '';
const destination = new Writable({
  write(chunk, _encoding, done) {
    lines += String(chunk);
    done();
  },
});
let api: Awaited<ReturnType<typeof startApi>>;

beforeAll(async () => {
  api = await startApi({ log: createLogger({ level: 'trace', name: 'api', destination }) });
});
afterAll(() => api.close());

test('no log line at any level holds a secret, a code, a token, a verifier, a cookie or an address of a whole flow', async () => {
  const { client, email } = await clientWithCustomer(api);
  const stranger = newEmail();
  const visitor = new Visitor();
  const address = authorizeUrl(api, { client_id: client.id, state: STATE, code_challenge: VERIFIER });
  const login = await visitor.follow(await visitor.open(address), api.baseUrl);
  await visitor.submit(login, { email: stranger });
  await visitor.submit(login, { email: 'not an address', code: '123456' });
  const verify = await visitor.follow(await visitor.submit(login, { email }), api.baseUrl);
  const oneTimeCode = (await mailedCode(api, email)) ?? '';
  await visitor.submit(verify, { code: oneTimeCode, _csrf: 'forged' });
  await visitor.open(`${verify.url}&code=${oneTimeCode}`);
  const consent = await visitor.follow(await visitor.submit(verify, { code: oneTimeCode }), api.baseUrl);
  const code = answerOf(await visitor.submit(consent, { decision: 'allow' })).get('code') ?? '';
  await fetch(`${api.baseUrl}/assets?code=${code}&code_verifier=${VERIFIER}`);
  const first = (await exchange(api, client, code, { code_verifier: VERIFIER })).body;
  const second = (await refreshed(api.baseUrl, client, String(first.refresh_token))).body;
  await exchange(api, client, code, { code_verifier: VERIFIER });
  await exchange(api, client, code, { code_verifier: `${VERIFIER}!` });

  const [file = ''] = await readdir(api.deps.config.MAIL_FOLDER);
  expect(lines).toContain(join(api.deps.config.MAIL_FOLDER, file));
  expect(lines).toContain('GET /auth/login');
  expect(oneTimeCode).toMatch(/^\d{6}$/);
  expect(lines).not.toMatch(new RegExp(`(?<!\\d)${oneTimeCode}(?!\\d)`));
  for (const secret of [
    ...[client.secret, code, VERIFIER, STATE, email, stranger],
    ...[first.access_token, first.refresh_token, second.access_token, second.refresh_token].map(String),
    ...visitor.cookies.values(),
    api.deps.config.SECRET_PEPPER,
  ]) {
    expect(secret.length).toBeGreaterThan(10);
    expect(lines).not.toContain(secret);
  }
});

test('the database and the audit log hold neither codes nor what was typed, once a request is over', async () => {
  const { client, email } = await clientWithCustomer(api);
  const visitor = new Visitor();
  const login = await visitor.follow(
    await visitor.open(authorizeUrl(api, { client_id: client.id, state: STATE })),
    api.baseUrl,
  );
  const verify = await visitor.follow(await visitor.submit(login, { email }), api.baseUrl);
  const oneTimeCode = (await mailedCode(api, email)) ?? '';
  const consent = await visitor.follow(await visitor.submit(verify, { code: oneTimeCode }), api.baseUrl);
  const code = answerOf(await visitor.submit(consent, { decision: 'allow' })).get('code') ?? '';
  await exchange(api, client, code);
  const { kept, acts } = await withDatabaseClient(api.database.adminUrl, async (admin) => {
    const { rows } = await admin.query(
      `SELECT (SELECT string_agg(r::text, ' ') FROM authorization_requests r) || (SELECT string_agg(o::text, ' ') FROM one_time_codes o)
        || (SELECT string_agg(c::text, ' ') FROM authorization_codes c) || (SELECT string_agg(a::text, ' ') FROM audit_log a) AS kept,
        ARRAY(SELECT act || ' ' || result FROM audit_log WHERE client_id = $1 ORDER BY id) AS acts`,
      [client.id],
    );
    return rows[0];
  });
  for (const secret of [email, code, Buffer.from(code).toString('hex'), ...visitor.cookies.values()]) {
    expect(kept).not.toContain(secret);
  }
  expect(acts).toEqual([
    'one_time_code.issue done',
    'customer.sign_in done',
    'authorization.allow done',
    'token.issue done',
  ]);
});

test('mail files are for their owner only', async () => {
  const names = await readdir(api.deps.config.MAIL_FOLDER);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    expect((await stat(join(api.deps.config.MAIL_FOLDER, name))).mode & 0o777).toBe(0o600);
    expect(name).toMatch(/^[\dTZ-]+-[0-9a-f]{8}\.eml$/);
  }
});
