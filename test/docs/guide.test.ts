import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SIGNS } from '../../src/docs/signs.ts';
import { PACE_IN_WORDS } from '../../src/platform/body/pace.ts';
import { measuredFieldsOf } from '../../src/snapshots/asset-map.ts';
import { CHALLENGE, VERIFIER } from '../oauth/code-exchange.ts';
import type { TestClient } from '../oauth/token-requests.ts';
import { clientWithCustomer, consented, REDIRECT_URI, startWithMail } from '../oauth/visitor.ts';

/* The guide is followed as it stands: its lines, in its order, in one shell, with the id and secret of a client. */

type Api = Awaited<ReturnType<typeof startWithMail>>;

let api: Api;
let client: TestClient;
let household: string;
let folder: string;
let page: string;
let lines: string[];

beforeAll(async () => {
  api = await startWithMail();
  ({ client, household } = await clientWithCustomer(api));
  folder = await mkdtemp(join(tmpdir(), 'voltstream-guide-'));
  page = await (await fetch(`${api.baseUrl}/docs`)).text();
  lines = [...page.matchAll(/<pre>([\s\S]*?)<\/pre>/g)].map(([, html]) => unescaped(html ?? ''));
});
afterAll(async () => {
  await api?.close();
  await rm(folder, { recursive: true, force: true });
});

const unescaped = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

async function shell(script: string, environment: Record<string, string> = {}) {
  const child = spawn('sh', ['-eu', '-c', script], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      CLIENT_ID: client.id,
      CLIENT_SECRET: client.secret ?? '',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { output, errors, code };
}

/** The blocks up to and with the one that begins so. */
function blocksUntil(begin: string): string[] {
  const at = lines.findIndex((block) => block.startsWith(begin));
  expect(at).toBeGreaterThanOrEqual(0);
  return lines.slice(0, at + 1);
}

test('every block of the guide that asks the service is one of those that are run here', () => {
  const asking = lines.filter((block) => block.includes('curl')).map((block) => block.slice(0, 12));
  expect(asking).toEqual([
    'TOKEN=$(curl',
    'HOUSEHOLD=$(',
    'INVERTER=$(c',
    'curl -s http',
    'cat > batch.',
    'curl -s -g "',
    'PAUSE=1\nwhil',
    'curl -s -u "',
  ]);
});

test('its lines lead from a client id to a first stored snapshot, and to the same batch counted as sent before', async () => {
  const blocks = blocksUntil('curl -s -g "');
  const batch = blocks.find((block) => block.startsWith('cat > batch.json')) ?? '';
  const again = batch.slice(batch.indexOf('\ncurl'));
  const { output, errors, code } = await shell(
    [...blocks, again, 'printf "\\n%s\\n" "$HOUSEHOLD"'].join('\necho\n'),
  );
  expect({ errors, code }).toEqual({ errors: '', code: 0 });
  const answers = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => JSON.parse(`[${line.replaceAll('}{', '},{')}]`) as Record<string, unknown>[]);
  expect(answers).toMatchObject([
    { object: 'asset', type: 'solar' },
    { object: 'asset', type: 'battery' },
    { object: 'asset_snapshot_batch', household, total: 2, stored: 2, duplicates: 0 },
    { object: 'list', items: [{ household }, { household }] },
    { object: 'asset_snapshot_batch', household, total: 2, stored: 0, duplicates: 2 },
  ]);
  expect(output.trimEnd().split('\n').at(-1)).toBe(household);
  expect(page).toContain('"total":2,"stored":2,"duplicates":0');
});

/** In front of the service: the first answers are the given ones, then it passes on. */
async function unreliable(
  first: (number | 'cut')[],
): Promise<{ url: string; server: Server; seen: string[] }> {
  const { hostname, port } = new URL(api.baseUrl);
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/asset-snapshots') {
      const next = first.shift();
      seen.push(String(next ?? 'passed'));
      if (next === 'cut') return void incoming.socket.destroy();
      if (next !== undefined) {
        return void outgoing.writeHead(next, next === 503 ? { 'Retry-After': '1' } : {}).end('{}');
      }
    }
    const { method, url, headers } = incoming;
    const passed = request({ hostname, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, seen };
}

test('its loop outlasts a 503, a cut connection and an expired token, and ends when the batch is stored', async () => {
  const { url, server, seen } = await unreliable([503, 'cut', 401]);
  try {
    const [token = '', headers = ''] = lines;
    const batch = `cat > batch.json <<END
{"household":"${household}","snapshots":[{"external_id":"${household}/roof","timestamp":"${new Date(Date.now() - 60_000).toISOString()}","power_kw":-1}]}
END`;
    const script = [token, headers, batch, lines.find((block) => block.startsWith('PAUSE=1'))].join('\n');
    const { errors, code } = await shell(script.replaceAll(api.baseUrl, url));
    expect({ errors, code, seen }).toEqual({ errors: '', code: 0, seen: ['503', 'cut', '401', 'passed'] });
    expect(JSON.parse(await readFile(join(folder, 'answer.json'), 'utf8'))).toMatchObject({ total: 1 });
  } finally {
    server.close();
  }
}, 60_000);

test('its loop sets a batch with a bad row aside, with the answer that names the row', async () => {
  const [token = '', headers = ''] = lines;
  const batch = `cat > batch.json <<END
{"household":"${household}","snapshots":[{"external_id":"${household}/roof","timestamp":"$(date -u +%FT%TZ)","power_kw":3}]}
END`;
  const script = [token, headers, batch, lines.find((block) => block.startsWith('PAUSE=1'))].join('\n');
  expect(await shell(script)).toMatchObject({ errors: '', code: 0 });
  const { errors } = JSON.parse(await readFile(join(folder, 'answer.json'), 'utf8')) as { errors: object[] };
  expect(errors).toMatchObject([{ code: 'too_big', field: 'snapshots.0.power_kw' }]);
  expect(await readFile(join(folder, 'refused.json'), 'utf8')).toContain('"power_kw":3');
});

test('its line for a customer’s code gives that customer’s token', async () => {
  const made = await clientWithCustomer(api);
  const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
  const code = (await consented(api, made.client, made.email, challenge)).get('code') ?? '';
  const line = lines.find((block) => block.includes('grant_type=authorization_code')) ?? '';
  const { output } = await shell(line, {
    VERIFIER,
    CLIENT_ID: made.client.id,
    CLIENT_SECRET: made.client.secret ?? '',
    CODE: code,
    REDIRECT_URI,
  });
  expect(JSON.parse(output)).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) });
});

test('its drawing and its table say the same of every type, in words for those who do not see it', () => {
  const described = /<desc id="signs-text">([\s\S]*?)<\/desc>/.exec(page)?.[1] ?? '';
  for (const { type, fields, out, into } of SIGNS) {
    expect(fields).toEqual(measuredFieldsOf(type as Parameters<typeof measuredFieldsOf>[0]));
    const words = [out && `negative ${out}`, into && `positive ${into}`].filter(Boolean).join(', ');
    expect(described).toContain(`${type}: ${words}.`);
    expect(page.replaceAll('<wbr>', '')).toContain(`<tr><td>${type}</td>`);
  }
  expect(page).toContain('role="img" aria-labelledby="signs-title signs-text"');
});

test('it says which bodies the token endpoint takes, the pace of bodies, and how a token is made to read only', async () => {
  expect(page).toContain(`${PACE_IN_WORDS}. A slower one ends with 408`);
  expect(page).toContain('at <code>/oauth/</code> to 16 KiB');
  expect(page).toContain('<code>-d scope=read:*</code>');
  const asked = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${api.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${client.id}:${client.secret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      body,
    });
  const only = await asked('grant_type=client_credentials&scope=read:*');
  expect(await only.json()).toMatchObject({ scope: 'read:*' });
  expect((await asked('grant_type=client_credentials')).status).toBe(200);
  expect((await asked(`grant_type=client_credentials&more=${'x'.repeat(16 * 1024)}`)).status).toBe(413);
  expect((await asked('grant_type=client_credentials', { 'content-encoding': 'gzip' })).status).toBe(415);
});
