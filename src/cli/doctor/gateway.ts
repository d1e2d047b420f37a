import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Dispatcher, Pool } from 'undici';
import { NEWEST_VERSION } from '../../config/versions.ts';
import type { GatewayCredentials } from '../simulation/credentials.ts';
import { requestToken } from '../simulation/gateway.ts';
import {
  CHECK_MILLISECONDS,
  type CheckLine,
  examine,
  type Finding,
  failure,
  ok,
  secondsAhead,
  warning,
} from './check.ts';

/*
 * Each step on the way of a batch, from the name of the service to the problems of the batch. The first step that fails ends it:
 * what comes behind it cannot work. Nothing is stored: a batch is all or nothing, and what is sent always has one bad row.
 */

const CERTIFICATE_DAYS_LEFT = 14;
const DAY_MILLISECONDS = 86_400_000;
const CLOCK_SECONDS_MAX = 2;
const ROWS_MAX = 10_000;
const NO_ASSET = `ast_${'0'.repeat(24)}`;

interface Batch {
  household?: unknown;
  snapshots?: unknown;
}

export async function examineAsGateway(
  { baseUrl, clientId, clientSecret }: GatewayCredentials,
  batch: unknown,
): Promise<CheckLine[]> {
  const url = new URL(baseUrl);
  const pool = new Pool(baseUrl, {
    connections: 1,
    connect: { timeout: CHECK_MILLISECONDS },
    headersTimeout: CHECK_MILLISECONDS,
    bodyTimeout: CHECK_MILLISECONDS,
  });
  let token = '';
  const steps: readonly [name: string, remedy: string, look: (signal: AbortSignal) => Promise<Finding>][] = [
    ['name', 'Correct the host name, or the DNS server of this network.', () => lookAtName(url)],
    ['tls', 'Correct the address, or let somebody renew the certificate.', () => lookAtTls(url)],
    [
      'service',
      'Correct the address: a proxy or a firewall may stand between.',
      (signal) => lookAtService(pool, signal),
    ],
    [
      'token',
      'Correct --client-id and the secret; cli clients show says whether the client is enabled.',
      async (signal) => {
        token = await requestToken(pool, { clientId, clientSecret, signal });
        return ok(`${clientId} gets one`);
      },
    ],
    ['scope', 'Make a client with the scope write:*.', async () => lookAtScope(token)],
    ['batch', 'Correct what is named.', (signal) => lookAtBatch(pool, token, batch, signal)],
  ];
  try {
    const rows: CheckLine[] = [];
    for (const [name, remedy, look] of steps) {
      const found = await examine([{ name, remedy, look }]);
      rows.push(...found);
      if (found.some(({ level }) => level === 'failure')) break;
    }
    return rows;
  } finally {
    await pool.destroy();
  }
}

/** Without the brackets of an address of IPv6. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

async function lookAtName(url: URL): Promise<Finding> {
  const { hostname } = url;
  const found = await lookup(hostOf(url), { all: true });
  return ok(`${hostname} is ${found.map(({ address }) => address).join(', ')}`);
}

async function lookAtTls(url: URL): Promise<Finding> {
  const { protocol } = url;
  const host = hostOf(url);
  const port = Number(url.port || 443);
  if (protocol === 'http:')
    return warning('the address begins with http: nothing is encrypted', 'Use https outside of a trial.');
  const met = await new Promise<number>((resolve, reject) => {
    const socket = connectTls(
      /* A number is no name of a server. */
      { host, port, ...(isIP(host) === 0 && { servername: host }), timeout: CHECK_MILLISECONDS },
      () => {
        resolve(socket.getPeerX509Certificate()?.validToDate.getTime() ?? 0);
        socket.end();
      },
    );
    socket.once('error', reject);
    socket.once('timeout', () => socket.destroy(new Error('No answer to the TLS handshake')));
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith('ERR_SSL_')) return error.code;
    throw error;
  });
  if (typeof met === 'string') return refusedHandshake(met, port);
  const days = Math.floor((met - Date.now()) / DAY_MILLISECONDS);
  const found = `the certificate is trusted and valid for ${days} days`;
  return days >= CERTIFICATE_DAYS_LEFT ? ok(found) : warning(found, 'Let somebody renew the certificate.');
}

/** What bytes that are no TLS look like to who expects it. */
const NOT_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

function refusedHandshake(code: string, port: number): Finding {
  if (NOT_TLS.includes(code))
    return failure(
      `port ${port} does not speak TLS`,
      'Begin the address with http:// where it speaks http, or name the port for https.',
    );
  return failure(
    `port ${port} speaks TLS, and the handshake fails: ${code}`,
    'Correct the host name of the address, or let somebody look at the certificate and the TLS settings of the server.',
  );
}

async function lookAtService(pool: Pool, signal: AbortSignal): Promise<Finding> {
  const sentAt = Date.now();
  const { statusCode, headers, body } = await pool.request({ method: 'GET', path: '/livez', signal });
  const receivedAt = Date.now();
  await body.dump();
  if (statusCode !== 200)
    return failure(
      `/livez answers ${statusCode}`,
      'Correct the address: this is not the service, or a proxy before it.',
    );
  const ahead = secondsAhead(headers.date, sentAt, receivedAt);
  if (ahead === null) return ok('answers, without a Date');
  if (Math.abs(ahead) <= CLOCK_SECONDS_MAX) return ok(`answers in ${receivedAt - sentAt} ms; clocks agree`);
  const words = `${Math.abs(ahead).toFixed(1)} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
  return warning(
    `answers; the clock of this machine is ${words} that of the service`,
    'Let this machine take its time from the network (NTP): timestamps in the future are refused.',
  );
}

/** Of the token itself, which is signed and not secret to its holder. */
function lookAtScope(token: string): Finding {
  const [, payload = ''] = token.split('.');
  const { scope = '' } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { scope?: string };
  if (scope.split(' ').includes('write:*')) return ok(scope);
  return failure(`the token has ${scope || 'no scope'}`, 'A batch needs write:*: make a client that has it.');
}

interface Entry {
  readonly field: string;
  readonly message: string;
}

interface Answer {
  readonly status: number;
  readonly entries: readonly Entry[];
  readonly message: string;
}

async function lookAtBatch(pool: Pool, token: string, batch: unknown, signal: AbortSignal): Promise<Finding> {
  if (batch === undefined) {
    const { status, entries } = await post(pool, token, {}, signal);
    if (status === 400 && entries.some(({ field }) => field === 'household'))
      return ok('an empty batch is refused with 400, as it has to be: the way is open');
    return failure(
      `an empty batch is answered with ${status}`,
      'Something between changes requests or answers.',
    );
  }
  const { household, snapshots } = Object(batch) as Batch;
  if (!Array.isArray(snapshots)) return refusal(await post(pool, token, batch, signal));
  const bad = { asset: NO_ASSET, timestamp: new Date().toISOString(), power_kw: 0 };
  const sendWith = async (badRow: number): Promise<Answer> => {
    const rows = snapshots.toSpliced(badRow, 1, bad);
    const answer = await post(pool, token, { ...Object(batch), household, snapshots: rows }, signal);
    return {
      ...answer,
      entries: answer.entries.filter(({ field }) => !field.startsWith(`snapshots.${badRow}.`)),
    };
  };
  /* It stands behind the others, so that their paths stay what they are. Where no more fit it takes the place of the last one,
     and in a second call that of the first. */
  const places = snapshots.length === ROWS_MAX ? [ROWS_MAX - 1, 0] : [snapshots.length];
  const answers: Answer[] = [];
  for (const place of places) answers.push(await sendWith(place));
  const entries = answers.flatMap((answer) => answer.entries);
  const found = new Map(entries.map((entry) => [`${entry.field} ${entry.message}`, entry]));
  const answer = answers.find(({ status }) => status !== 400) ?? (answers[0] as Answer);
  return refusal({ ...answer, entries: [...found.values()] }, snapshots.length);
}

const ENTRIES_SHOWN = 20;

/** Of what is wrong with the rows of the batch; one row that has to be refused went with them where there are any. */
function refusal({ status, entries, message }: Answer, rows?: number): Finding {
  if (status === 400 && rows !== undefined && entries.length === 0)
    return ok('the service finds no problem in it, as far as it could compare with stored values');
  const problems = entries.slice(0, ENTRIES_SHOWN).map(({ field, message: text }) => `${field}: ${text}`);
  if (entries.length > ENTRIES_SHOWN) problems.push(`and ${entries.length - ENTRIES_SHOWN} more`);
  const isTooMuch = status === 413 || (rows ?? 0) > ROWS_MAX;
  return failure(
    `refused with ${status}`,
    isTooMuch
      ? `Divide it: a batch has at most ${ROWS_MAX} rows.`
      : 'Correct each; the paths are those of the file.',
    problems.length === 0 ? [message] : problems,
  );
}

async function post(pool: Pool, token: string, body: unknown, signal: AbortSignal): Promise<Answer> {
  const options: Dispatcher.RequestOptions = {
    method: 'POST',
    path: '/asset-snapshots',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-api-version': NEWEST_VERSION,
    },
    body: JSON.stringify(body),
    signal,
  };
  const answer = await pool.request(options);
  const told = (await answer.body.json()) as { errors?: Entry[]; message?: string };
  return { status: answer.statusCode, entries: told.errors ?? [], message: told.message ?? '' };
}
