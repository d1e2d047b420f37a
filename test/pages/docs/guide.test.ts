import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SIGNS } from '../../../src/pages/docs/signs.ts';
import { PACE_IN_WORDS } from '../../../src/platform/body/pace.ts';
import { measuredFieldsOf } from '../../../src/telemetry/snapshots/fields.ts';
import { CHALLENGE, VERIFIER } from '../../identity/oauth/code-exchange.ts';
import type { TestClient } from '../../identity/oauth/token-requests.ts';
import {
  clientWithCustomer,
  consented,
  REDIRECT_URI,
  signIn,
  Visitor,
} from '../../identity/oauth/visitor.ts';
import { projectFolder } from '../../rules/project-files.ts';
import { startApi } from '../../setup/api.ts';
import { nodeEnvironment } from '../../setup/node-environment.ts';

/* The guide is followed as it stands: its five pages, its lines, in its order, in one shell, with the id and secret of a client. */

type Api = Awaited<ReturnType<typeof startApi>>;

let api: Api;
let client: TestClient;
let household: string;
let folder: string;
let page: string;
let lines: string[];

beforeAll(async () => {
  api = await startApi();
  ({ client, household } = await clientWithCustomer(api));
  folder = await mkdtemp(join(tmpdir(), 'voltstream-guide-'));
  const pages = ['/docs', '/docs/rows', '/docs/gateways', '/docs/rules', '/docs/customers'];
  const texts = await Promise.all(pages.map(async (path) => await (await fetch(api.baseUrl + path)).text()));
  page = texts.join('\n');
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

const assets = () =>
  `curl -s -g "${api.baseUrl}/assets?filter[household][eq]=${household}" -H "$AUTH" -H "$VERSION"`;

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
    'MINUTE=$(dat',
    'curl -s -g "',
    'gzip -c batc',
    'curl -s -u "',
  ]);
});

test('its lines lead from a client id to a first stored snapshot, and to the same batch counted as sent before', async () => {
  const blocks = blocksUntil('curl -s -g "');
  const batch = blocks.find((block) => block.includes('cat > batch.json')) ?? '';
  const again = batch.slice(batch.indexOf('\ncurl'));
  const compressed = lines.find((block) => block.startsWith('gzip')) ?? '';
  const { output, errors, code } = await shell(
    [...blocks, again, compressed, 'printf "\\n%s\\n" "$HOUSEHOLD"'].join('\necho\n'),
  );
  expect({ errors, code }).toEqual({ errors: '', code: 0 });
  const answers = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => JSON.parse(`[${line.replaceAll('}{', '},{')}]`) as Record<string, unknown>[]);
  expect(answers).toMatchObject([
    { object: 'asset', type: 'solar' },
    { object: 'asset', type: 'battery' },
    { object: 'asset_snapshot_batch', household, total: 4, stored: 4, duplicates: 0 },
    { object: 'list', items: [{ household }, { household }] },
    { object: 'asset_snapshot_batch', household, total: 4, stored: 0, duplicates: 4 },
    { object: 'asset_snapshot_batch', household, total: 4, stored: 0, duplicates: 4 },
  ]);
  expect(output.trimEnd().split('\n').at(-1)).toBe(household);
  const { snapshots } = JSON.parse(await readFile(join(folder, 'batch.json'), 'utf8')) as {
    snapshots: { timestamp: string }[];
  };
  expect(new Set(snapshots.map(({ timestamp }) => timestamp)).size).toBe(3);
  expect(page).toContain('"total":4,"stored":4,"duplicates":0');
});

test('its calls for assets, sent once more, make none and name those that are there', async () => {
  const before = await shell([...lines.slice(0, 2), assets()].join('\n'));
  const { output } = await shell(blocksUntil('curl -s http').join('\n'));
  expect(output.split('}{').map((answer) => /belongs to (ast_\w+)/.exec(answer)?.[1])).toEqual([
    expect.any(String),
    expect.any(String),
  ]);
  const after = await shell([...lines.slice(0, 2), assets()].join('\n'));
  expect([after.output, before.output.split('"object":"asset"').length - 1]).toEqual([before.output, 5]);
});

test('its gateway sends a batch to the service, and leaves the bad row of it aside with the answer', async () => {
  const [row] = [{ external_id: `${household}/roof`, timestamp: new Date().toISOString() }];
  const snapshots = [
    { ...row, power_kw: -1 },
    { ...row, timestamp: new Date(Date.now() + 10).toISOString(), power_kw: 99 },
  ];
  await mkdir(join(folder, 'outbox'));
  await writeFile(join(folder, 'outbox', '1.json'), JSON.stringify({ household, snapshots }));
  await writeFile(
    join(folder, 'gateway.mjs'),
    lines.find((block) => block.includes("from 'node:fs/promises'")) ?? '',
  );
  const { errors, code } = await shell(`"${process.execPath}" gateway.mjs`, {
    ...nodeEnvironment(),
    BASE: api.baseUrl,
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret ?? '',
  });
  expect({ errors, code }).toEqual({ errors: '', code: 0 });
  expect(await readdir(join(folder, 'outbox'))).toEqual([]);
  const [refused = ''] = await readdir(join(folder, 'refused'));
  expect(JSON.parse(await readFile(join(folder, 'refused', refused), 'utf8'))).toMatchObject({
    snapshots: [{ power_kw: 99 }],
    problem: { errors: [{ code: 'too_big', field: 'snapshots.1.power_kw' }] },
  });
  const stored = await shell(
    [
      ...lines.slice(0, 2),
      'curl -s -g "' +
        api.baseUrl +
        '/asset-snapshots?filter[household][eq]=' +
        household +
        '" -H "$AUTH" -H "$VERSION"',
    ].join('\n'),
  );
  expect(stored.output).toContain(`"timestamp":"${row?.timestamp}"`);
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

test('its program with openid-client brings a customer’s token, as it is pasted', async () => {
  const made = await clientWithCustomer(api);
  await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  const program = lines.find((block) => block.includes("from 'openid-client'")) ?? '';
  await writeFile(join(folder, 'sign-in.mjs'), program);
  const child = spawn(process.execPath, ['sign-in.mjs'], {
    cwd: folder,
    env: {
      ...nodeEnvironment(),
      CLIENT_ID: made.client.id,
      CLIENT_SECRET: made.client.secret ?? '',
      REDIRECT_URI,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    output += part;
  });
  await expect.poll(() => output, { timeout: 30_000 }).toContain('comes back:');
  const visitor = new Visitor();
  const consent = await signIn(api, visitor, /Open (\S+)/.exec(output)?.[1] ?? '', made.email);
  const back = await visitor.submit(consent, { decision: 'allow' });
  child.stdin.write(`${back.headers.get('location')}\n`);
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  const token = output.trim().split('\n').at(-1) ?? '';
  expect((await api.client(token).get('/subscriptions')).status).toBe(200);
});

test('each of its five pages has the others beside it, and buttons that copy from a script of ours', async () => {
  const beside = [...page.matchAll(/<nav aria-label="Guide">([\s\S]*?)<\/nav>/g)].map(([, nav = '']) => nav);
  expect(beside).toHaveLength(5);
  for (const nav of beside) {
    expect([...nav.matchAll(/href="([^"]+)"/g)]).toHaveLength(5);
    expect([...nav.matchAll(/aria-current="page"/g)]).toHaveLength(1);
  }
  const scripts = new Set([...page.matchAll(/<script src="([^"]+)"/g)].map(([, address]) => address));
  expect(scripts.size).toBe(1);
  const script = await fetch(api.baseUrl + [...scripts].join(''));
  expect(script.headers.get('cache-control')).toContain('immutable');
  expect(await script.text()).toContain('navigator.clipboard.writeText');
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
  const send = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${api.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${client.id}:${client.secret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      body,
    });
  const only = await send('grant_type=client_credentials&scope=read:*');
  expect(await only.json()).toMatchObject({ scope: 'read:*' });
  expect((await send('grant_type=client_credentials')).status).toBe(200);
  expect((await send(`grant_type=client_credentials&more=${'x'.repeat(16 * 1024)}`)).status).toBe(413);
  expect((await send('grant_type=client_credentials', { 'content-encoding': 'gzip' })).status).toBe(415);
});

test('its line for an outage sends again after a cut connection, and says why it gave up', () => {
  const line = lines.find((block) => block.startsWith('gzip')) ?? '';
  const options = new Set(line.split(/\s+/).filter((word) => word.startsWith('-')));
  expect([...options]).toEqual(expect.arrayContaining(['--retry', '--retry-all-errors', '-sS']));
});

test('it names every place where unknown fields are refused', async () => {
  const answer = await fetch(`${api.baseUrl}/openapi.2026-09-08.gauss.json`);
  const description = (await answer.json()) as {
    paths: Record<string, Record<string, { requestBody?: unknown }>>;
    components: { schemas: Record<string, unknown> };
  };
  const rule = /<li>Unknown fields are ignored[\s\S]*?<\/li>/.exec(page)?.[0] ?? '';
  const strict = new Set<string>();
  const look = (value: unknown, call: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { additionalProperties, $ref } = value as { additionalProperties?: unknown; $ref?: string };
    if (additionalProperties === false) strict.add(call);
    if ($ref !== undefined) look(description.components.schemas[$ref.split('/').at(-1) ?? ''], call);
    for (const part of Object.values(value)) look(part, call);
  };
  for (const [path, methods] of Object.entries(description.paths))
    for (const [method, { requestBody }] of Object.entries(methods))
      look(requestBody, `${method.toUpperCase()} ${path}`);
  const words: Record<string, string> = {
    'POST /assets': "data object of an asset's type",
    'PATCH /assets/{id}': "data object of an asset's type",
    'POST /asset-snapshots': 'rows of snapshots',
  };
  expect(strict).toContain('PATCH /customers/{id}');
  for (const call of strict) expect(rule).toContain(words[call] ?? call);
});
