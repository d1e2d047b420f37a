// Sends every batch of the folder `outbox`, oldest name first, and ends when none is left.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const { BASE, CLIENT_ID, CLIENT_SECRET } = process.env;
if (!BASE || !CLIENT_ID || !CLIENT_SECRET) {
  console.error('Set BASE, CLIENT_ID and CLIENT_SECRET in the environment');
  process.exit(1);
}
const PAUSE_SECONDS_MAX = Number(process.env.PAUSE_SECONDS_MAX ?? 60);
let token = '';
let failures = 0; // in a row
const CUT = 0; // instead of a status: in 40 s not all was sent, or no answer came

// One pause for all failures: doubled up to a limit, and never the same for two gateways.
async function pause(why, retryAfter) {
  failures += 1;
  const own = Math.min(PAUSE_SECONDS_MAX, 2 ** failures) * (0.5 + Math.random() / 2);
  const seconds = Number(retryAfter) > 0 ? Number(retryAfter) + Math.random() : own;
  console.error(`${why}: waiting ${seconds.toFixed(3)} s`);
  await new Promise((done) => setTimeout(done, seconds * 1000));
}

async function post(path, headers, body) {
  const url = BASE.replace(/\/$/, '') + path;
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(40_000) });
    const text = await answer.text();
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      problem: text.startsWith('{') ? JSON.parse(text) : {},
    };
  } catch (error) {
    if (error.name !== 'TimeoutError') throw error;
    return { status: CUT, problem: { message: error.message } };
  }
}

// What has no message does not come from the service: from a proxy in between, for instance.
function reasonOf(status, { message = 'not an answer of the service', requestId = 'unknown' }) {
  if (status === CUT) return `cut off: ${message}`;
  return `status ${status}: ${message} (request ${requestId})`;
}

async function newToken() {
  const secret = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64');
  const { status, retryAfter, problem } = await post(
    '/oauth/token',
    {
      authorization: `Basic ${secret}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    'grant_type=client_credentials',
  );
  const { access_token = '' } = problem;
  if (!access_token) await pause(`no token, ${reasonOf(status, problem)}`, retryAfter);
  return access_token;
}

// Renamed at the end, so that a crash leaves the old batch or the new one, never half of it.
async function write(file, batch) {
  await writeFile(`${file}.part`, JSON.stringify(batch));
  await rename(`${file}.part`, file);
}

// 408: the line is too slow for so much. 413: too many bytes. 400 at `snapshots`: more than 10,000 rows.
function isTooMuch(status, problem) {
  if ([CUT, 408, 413].includes(status) || isUnreadable(status, problem)) return true;
  return problem.errors?.some(({ code, field }) => code === 'too_big' && field === 'snapshots');
}

// 400 at no field: of the body as a whole, such as too many keys.
function isUnreadable(status, { errors = [] }) {
  return status === 400 && errors.some(({ field }) => field === '');
}

const aside = (name) => `refused/${Date.now()}-${name}`;

// Undefined: what no answer could mend, such as half a file, is moved out of the way.
async function read(name) {
  const text = await readFile(`outbox/${name}`, 'utf8');
  let why = 'snapshots is no list';
  try {
    const batch = JSON.parse(text);
    if (Array.isArray(batch.snapshots)) return batch;
  } catch (error) {
    why = error.message;
  }
  await rename(`outbox/${name}`, aside(name));
  console.log(`${name}: refused, not a batch: ${why}`);
}

async function send(name) {
  const file = `outbox/${name}`;
  const batch = await read(name);
  if (batch === undefined) return;
  const rows = batch.snapshots;
  token ||= await newToken();
  if (!token) return;
  const { status, retryAfter, problem } = await post(
    '/asset-snapshots',
    {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-api-version': '2026-09-08.gauss',
    },
    gzipSync(JSON.stringify(batch)),
  );
  const fields = (problem.errors ?? []).map(({ field }) => field);
  if (status === 401 && failures === 0) {
    failures = 1; // it ran out: the next one is asked for at once
    token = '';
  } else if (problem.object === 'asset_snapshot_batch') {
    await rm(file);
    failures = 0;
    console.log(`${name}: ${rows.length} rows sent`);
  } else if (isTooMuch(status, problem) && rows.length > 1) {
    const half = Math.ceil(rows.length / 2);
    await write(`${file.slice(0, -5)}_1.json`, { ...batch, snapshots: rows.slice(0, half) });
    await write(`${file.slice(0, -5)}_2.json`, { ...batch, snapshots: rows.slice(half) });
    await rm(file);
    console.log(`${name}: too much at once (${status || 'cut off'}), divided`);
    if (status === CUT) await pause(reasonOf(status, problem));
  } else if (
    status === 413 ||
    isUnreadable(status, problem) ||
    fields.some((field) => /^(household|snapshots)/.test(field))
  ) {
    // The batch is wrong. Without such a field it is the setup: another version, address or key.
    const named = fields.flatMap((field) => field.match(/^snapshots\.(\d+)/)?.[1] ?? []);
    const bad = new Set(named.length > 0 ? named.map(Number) : rows.keys());
    const refused = rows.filter((_, index) => bad.has(index));
    await write(aside(name), { ...batch, snapshots: refused, problem });
    const good = rows.filter((_, index) => !bad.has(index));
    if (good.length > 0) await write(file, { ...batch, snapshots: good });
    else await rm(file);
    console.log(`${name}: ${refused.length} of ${rows.length} rows refused with ${status}`);
  } else {
    if (status === 401) token = '';
    await pause(reasonOf(status, problem), retryAfter);
  }
}

for (const folder of ['outbox', 'refused']) await mkdir(folder, { recursive: true });
for (;;) {
  const [name] = (await readdir('outbox')).filter((file) => file.endsWith('.json')).sort();
  if (name === undefined) break;
  await send(name).catch((error) => pause(error.cause?.message || error.cause?.code || error.message));
}
