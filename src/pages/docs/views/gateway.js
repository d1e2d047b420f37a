// Sends every batch of the folder `outbox`, oldest name first, and ends when none is left.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';

const { BASE, CLIENT_ID, CLIENT_SECRET } = process.env;
const PAUSE_SECONDS_MAX = Number(process.env.PAUSE_SECONDS_MAX ?? 60);
let token = '';
let failures = 0; // in a row

// One pause for all failures: doubled up to a limit, and never the same for two gateways.
async function pause(why, retryAfter) {
  failures += 1;
  const own = Math.min(PAUSE_SECONDS_MAX, 2 ** failures) * (0.5 + Math.random() / 2);
  const seconds = Number(retryAfter) > 0 ? Number(retryAfter) + Math.random() : own;
  console.error(`${why}: waiting ${seconds.toFixed(3)} s`);
  await new Promise((done) => setTimeout(done, seconds * 1000));
}

const post = (path, headers, body) =>
  fetch(BASE + path, { method: 'POST', headers, body, signal: AbortSignal.timeout(40_000) });

async function newToken() {
  const secret = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64');
  const answer = await post(
    '/oauth/token',
    {
      authorization: `Basic ${secret}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    'grant_type=client_credentials',
  );
  const { access_token = '' } = await answer.json();
  if (!access_token) await pause(`token ${answer.status}`, answer.headers.get('retry-after'));
  return access_token;
}

// Renamed at the end, so that a crash leaves the old batch or the new one, never half of it.
async function write(file, batch) {
  await writeFile(`${file}.part`, JSON.stringify(batch));
  await rename(`${file}.part`, file);
}

// 413: too many bytes. 400 at `snapshots` itself: more than 10,000 rows.
function isTooLarge(status, { errors = [] }) {
  return status === 413 || errors.some(({ code, field }) => code === 'too_big' && field === 'snapshots');
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
  const answer = await post(
    '/asset-snapshots',
    {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-api-version': '2026-09-08.gauss',
    },
    JSON.stringify(batch),
  );
  const problem = answer.ok ? {} : await answer.json().catch(() => ({}));
  if (answer.status === 401 && failures === 0) {
    failures = 1; // it ran out: the next one is asked for at once
    token = '';
  } else if (answer.ok) {
    await rm(file);
    failures = 0;
    console.log(`${name}: ${rows.length} rows sent`);
  } else if (isTooLarge(answer.status, problem) && rows.length > 1) {
    const half = Math.ceil(rows.length / 2);
    await write(`${file.slice(0, -5)}_1.json`, { ...batch, snapshots: rows.slice(0, half) });
    await write(`${file.slice(0, -5)}_2.json`, { ...batch, snapshots: rows.slice(half) });
    await rm(file);
    console.log(`${name}: too large, divided`);
  } else if ([400, 404, 413, 422].includes(answer.status)) {
    const named = (problem.errors ?? []).flatMap(({ field }) => field.match(/^snapshots\.(\d+)/)?.[1] ?? []);
    const bad = new Set(named.length > 0 ? named.map(Number) : rows.keys());
    const refused = rows.filter((_, index) => bad.has(index));
    await write(aside(name), { ...batch, snapshots: refused, problem });
    const good = rows.filter((_, index) => !bad.has(index));
    if (good.length > 0) await write(file, { ...batch, snapshots: good });
    else await rm(file);
    console.log(`${name}: ${refused.length} of ${rows.length} rows refused with ${answer.status}`);
  } else {
    if (answer.status === 401) token = '';
    await pause(`status ${answer.status}`, answer.headers.get('retry-after'));
  }
}

for (const folder of ['outbox', 'refused']) await mkdir(folder, { recursive: true });
for (;;) {
  const [name] = (await readdir('outbox')).filter((file) => file.endsWith('.json')).sort();
  if (name === undefined) break;
  await send(name).catch((error) => pause(error.message));
}
