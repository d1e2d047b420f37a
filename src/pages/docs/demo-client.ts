import type { FastifyRequest } from 'fastify';
import type { ServiceConfig } from '../../config/config.ts';
import { NEWEST_VERSION } from '../../config/versions.ts';
import type { Clock } from '../../platform/clock.ts';

/** Id and secret of the client that `npm start` made. */
export interface DemoClient {
  readonly id: string;
  readonly secret: string;
}

/**
 * What the pages fill into their examples. Only where the service is a demo, and only under the very name that it gave
 * itself: a page of another site whose name was led to this machine gets nothing.
 */
export function demoClientFor(
  request: Pick<FastifyRequest, 'headers'>,
  { BASE_URL, DEMO_CLIENT }: Pick<ServiceConfig, 'BASE_URL' | 'DEMO_CLIENT'>,
): DemoClient | null {
  if (DEMO_CLIENT === undefined || request.headers.host !== new URL(BASE_URL).host) return null;
  const [id = '', secret = ''] = DEMO_CLIENT.split(':');
  return { id, secret };
}

/** What the examples of a demo's page are sent with. */
export interface DemoAccess extends DemoClient {
  /** Null where none was given. */
  readonly token: string | null;
}

/** What there is in the demo, for paths and bodies of examples. */
export interface DemoThings {
  /** By the path of their list: one plan under `plans`. */
  readonly ids: Readonly<Record<string, string>>;
  /** The `external_id` of a battery in the household. */
  readonly battery?: string | undefined;
  /** What is measured is measured now. */
  readonly now?: string;
}

export const NO_THINGS: DemoThings = { ids: {} };

/** Half of the life of a token: what was copied from the page works for as long again. */
const TOKEN_MILLISECONDS = 30 * 60_000;
const ANSWER_MILLISECONDS_MAX = 5_000;

/**
 * The client with a token as anybody gets one, from the service itself; null where it gives none now. It is asked for once in
 * half an hour, however often the page is opened.
 */
export function demoAccess(baseUrl: string, clock: Clock) {
  let kept: { token: string; until: number } | undefined;
  return async (client: DemoClient): Promise<DemoAccess> => {
    const now = clock.nowMilliseconds();
    if (kept === undefined || kept.until <= now) {
      const token = await newToken(baseUrl, client).catch(() => undefined);
      kept = token === undefined ? undefined : { token, until: now + TOKEN_MILLISECONDS };
    }
    return { ...client, token: kept?.token ?? null };
  };
}

/** Lists whose newest thing is as good as any other. */
const NOUNS = [
  ...['customers', 'grid-fee-reductions', 'meter-orders', 'invoices', 'leads', 'market-partners'],
  ...['households', 'events'],
];

interface ListItem {
  readonly id: string;
  readonly [field: string]: unknown;
}

/**
 * One thing of each kind. Where there is one of all of them they are kept for as long as the token: each read of personal data
 * leaves a line in the audit log.
 */
export function demoThings(baseUrl: string, clock: Clock) {
  let kept: { token: string; things: DemoThings } | undefined;
  return async (token: string | null): Promise<DemoThings> => {
    if (token === null) return NO_THINGS;
    const things = kept?.token === token ? kept.things : await readThings(baseUrl, token);
    if (isWhole(things)) kept = { token, things };
    return { ...things, now: clock.now().toISOString() };
  };
}

function isWhole({ ids, battery }: DemoThings): boolean {
  return battery !== undefined && [...NOUNS, 'subscriptions', 'assets'].every((noun) => noun in ids);
}

/** With the demo's token from the service itself. What cannot be read now is left out. */
async function readThings(baseUrl: string, token: string): Promise<DemoThings> {
  const headers = { authorization: `Bearer ${token}`, 'x-api-version': NEWEST_VERSION };
  const list = async (noun: string, limit: number): Promise<readonly ListItem[]> => {
    const signal = AbortSignal.timeout(ANSWER_MILLISECONDS_MAX);
    const answer = await fetch(`${baseUrl}/${noun}?limit=${limit}`, { headers, signal }).catch(
      () => undefined,
    );
    return answer?.ok === true ? ((await answer.json()) as { items: ListItem[] }).items : [];
  };
  const [subscriptions, assets, ...others] = await Promise.all([
    ...['subscriptions', 'assets'].map((noun) => list(noun, 100)),
    ...NOUNS.map((noun) => list(noun, 1)),
  ]);
  /* With one that is supplied for good most calls go through, and with its plan quotes. */
  const subscription =
    subscriptions?.find(
      ({ status, type, terminated_at: end }) => status === 'active' && type === 'consumption' && end === null,
    ) ?? subscriptions?.[0];
  const inverter = assets?.find(({ type }) => type === 'inverter');
  const battery = assets?.find(
    ({ type, household }) => type === 'battery' && household === inverter?.household,
  );
  const ids = {
    ...Object.fromEntries(NOUNS.map((noun, index) => [noun, others[index]?.[0]?.id])),
    ...{ subscriptions: subscription?.id, plans: subscription?.plan },
    ...(inverter !== undefined && { assets: inverter.id, households: inverter.household }),
  };
  const known = Object.entries(ids).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    ids: Object.fromEntries(known),
    battery: typeof battery?.external_id === 'string' ? battery.external_id : undefined,
  };
}

async function newToken(baseUrl: string, { id, secret }: DemoClient): Promise<string | undefined> {
  const answer = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    signal: AbortSignal.timeout(ANSWER_MILLISECONDS_MAX),
  });
  const { access_token } = (await answer.json()) as { access_token?: string };
  return access_token;
}
