import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { plain } from './amounts.ts';
import { datesWithin, floorToHour } from './days.ts';
import { answerEnergyCharts } from './energy-charts.ts';
import { answerEnergyforecast } from './energyforecast.ts';
import { answerEntsoe } from './entsoe.ts';
import { hasFault, type Transmission, transmit } from './faults.ts';
import { isPublishedForGermany } from './publication.ts';
import {
  type AnswerRequest,
  type FeedReply,
  type FeedRequest,
  jsonReply,
  notFound,
  SYNTHETIC,
} from './reply.ts';
import { answerSmard } from './smard.ts';
import { type FeedKeeper, keepState } from './state.ts';
import {
  FEED_SOURCES,
  type FeedClock,
  type FeedSource,
  type FeedState,
  type FeedSwitches,
  feedChange,
  sentencesOf,
} from './switches.ts';
import { hoursOf, valuesOf } from './values.ts';

export interface FeedOptions {
  /** 0, the default, is any free port. */
  port?: number;
  now?: FeedClock;
  switches?: FeedSwitches;
}

/** A running feed of invented prices. */
export interface Feed {
  /** `http://127.0.0.1:4310`; each source's own paths follow behind `/<source>`. */
  readonly url: string;
  /** A source that is named gets exactly these switches; others keep theirs. */
  set(change: FeedState): void;
  /** How many requests each source has had. */
  requests(): Record<FeedSource, number>;
  /** Path and query of the newest requests, in order. */
  addresses(): readonly string[];
  close(): Promise<void>;
}

const ANSWERS: Readonly<Record<FeedSource, AnswerRequest>> = {
  entsoe: answerEntsoe,
  smard: answerSmard,
  'energy-charts': answerEnergyCharts,
  awattar: answerAwattar,
  energyforecast: answerEnergyforecast,
};

const HOST = '127.0.0.1';
const CHANGE_BYTES_MAX = 1024 * 1024;
const GZIP_FROM_BYTES = 1024;

/** Starts the feed on the loopback interface of this machine; values, forms and times are those of the sources. */
export async function startFeed(options: FeedOptions = {}): Promise<Feed> {
  const state = keepState({ now: options.now ?? null, ...options.switches });
  const server = createServer((request, response) => {
    void answer(state, request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: error.message });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: HOST, port: options.port ?? 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}`,
    set: state.set,
    requests: state.requests,
    addresses: state.addresses,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(state: FeedKeeper, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const address = request.url ?? '/';
  const { pathname, searchParams } = new URL(address, `http://${HOST}`);
  if (pathname === '/_feed') {
    await answerControl(state, request, response);
    return;
  }
  const source = FEED_SOURCES.find((name) => pathname.startsWith(`/${name}/`));
  if (source === undefined) {
    sendJson(response, 404, { error: 'No such source', sources: FEED_SOURCES });
    return;
  }
  if (request.method !== 'GET') {
    sendJson(response, 405, { error: 'GET only' }, { allow: 'GET' });
    return;
  }
  const { count, switches } = state.count(source, address);
  if (hasFault(switches)) state.spend(source);
  const reply = ANSWERS[source]({
    path: pathname.slice(source.length + 1),
    query: searchParams,
    userAgent: request.headers['user-agent'] ?? '',
    now: state.now(),
    switches,
    count,
  });
  send(request, response, transmit(reply, switches));
}

async function answerControl(
  state: FeedKeeper,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'PUT') {
    const problems = changeState(state, await bodyOf(request));
    if (problems !== null) {
      sendJson(response, 400, { errors: problems });
      return;
    }
  } else if (request.method !== 'GET') {
    sendJson(response, 405, { error: 'GET or PUT only' }, { allow: 'GET, PUT' });
    return;
  }
  sendJson(response, 200, state.shown());
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > CHANGE_BYTES_MAX) throw new Error('The change is too long');
  return text(request);
}

/** What is wrong with a change; null where it holds from now on. */
function changeState(state: FeedKeeper, body: string): readonly string[] | null {
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch {
    return ['body: must be JSON'];
  }
  const change = feedChange.safeParse(given);
  if (!change.success) return sentencesOf(change.error);
  state.set(change.data);
  return null;
}

function send(request: IncomingMessage, response: ServerResponse, what: Transmission): void {
  if (what.reset) {
    request.socket.resetAndDestroy();
    return;
  }
  const zips = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const isZipped = zips && what.body.length >= GZIP_FROM_BYTES;
  const body = isZipped ? gzipSync(what.body, { level: 1 }) : what.body;
  response.writeHead(what.status, {
    ...what.headers,
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
    'content-length': body.length,
    'x-data': SYNTHETIC,
  });
  if (what.pauseMilliseconds === 0) {
    response.end(body);
    return;
  }
  const half = Math.floor(body.length / 2);
  response.write(body.subarray(0, half));
  const timer = setTimeout(() => response.end(body.subarray(half)), what.pauseMilliseconds);
  response.once('close', () => clearTimeout(timer));
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(`${JSON.stringify(body)}\n`);
}

const HOUR = 3_600_000;
/** The longest window answered: longer ones end early. */
const WINDOW_DAYS = 400;

/** aWATTar: hours only, for the days of quarter hours their means; a window in milliseconds. */
function answerAwattar(request: FeedRequest): FeedReply {
  const { query, now, switches } = request;
  if (request.path !== '/v1/marketdata') return notFound();
  const from = Number(query.get('start') ?? floorToHour(now));
  const end = Number(query.get('end') ?? from + 24 * HOUR);
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(end) || from < 0) {
    return jsonReply('{"error":"start and end must be milliseconds"}', 400);
  }
  const to = Math.min(end, from + WINDOW_DAYS * 24 * HOUR);
  const unit = JSON.stringify(switches.unit ?? 'Eur/MWh');
  const rows = datesWithin(from, to)
    .filter((date) => isPublishedForGermany('awattar', date, now, switches))
    .flatMap((date) => hoursOf(valuesOf(date, switches)))
    .filter(({ start, cents }) => start >= from && start < to && cents !== null)
    .map(
      ({ start, cents }) =>
        `{"start_timestamp":${start},"end_timestamp":${start + HOUR},"marketprice":${plain((cents ?? 0) / 100, 6)},"unit":${unit}}`,
    );
  return jsonReply(`{"object":"list","data":[${rows.join(',')}],"url":"/de/v1/marketdata"}`);
}
