import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { whyNotDebian } from '../../../scripts/debian.mjs';
import { fetchPython } from '../../identity/oauth/libraries/python.ts';
import { nodeEnvironment } from '../../setup/node-environment.ts';

/* The gateways of the guide against a service that refuses, divides, delays and does not answer. */

const ROWS = ['a', 'b', 'c', 'd', 'e'];

type Answer = { status: number; body?: object; retryAfter?: string } | 'nothing';

let folder: string;
let server: Server;
let base: string;
/** What the gateway printed. */
let printed: string[];
/** In front of 200: what is answered to a token request, and to a batch. */
let tokens: Answer[];
let batches: Answer[];
/** What came: `token`, or the rows of a batch. */
let seen: string[];

beforeEach(async () => {
  [tokens, batches, seen, printed] = [[], [], [], []];
  folder = await mkdtemp(join(tmpdir(), 'gateway-'));
  await mkdir(join(folder, 'outbox'));
  server = createServer((request, response) => void answered(request, response));
  const answered = async (request: IncomingMessage, response: ServerResponse) => {
    const isToken = request.url === '/oauth/token';
    const sent = await text(request);
    const rows = isToken ? [] : (JSON.parse(sent) as { snapshots: { row: string }[] }).snapshots;
    seen.push(isToken ? 'token' : rows.map(({ row }) => row).join(''));
    const answer = (isToken ? tokens : batches).shift() ?? { status: 200 };
    if (answer === 'nothing') return void request.socket.destroy();
    const { status, retryAfter, body = isToken && status === 200 ? { access_token: 'x' } : {} } = answer;
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    });
    response.end(JSON.stringify(body));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const GATEWAYS = [
  ['Node', 'gateway.js', async () => ({ program: process.execPath, environment: nodeEnvironment() })],
  ['Python', 'gateway.py', fetchPython],
] as const;

describe.each(GATEWAYS)('the gateway in %s', (language, file, fetched) => {
  const cannotRun = language === 'Python' && whyNotDebian() !== undefined;

  /** Sends one batch; says what it was told, and how long each pause was. */
  async function sent(environment: Record<string, string> = {}) {
    const snapshots = ROWS.map((row) => ({ row }));
    await writeFile(join(folder, 'outbox', '1.json'), JSON.stringify({ household: 'dom_1', snapshots }));
    return await run(environment);
  }

  async function run(environment: Record<string, string> = {}) {
    const { program, environment: own } = await fetched();
    const child = spawn(program, [join(projectFolder, 'src/pages/docs/views', file)], {
      cwd: folder,
      env: { ...own, BASE: base, CLIENT_ID: 'id', CLIENT_SECRET: 'secret', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [errors, lines, [code]] = await Promise.all([
      text(child.stderr),
      text(child.stdout),
      once(child, 'close'),
    ]);
    printed.push(...lines.split(/\r?\n/).filter((line) => line !== ''));
    expect({ errors, code, left: await readdir(join(folder, 'outbox')) }).toMatchObject({
      code: 0,
      left: [],
    });
    return [...errors.matchAll(/waiting ([\d.]+) s/g)].map(([, seconds]) => Number(seconds));
  }

  const refused = async () => {
    const names = (await readdir(join(folder, 'refused'))).sort();
    const files = names.map((name) => readFile(join(folder, 'refused', name), 'utf8'));
    return (await Promise.all(files)).map((text) => JSON.parse(text) as object);
  };

  test.skipIf(cannotRun)(
    'outlasts 401, 413, 429, 503 and no answer, takes the rows out that a 400 names, and sends all others once',
    async () => {
      const errors = [
        { code: 'too_big', field: 'snapshots.1.power_kw' },
        { code: 'invalid_type', field: 'snapshots.3' },
        { code: 'custom', field: 'snapshots.1.asset' },
      ];
      batches = [
        { status: 401 },
        { status: 400, body: { errors } },
        { status: 413 },
        { status: 429, retryAfter: '1' },
        { status: 503, retryAfter: '1' },
        'nothing',
      ];
      const pauses = await sent({ PAUSE_SECONDS_MAX: '0.1' });
      const batch = seen.filter((line) => line !== 'token');
      expect(seen.slice(0, 5)).toEqual(['token', 'abcde', 'token', 'abcde', 'ace']);
      /* Behind the 413 the older half comes first, until it is stored. */
      expect(batch.slice(3)).toEqual(['ac', 'ac', 'ac', 'ac', 'e']);
      expect(await refused()).toEqual([
        { household: 'dom_1', snapshots: [{ row: 'b' }, { row: 'd' }], problem: { errors } },
      ]);
      /* Retry-After is obeyed, with a random part; the cut connection gets a pause of its own. */
      expect(pauses).toHaveLength(3);
      expect(pauses.slice(0, 2).every((seconds) => seconds >= 1 && seconds <= 2)).toBe(true);
      expect(pauses[2]).toBeLessThanOrEqual(0.1);
      expect(printed).toEqual([
        '1.json: 2 of 5 rows refused with 400',
        '1.json: too large, divided',
        '1_1.json: 2 rows sent',
        '1_2.json: 1 rows sent',
      ]);
    },
  );

  test.skipIf(cannotRun)(
    'pauses no longer than the limit, each time another while, when its secret or its tokens are refused',
    async () => {
      const refusals = Array.from({ length: 12 }, () => ({ status: 401 }));
      for (const place of ['token', 'batch']) {
        [tokens, batches] = place === 'token' ? [[...refusals], []] : [[], [...refusals]];
        const pauses = await sent({ PAUSE_SECONDS_MAX: '0.05' });
        /* The first token that a batch is refused with may just have run out. */
        expect([place, pauses.length]).toEqual([place, place === 'token' ? 12 : 11]);
        expect(pauses.every((seconds) => seconds > 0.02 && seconds <= 0.05)).toBe(true);
        expect(new Set(pauses).size).toBeGreaterThan(3);
      }
    },
  );

  test.skipIf(cannotRun)(
    'after an outage divides a batch of more rows than a request takes, and sends the oldest first',
    async () => {
      const tooMany = { status: 400, body: { errors: [{ code: 'too_big', field: 'snapshots' }] } };
      batches = [tooMany, tooMany];
      await sent();
      expect(seen.filter((line) => line !== 'token')).toEqual(['abcde', 'abc', 'ab', 'c', 'de']);
      expect(await refused()).toEqual([]);
    },
  );

  test.skipIf(cannotRun)('sets a file aside that is no batch, says so, and sends the others', async () => {
    for (const [name, content] of [
      ['0.json', '{"household":"dom_1","snapsh'],
      ['00.json', '[]'],
      ['000.json', '{"snapshots":{}}'],
      ['0000.json', 'null'],
    ] as const) {
      await writeFile(join(folder, 'outbox', name), content);
    }
    expect(await sent()).toEqual([]);
    expect(seen).toEqual(['token', 'abcde']);
    const names = (await readdir(join(folder, 'refused'))).map((name) => name.replace(/^\d+-/, ''));
    expect(names.sort()).toEqual(['0.json', '00.json', '000.json', '0000.json']);
    expect(printed.map((line) => line.replace(/(a batch): .+/, '$1')).sort()).toEqual([
      ...['0.json', '00.json', '000.json', '0000.json'].map((name) => `${name}: refused, not a batch`),
      '1.json: 5 rows sent',
    ]);
  });

  test.skipIf(cannotRun)('makes the folder outbox where there is none, and ends', async () => {
    await rm(join(folder, 'outbox'), { recursive: true });
    expect([await run(), seen, printed]).toEqual([[], [], []]);
  });

  test.skipIf(cannotRun)(
    'sets a batch aside that is refused as a whole, and one row that is too large alone',
    async () => {
      batches = [{ status: 404, body: { code: 'NOT_FOUND' } }];
      await sent();
      expect(await refused()).toMatchObject([
        { snapshots: ROWS.map((row) => ({ row })), problem: { code: 'NOT_FOUND' } },
      ]);
      batches = Array.from({ length: 9 }, () => ({ status: 413 }));
      await sent();
      expect((await refused()).slice(1)).toHaveLength(5);
    },
  );
});
