import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  badRequest,
  ERROR_CATALOGUE,
  type ErrorEntry,
  Failure,
  notFound,
  notFoundBecause,
  unavailable,
} from '../errors.ts';
import { callerOf, type FairQueue } from '../fair-queue.ts';
import { isId } from '../ids.ts';
import type { Principal } from '../principal.ts';
import {
  type RateLimiter,
  rateLimitHeaders,
  type TakenTokens,
  tooManyRequests,
} from '../rate-limit/rate-limit.ts';
import type { BucketNumbers } from '../rate-limit/token-bucket.ts';
import { UPGRADE_API_VERSION } from '../rule-codes.ts';
import type { VersionName } from '../version-name.ts';
import { apiRouteOf, expectsPage, rawHeaderValues } from './request-context.ts';
import type { HttpMethod, RouteName } from './route.ts';
import type { Availability, VersionEngine } from './versioning.ts';

/** The bearer of a token, whether its organization has paid, and the rate of its client. */
export interface Authentication {
  principal: Principal;
  standing: 'in_order' | 'past_due';
  rate: BucketNumbers;
  /** The client was registered for one customer: nobody shares its rate. */
  isOfOneCustomer: boolean;
}

/** No promise where the token is known: a request with one waits for nothing then. */
export type Authenticate = (authorization: string | undefined) => Authentication | Promise<Authentication>;

export interface GateOptions {
  authenticate: Authenticate;
  versions: VersionEngine;
  limiter: RateLimiter;
  queue: Pick<FairQueue, 'causesOverload'>;
}

/**
 * Decides, in this order and before a byte of the body is read: token, standing, version, path and method, scope and
 * kind of token, rate. The first failing step gives the answer; an unknown path without a valid token is 401 as well.
 * Every request with a good token takes one of its client's bucket, also one that an earlier step refuses. The bucket is
 * asked as soon as the client is known and looked at last: the other steps take place meanwhile.
 */
export function installRequestGate(app: FastifyInstance, options: GateOptions): void {
  const paths = new PathTable(options.versions);

  function check(request: FastifyRequest, presented: PresentedToken): void {
    const { header, principal } = presented;
    if (presented.standing === 'past_due') throw new Failure('PAYMENT_REQUIRED');
    if (header.refused !== undefined) throw header.refused;
    const version = request.apiVersion;
    const api = apiRouteOf(request);
    if (api === undefined) throw paths.failureFor(request, version);
    const availability = options.versions.availability(api.name, version);
    if (availability.state !== 'available')
      throw paths.unavailableRoute(request, api.name, version, availability);
    assertAllowed(request, principal, api.route.customerTokens);
  }

  function admit(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    const header = versionHeaderOf(request, options.versions.list.names);
    if (header.known !== undefined) answerVersion(request, reply, header.known);
    const found = options.authenticate(bearerOf(request));
    const admitAs = (authentication: Authentication) => {
      const { principal, standing, rate } = authentication;
      request.principal = principal;
      request.caller = callerOf(principal, rate.perSecond);
      /* A request without a known version gets the latest stable one, as every request has from the start. */
      if (header.refused === undefined) answerVersion(request, reply, header.known ?? principal.version);
      if (request.isUnderPressure && options.queue.causesOverload(request.caller)) throw unavailable();
      const taking = takeToken(options.limiter, authentication);
      const refused = failureOf(() => check(request, { header, principal, standing }));
      if (taking instanceof Promise) return taking.then((taken) => conclude(reply, taken, refused));
      return conclude(reply, taking, refused);
    };
    return found instanceof Promise ? found.then(admitAs) : admitAs(found);
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (isPublic(request)) {
      done();
      return;
    }
    /* Somebody who mistyped the address of a page has no token to send. */
    if (request.is404 && expectsPage(request)) {
      done(notFound());
      return;
    }
    let admitting: void | Promise<void>;
    try {
      admitting = admit(request, reply);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (admitting === undefined) done();
    else admitting.then(() => done(), done);
  });
}

/** One of many customers gets a part of the client's rate: the others have the rest. */
const CUSTOMER_RATE_SHARE = 1 / 5;
const CUSTOMER_BURST_SHARE = 1 / 2;

function takeToken(
  limiter: RateLimiter,
  { principal: { client, customer }, rate, isOfOneCustomer }: Authentication,
): TakenTokens | Promise<TakenTokens> {
  const ofClient = () => limiter.take(`client:${client}`, rate);
  if (customer === undefined || isOfOneCustomer) return ofClient();
  return takeOfCustomer(limiter, `client:${client}:${customer}`, rate, ofClient);
}

/** The client's bucket bounds all its customers together. What is over one customer's own part takes nothing of it. */
async function takeOfCustomer(
  limiter: RateLimiter,
  bucket: string,
  { perSecond, burst }: BucketNumbers,
  ofClient: () => TakenTokens | Promise<TakenTokens>,
): Promise<TakenTokens> {
  const own = await limiter.take(bucket, {
    perSecond: Math.ceil(perSecond * CUSTOMER_RATE_SHARE),
    burst: Math.ceil(burst * CUSTOMER_BURST_SHARE),
  });
  if (!own.allowed) return own;
  const all = await ofClient();
  return all.allowed && all.remaining >= own.remaining ? own : all;
}

/** The last step: what the bucket says is told in any case, and refuses only what nothing else refused. */
function conclude(reply: FastifyReply, taken: TakenTokens, refused: { error: unknown } | undefined): void {
  reply.headers(rateLimitHeaders(taken));
  if (refused !== undefined) throw refused.error;
  if (!taken.allowed) throw tooManyRequests(taken);
}

interface VersionHeader {
  known?: VersionName;
  refused?: Failure;
}

interface PresentedToken extends Pick<Authentication, 'principal' | 'standing'> {
  header: VersionHeader;
}

function failureOf(work: () => void): { error: unknown } | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** The header says already what the request's version is. */
function answerVersion(request: FastifyRequest, reply: FastifyReply, version: VersionName): void {
  if (request.apiVersion === version) return;
  request.apiVersion = version;
  reply.header('x-api-version', version);
}

/** A matched route that is not part of the interface is public: health, metrics, documents, token endpoint. */
function isPublic(request: FastifyRequest): boolean {
  return !request.is404 && apiRouteOf(request) === undefined;
}

function bearerOf(request: FastifyRequest): string | undefined {
  const values = rawHeaderValues(request, 'authorization');
  /* Several are a token that nobody can read, and not none. */
  return values.length > 1 ? `Bearer ${values.join(', ')}` : values[0];
}

function versionHeaderOf(request: FastifyRequest, names: readonly VersionName[]): VersionHeader {
  const values = new Set(rawHeaderValues(request, 'x-api-version'));
  if (values.size === 0) return {};
  const known = values.size === 1 ? names.find((name) => values.has(name)) : undefined;
  if (known !== undefined) return { known };
  const message = `Unknown version. Valid values: ${names.join(', ')}`;
  return { refused: badRequest([{ code: 'invalid_value', field: 'X-API-Version', message }]) };
}

function assertAllowed(
  request: FastifyRequest,
  principal: Principal,
  customerTokens: 'own' | 'all' | 'no',
): void {
  const needed = request.method === 'GET' || request.method === 'HEAD' ? 'read:*' : 'write:*';
  if (!principal.scopes.includes(needed)) {
    const message = `Needs the scope ${needed}, the token has ${principal.scopes.join(' ')}`;
    throw new Failure('FORBIDDEN', {
      message: ERROR_CATALOGUE.FORBIDDEN.message,
      entries: [{ code: 'custom', field: 'Authorization', message }],
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
    });
  }
  if (principal.customer !== undefined && customerTokens === 'no') {
    throw new Failure('FORBIDDEN', { message: 'This token acts for one customer and cannot be used here' });
  }
}

/** Which methods a path knows in which version: for 404 against 405, and for `Allow`. */
class PathTable {
  readonly #versions: VersionEngine;
  readonly #patterns: { segments: string[]; names: RouteName[] }[] = [];

  constructor(versions: VersionEngine) {
    this.#versions = versions;
    const byPath = new Map<string, RouteName[]>();
    for (const route of versions.routes) {
      const names = byPath.get(route.path) ?? [];
      names.push(`${route.method} ${route.path}`);
      byPath.set(route.path, names);
    }
    for (const [path, names] of byPath) this.#patterns.push({ segments: path.split('/'), names });
    const placeholders = (pattern: { segments: string[] }) =>
      pattern.segments.filter((part) => part.startsWith('{')).length;
    this.#patterns.sort((a, b) => placeholders(a) - placeholders(b));
  }

  /** No route has this method and path: 405 when the path has other methods in this version, else 404. */
  failureFor(request: FastifyRequest, version: VersionName): Failure {
    const allowed = this.#methodsIn(this.#namesOf(request.url), version);
    if (allowed.length === 0) return notFoundBecause(this.#noSuchRoute(request, version));
    return new Failure('METHOD_NOT_ALLOWED', { headers: { allow: allowHeader(allowed) } });
  }

  #noSuchRoute(request: FastifyRequest, version: VersionName): ErrorEntry {
    const path = segmentsOf(request.url)
      .map((part) => (isId(part) ? '{id}' : part))
      .join('/');
    const message = `No such route: ${request.method} ${path.slice(0, COMPARED_CHARACTERS_MAX)}`;
    const near = path.length > COMPARED_CHARACTERS_MAX ? [] : this.#nearest(request.method, path, version);
    return { code: 'custom', field: '', message: [message, ...near].join('. The nearest is ') };
  }

  /** The route that differs least, where half of it or more is the same. */
  #nearest(method: string, path: string, version: VersionName): RouteName[] {
    const found = this.#patterns
      .flatMap(({ segments, names }) => {
        const known = names.filter(
          (route) => this.#versions.availability(route, version).state === 'available',
        );
        const name = known.find((route) => route.startsWith(`${method} `)) ?? known[0];
        const pattern = segments.map((part) => (part.startsWith('{') ? '{id}' : part)).join('/');
        return name === undefined
          ? []
          : [{ name, length: pattern.length, edits: editsBetween(path, pattern) }];
      })
      .filter(({ edits, length }) => edits <= length / 2)
      .toSorted((left, right) => left.edits - right.edits);
    return found.slice(0, 1).map(({ name }) => name);
  }

  /** The route exists in another version: one sentence says in which. */
  unavailableRoute(
    request: FastifyRequest,
    name: RouteName,
    version: VersionName,
    found: Availability,
  ): Failure {
    if (found.state === 'removed') {
      const instead = found.instead === undefined ? '' : ` Use ${found.instead}.`;
      return new Failure('NOT_FOUND', {
        message: `${name} was removed in API version ${found.since}.${instead}`,
      });
    }
    const since = found.state === 'not_yet' ? found.since : version;
    const message = `${name} is available from API version ${since}. This request used ${version}.`;
    const entries: ErrorEntry[] = [{ code: UPGRADE_API_VERSION, field: '', message }];
    const allowed = this.#methodsIn(this.#namesOf(request.url), version);
    if (allowed.length === 0) return new Failure('NOT_FOUND', { message, entries });
    return new Failure('METHOD_NOT_ALLOWED', { message, entries, headers: { allow: allowHeader(allowed) } });
  }

  #methodsIn(names: readonly RouteName[], version: VersionName): HttpMethod[] {
    return names
      .filter((name) => this.#versions.availability(name, version).state === 'available')
      .map((name) => name.slice(0, name.indexOf(' ')) as HttpMethod);
  }

  #namesOf(url: string): readonly RouteName[] {
    const segments = segmentsOf(url);
    const found = this.#patterns.find(
      (pattern) =>
        pattern.segments.length === segments.length &&
        pattern.segments.every((part, index) =>
          part.startsWith('{') ? segments[index] !== '' : part === segments[index],
        ),
    );
    return found?.names ?? [];
  }
}

/** No route is as long; the comparison takes time by the square of it. */
const COMPARED_CHARACTERS_MAX = 100;

/** Characters to insert, remove or replace (Levenshtein's distance), row by row of its table. */
function editsBetween(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let place = 0; place < left.length; place += 1) {
    const next = [place + 1];
    for (let index = 0; index < right.length; index += 1) {
      const replaced = (row[index] ?? 0) + (left[place] === right[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function segmentsOf(url: string): string[] {
  const queryAt = url.indexOf('?');
  return (queryAt === -1 ? url : url.slice(0, queryAt)).split('/').map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function allowHeader(methods: readonly HttpMethod[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}
