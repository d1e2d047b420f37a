import Fastify, { type FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { maskText } from '../../../src/platform/log/redaction.ts';
import { fastestMilliseconds } from '../../setup/fastest.ts';

function recordingLogger() {
  const lines: string[] = [];
  const log = createLogger({
    level: 'trace',
    name: 'test',
    destination: { write: (line) => void lines.push(line) },
  });
  const parsed = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, parsed, text: () => lines.join('') };
}

/* None of them may be found in any line, whatever it was handed in as. */
const CANARY = {
  jwt: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlY2FuYXJ5',
  secret: `cs_${'Canary7'.repeat(7)}`,
  password: 'canary-password-1',
  email: 'anna.canary@example.org',
  name: 'Canaryfamily',
  iban: 'DE89370400440532013000',
  feed: 'canary-feed-token',
  webhook: 'whsec_Can+ary/0Can+ary/0Can+ary/0Can+ary/0Can+ary==',
};

describe('secrets and personal data stay out of every line at level trace', () => {
  test('fields are masked by their name, at any depth and in any spelling', () => {
    const { log, text } = recordingLogger();
    log.trace({
      client_secret: CANARY.secret,
      clientSecret: CANARY.password,
      Authorization: `Bearer ${CANARY.jwt}`,
    });
    log.info({ request: { headers: { cookie: CANARY.password, 'x-api-key': CANARY.feed } } });
    log.info({ rows: [{ email: CANARY.email, last_name: CANARY.name }] });
    log.info({ receiver: { url: 'https://a.example/hook', secrets: [CANARY.webhook.slice(6)] } });
    log.child({ customer: { first_name: CANARY.name }, refresh_token: CANARY.secret }).warn('bound');
    for (const canary of Object.values(CANARY)) expect(text()).not.toContain(canary);
  });

  test('texts are searched: messages, addresses, errors and their causes', () => {
    const { log, text } = recordingLogger();
    log.info(`Authorization: Bearer ${CANARY.jwt}`);
    log.info(`token ${CANARY.jwt} and secret ${CANARY.secret}`);
    log.info(`the receiver was told ${CANARY.webhook}`);
    log.info({ url: `https://feed.example.org/api?securityToken=${CANARY.feed}&x=1` });
    log.info({ database: `postgres://voltstream_app:${CANARY.password}@127.0.0.1:5432/voltstream` });
    log.info(`refused body ${JSON.stringify({ refresh_token: CANARY.feed, grant_type: 'refresh_token' })}`);
    log.error({ err: new Error(`no account ${CANARY.email}`, { cause: new Error(`IBAN ${CANARY.iban}`) }) });
    log.error({
      err: new AggregateError([new Error(`redis://default:${CANARY.password}@localhost`)], 'both failed'),
    });
    for (const canary of Object.values(CANARY)) expect(text()).not.toContain(canary);
  });

  test('the rows that a database error quotes', () => {
    const { log, text, parsed } = recordingLogger();
    const error = new pg.DatabaseError('duplicate key value violates unique constraint', 1, 'error');
    error.code = '23505';
    error.constraint = 'customers_email_key';
    error.detail = `Key (organization_id, email)=(org_x, ${CANARY.name}) already exists.`;
    log.error({ err: error });
    expect(text()).not.toContain(CANARY.name);
    expect(parsed()[0]?.err).toMatchObject({ code: '23505', constraint: 'customers_email_key' });
  });

  test('T11 credentials in the query of a request', async () => {
    const { log, text } = recordingLogger();
    const app = Fastify({ loggerInstance: log as FastifyBaseLogger });
    app.get('/list', async (request) => {
      request.log.error({ req: request, err: new Error(`failed at ${request.url}`) }, 'handler');
      return 'ok';
    });
    await app.inject({
      url: `/list?client_secret=${CANARY.secret}&access_token=${CANARY.jwt}&filter[email][eq]=${CANARY.email}`,
      headers: { authorization: `Bearer ${CANARY.jwt}` },
    });
    await app.close();
    expect(text()).toContain('"path":"/list"');
    expect(text()).toContain('client_secret');
    for (const canary of Object.values(CANARY)) expect(text()).not.toContain(canary);
  });

  test('what is no secret stays readable', () => {
    const { log, parsed } = recordingLogger();
    log.info(
      { organization: `org_${'a1'.repeat(12)}`, customer: `cus_${'b2'.repeat(12)}`, code: '23505', rows: 3 },
      'stored',
    );
    expect(parsed()[0]).toMatchObject({
      level: 'info',
      organization: `org_${'a1'.repeat(12)}`,
      customer: `cus_${'b2'.repeat(12)}`,
      code: '23505',
      rows: 3,
      msg: 'stored',
    });
  });
});

describe('the size of a line is bounded', () => {
  test('lists are cut to 20 items with the count of the rest', () => {
    const { log, parsed } = recordingLogger();
    log.info({ ids: Array.from({ length: 10_000 }, (_, index) => index) });
    const ids = parsed()[0]?.ids as unknown[];
    expect(ids).toHaveLength(21);
    expect(ids[20]).toBe('… 9980 more');
  });

  test('a line is never longer than 16 KB and says how much was cut', () => {
    const { log, lines, parsed } = recordingLogger();
    const wide = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`field_${index}`, 'ä'.repeat(200)]),
    );
    log.error({ wide, list: Array.from({ length: 50 }, () => 'x'.repeat(5_000)) }, 'm'.repeat(50_000));
    expect(lines).toHaveLength(1);
    expect(Buffer.byteLength(lines[0] ?? '')).toBeLessThanOrEqual(16_384);
    expect(parsed()[0]).toMatchObject({ level: 'error', name: 'test' });
    expect(parsed()[0]?.cutBytes).toBeGreaterThan(16_384);
  });

  test('circular and deep values end', () => {
    const { log, lines } = recordingLogger();
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    log.info({ circular, bytes: Buffer.alloc(1_000_000), map: new Map([['a', 1]]) });
    expect(lines[0]?.length).toBeLessThan(1_000);
  });

  test('masking a long hostile text takes milliseconds', () => {
    const hostile = ['a'.repeat(20_000), 'eyJ-'.repeat(5_000), 'a.'.repeat(10_000), '://'.repeat(6_000)].join(
      ' ',
    );
    expect(fastestMilliseconds(() => maskText(hostile))).toBeLessThan(100);
  });
});
