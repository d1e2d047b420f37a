import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createLine } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { whyNotDebian } from '../../../scripts/debian.mjs';
import { fetchPython } from '../../identity/oauth/libraries/python.ts';
import { tokensOf } from '../../identity/oauth/token-requests.ts';
import { clientWithCustomer } from '../../identity/oauth/visitor.ts';
import { startApi } from '../../setup/api.ts';
import { nodeEnvironment } from '../../setup/node-environment.ts';
import { addDevice, devices } from '../../telemetry/assets/devices.ts';

/* The gateways of the guide against a service that refuses, divides, delays and does not answer. */

const ROWS = ['a', 'b', 'c', 'd', 'e'];

type Answer = { status: number; body?: object | string; retryAfter?: string } | 'nothing' | 'late';

let folder: string;
let server: Server;
let base: string;
/** For how many seconds the gateway waits. */
let patience: number;
/** What the gateway printed, and what it complained of. */
let printed: string[];
let complaints: string;
/** In front of 200: what is answered to a token request, and to a batch. */
let tokens: Answer[];
let batches: Answer[];
/** What came: `token`, or the rows of a batch. */
let seen: string[];

beforeEach(async () => {
  [tokens, batches, seen, printed, patience] = [[], [], [], [], 40];
  folder = await mkdtemp(join(tmpdir(), 'gateway-'));
  await mkdir(join(folder, 'outbox'));
  server = createServer((request, response) => void answered(request, response));
  const answered = async (request: IncomingMessage, response: ServerResponse) => {
    const isToken = request.url === '/oauth/token';
    if (Number(request.headers['content-length']) > BYTES_MAX) return void answeredEarly(request, response);
    const sent = await buffer(request);
    if (isToken) seen.push('token');
    else {
      const batch = JSON.parse(gunzipSync(sent).toString()) as { snapshots: { row: string }[] };
      seen.push(batch.snapshots.map(({ row }) => row).join(''));
    }
    const answer = (isToken ? tokens : batches).shift() ?? { status: 200 };
    if (answer === 'late') return;
    if (answer === 'nothing') return void request.socket.destroy();
    const good = isToken ? { access_token: 'x' } : { object: 'asset_snapshot_batch' };
    const { status, retryAfter, body = status === 200 ? good : {} } = answer;
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** More than a connection holds on its way. */
const BYTES_MAX = 3_000_000;

/** 408 while the body comes; then the connection is closed, as with a body that comes too slowly. */
function answeredEarly(request: IncomingMessage, response: ServerResponse): void {
  request.once('data', () => {
    response.writeHead(408, { connection: 'close' });
    response.end('{}');
  });
}

/** A line to a server on which bytes go there at this pace, and come back at once. */
async function slowLine(to: string, bytesPerSecond: number) {
  const step = bytesPerSecond / 10;
  const line = createLine({ allowHalfOpen: true }, (near) => {
    const far = connect(Number(new URL(to).port), '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => {});
    far.pipe(near);
    const forward = async () => {
      for await (const bytes of near as AsyncIterable<Buffer>)
        for (let at = 0; at < bytes.length && far.writable; at += step) {
          await pass(100);
          far.write(bytes.subarray(at, at + step));
        }
    };
    void forward()
      .catch(() => {})
      .finally(() => far.end());
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  const url = `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
  return { url, close: () => line.close() };
}

const GATEWAYS = [
  ['Node', 'gateway.js', async () => ({ program: process.execPath, environment: nodeEnvironment() })],
  ['Python', 'gateway.py', fetchPython],
] as const;

describe.each(GATEWAYS)('the gateway in %s', (language, file, fetched) => {
  const cannotRun = language === 'Python' && whyNotDebian() !== undefined;

  /** Sends one batch; says what it was told, and how long each pause was. */
  async function sent(environment: Record<string, string> = {}, onComplaint = () => {}) {
    const snapshots = ROWS.map((row) => ({ row }));
    await writeFile(join(folder, 'outbox', '1.json'), JSON.stringify({ household: 'dom_1', snapshots }));
    return await run(environment, 0, onComplaint);
  }

  async function run(environment: Record<string, string> = {}, expectedCode = 0, onComplaint = () => {}) {
    const { program, environment: own } = await fetched();
    const source = await readFile(join(projectFolder, 'src/pages/docs/views', file), 'utf8');
    const copy = join(folder, file.replace(/js$/, 'mjs'));
    await writeFile(copy, source.replace(/(timeout\(|timeout=)40(_000)?/, `$1${patience}$2`));
    const child = spawn(program, [copy], {
      cwd: folder,
      env: { ...own, BASE: base, CLIENT_ID: 'id', CLIENT_SECRET: 'secret', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr.once('data', onComplaint);
    const [errors, lines, [code]] = await Promise.all([
      text(child.stderr),
      text(child.stdout),
      once(child, 'close'),
    ]);
    printed.push(...lines.split(/\r?\n/).filter((line) => line !== ''));
    complaints = errors;
    expect({ errors, code, left: await readdir(join(folder, 'outbox')) }).toMatchObject({
      code: expectedCode,
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
        '1.json: too much at once (413), divided',
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

  test.skipIf(cannotRun)(
    'divides a batch that cannot be read as a whole, and sets the row aside that cannot alone',
    async () => {
      const problem = { errors: [{ code: 'custom', field: '' }] };
      batches = Array.from({ length: 4 }, () => ({ status: 400, body: problem }));
      expect(await sent()).toEqual([]);
      expect(seen.filter((line) => line !== 'token')).toEqual(['abcde', 'abc', 'ab', 'a', 'b', 'c', 'de']);
      expect(await refused()).toEqual([{ household: 'dom_1', snapshots: [{ row: 'a' }], problem }]);
    },
  );

  test.skipIf(cannotRun)('divides a batch that is not answered in time, says so and pauses', async () => {
    [patience, batches] = [1, ['late', 'late']];
    expect(await sent({ PAUSE_SECONDS_MAX: '0.1' })).toHaveLength(2);
    expect(seen.filter((line) => line !== 'token')).toEqual(['abcde', 'abc', 'ab', 'c', 'de']);
    expect(complaints).toMatch(/^cut off: .*(timeout|timed out)/);
    expect(printed[0]).toBe('1.json: too much at once (cut off), divided');
  });

  test.skipIf(cannotRun)('divides nothing where connections are cut before anything is sent', async () => {
    const away = createLine((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
    await once(away, 'listening');
    let refusals = 0;
    const { port } = away.address() as AddressInfo;
    away.on('connection', () => {
      refusals += 1;
      if (refusals === 3) away.close();
    });
    away.once('close', () => server.close().listen(port, '127.0.0.1'));
    const pauses = await sent({ BASE: `http://127.0.0.1:${port}`, PAUSE_SECONDS_MAX: '0.1' });
    expect(pauses.length).toBeGreaterThanOrEqual(3);
    expect(printed).toEqual(['1.json: 5 rows sent']);
  });

  test.skipIf(cannotRun)('sets a file aside that is no batch, says so, and sends the others', async () => {
    for (const [name, content] of [
      ['0.json', '{"household":"dom_1","snapsh'],
      ['00.json', '[]'],
      ['000.json', '{"snapshots":{}}'],
      ['0000.json', 'null'],
      ['00000.json', '{"household":"dom_1","snapshots":[{"power_kw":NaN}]}'],
    ] as const) {
      await writeFile(join(folder, 'outbox', name), content);
    }
    expect(await sent()).toEqual([]);
    expect(seen).toEqual(['token', 'abcde']);
    const names = (await readdir(join(folder, 'refused'))).map((name) => name.replace(/^\d+-/, ''));
    const expected = ['0.json', '00.json', '000.json', '0000.json', '00000.json'];
    expect(names.sort()).toEqual(expected);
    expect(printed.map((line) => line.replace(/(a batch): .+/, '$1')).sort()).toEqual([
      ...expected.map((name) => `${name}: refused, not a batch`),
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
      const problem = { code: 'NOT_FOUND', errors: [{ code: 'custom', field: 'household' }] };
      batches = [{ status: 404, body: problem }];
      await sent();
      expect(await refused()).toMatchObject([{ snapshots: ROWS.map((row) => ({ row })), problem }]);
      batches = Array.from({ length: 9 }, () => ({ status: 413 }));
      await sent();
      expect((await refused()).slice(1)).toHaveLength(5);
    },
  );

  test.skipIf(cannotRun)(
    'sets nothing aside for a fault that is not of the batch: it waits, says why, and sends all rows',
    async () => {
      const unknown = "invalid_value in 'X-API-Version': Unknown version";
      const errors = [{ code: 'invalid_value', field: 'X-API-Version' }];
      tokens = [{ status: 401, body: { message: 'No such client or secret', requestId: 'r1' } }];
      batches = [
        { status: 400, body: { message: unknown, requestId: 'r2', errors } },
        { status: 403, body: { message: 'The token lacks the scope write:*', requestId: 'r3' } },
        { status: 404, body: '<html>nginx</html>' },
        { status: 200, body: '<html>Sign in to this network</html>' },
      ];
      /* The address may end with a slash. */
      expect(await sent({ BASE: `${base}/`, PAUSE_SECONDS_MAX: '0.1' })).toHaveLength(5);
      expect(seen).toEqual(['token', 'token', ...Array.from({ length: 5 }, () => 'abcde')]);
      expect(await refused()).toEqual([]);
      expect(
        complaints
          .replace(/ waiting .+/g, '')
          .trimEnd()
          .split(/\r?\n/),
      ).toEqual([
        'no token, status 401: No such client or secret (request r1):',
        `status 400: ${unknown} (request r2):`,
        'status 403: The token lacks the scope write:* (request r3):',
        ...[404, 200].map((status) => `status ${status}: not an answer of the service (request unknown):`),
      ]);
      expect(printed).toEqual(['1.json: 5 rows sent']);
    },
  );

  test.skipIf(cannotRun)('ends at once where a variable is missing, and names those it needs', async () => {
    for (const name of ['BASE', 'CLIENT_ID', 'CLIENT_SECRET']) {
      await run({ [name]: '' }, 1);
      expect(complaints).toMatch(/^Set BASE, CLIENT_ID and CLIENT_SECRET in the environment\r?\n$/);
    }
    expect(seen).toEqual([]);
  });

  test.skipIf(cannotRun)('says that nobody listens where the service is down', async () => {
    const { port } = server.address() as AddressInfo;
    server.close();
    await sent({ PAUSE_SECONDS_MAX: '0.1' }, () => server.listen(port, '127.0.0.1'));
    expect(complaints).toMatch(/ECONNREFUSED|Connection refused/);
  });

  test.skipIf(cannotRun)('divides a batch whose sending ends with a 408 in its middle', async () => {
    const noise = () => randomBytes(2_000_000).toString('base64');
    const snapshots = [...'ab'].map((row) => ({ row, noise: noise() }));
    await writeFile(join(folder, 'outbox', '1.json'), JSON.stringify({ household: 'dom_1', snapshots }));
    await run({ PAUSE_SECONDS_MAX: '0.1' });
    /* Whether the answer can be read is up to who closed the connection first. */
    expect(printed[0]).toMatch(/^1\.json: too much at once \((408|cut off)\), divided$/);
    expect(complaints).toMatch(
      printed[0]?.includes('408') ? /^$/ : /^cut off: .*(Broken pipe|reset by peer)/,
    );
    expect(seen.filter((line) => line !== 'token').join('')).toBe('ab');
  });

  test.skipIf(cannotRun)('gets a batch through a line that is too slow for it, in parts', async () => {
    const api = await startApi();
    const { client, household } = await clientWithCustomer(api);
    const access = api.client((await tokensOf(api.baseUrl, client)).access_token, {
      version: '2026-09-08.gauss',
    });
    await addDevice(access, household, { ...devices.wallbox, external_id: `${household}/car` });
    const line = await slowLine(api.baseUrl, 6 * 1024);
    const snapshots = Array.from({ length: 2_000 }, (_, row) => ({
      ...{ external_id: `${household}/car`, power_kw: randomInt(1e6) / 1e5 },
      timestamp: new Date(Date.now() - row * 10).toISOString(),
    }));
    await writeFile(join(folder, 'outbox', '1.json'), JSON.stringify({ household, snapshots }));
    try {
      await run({ BASE: line.url, CLIENT_ID: client.id, CLIENT_SECRET: client.secret ?? '' });
    } finally {
      await line.close();
      await api.close();
    }
    expect(printed[0]).toBe('1.json: too much at once (408), divided');
    const rows = printed.map((text) => Number(/(\d+) rows sent$/.exec(text)?.[1] ?? 0));
    expect(rows.reduce((sum, count) => sum + count)).toBe(2_000);
    expect(complaints).toBe('');
  });
});
