import { join } from 'node:path';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { addressOf, listenNear } from '../../../platform/http/listen.ts';
import { styleOf } from '../../../platform/http/pages/look.ts';
import { SCRIPTLESS_POLICY } from '../../../platform/http/pages/policies.ts';
import { installPolicy } from '../../../platform/http/pages/public.ts';
import { PUBLIC_STYLE_FILE, pageRenderer } from '../../../platform/http/pages/render.ts';
import { authorizeAddress } from '../../local/facts.ts';
import type { Demo } from './demo.ts';

/** What the demo's own pages lead on to; known when the service runs. */
export interface DemoPlace extends Pick<Demo, 'client_id'> {
  base_url: string;
}

/** Stand-ins for what an organization has beside the service: its application's callback and its checkout. */
export interface DemoPages {
  readonly redirectUri: string;
  /** Host and port, as the service's configuration wants it. */
  readonly checkoutHost: string;
  lead(place: DemoPlace): void;
  stop(): Promise<void>;
}

export const FIRST_REDIRECT_URI = 'http://127.0.0.1:4399/callback';

const HOST = '127.0.0.1';
/* Browsers and curl take every name below localhost for this machine, without asking anybody. */
const CHECKOUT_DOMAIN = 'checkout.localhost';

const views = join(import.meta.dirname, 'views');
const renderPage = pageRenderer(views, views);

/**
 * Begins them on the loopback interface, at the port that the demo client has in its redirect address, or at the next
 * free one. They show what came with the address and hold no secret: every user of this machine can open them.
 */
export async function openDemoPages(preferredUri: string): Promise<DemoPages> {
  const app = Fastify({ forceCloseConnections: true });
  let place: DemoPlace | null = null;
  await installPolicy(app, SCRIPTLESS_POLICY);
  app.get('/style.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(style()));
  app.get('/', (request, reply) => {
    const plan = planOf(request.hostname);
    if (plan === null) return reply.redirect('/callback');
    return show(reply, place, (known) => checkoutPage(known, request, plan));
  });
  app.get('/callback', (request, reply) =>
    show(reply, place, (known) => callbackPage(known, request, redirectUriOf(app))),
  );
  await listenNear(app, HOST, Number(new URL(preferredUri).port));
  return {
    redirectUri: redirectUriOf(app),
    checkoutHost: `${CHECKOUT_DOMAIN}:${portOf(app)}`,
    lead: (known) => {
      place = known;
    },
    stop: () => app.close(),
  };
}

function callbackPage(place: DemoPlace, request: FastifyRequest, redirectUri: string): string {
  const given = (name: string) => parameterOf(request, name);
  const authorizeUrl = authorizeAddress({ ...place, redirect_uri: redirectUri });
  const error = given('error');
  return renderPage('callback', {
    title: 'Callback',
    baseUrl: place.base_url,
    redirectUri,
    authorizeUrl,
    /* It goes into a line for a shell: nothing but what a code of this service is made of. */
    code: /^[\w.~-]+$/.test(given('code')) ? given('code') : null,
    state: given('state'),
    issuer: given('iss'),
    error: error === '' ? null : error,
    description: given('error_description'),
  });
}

function checkoutPage(place: DemoPlace, request: FastifyRequest, plan: string): string {
  const lead = parameterOf(request, 'id');
  return renderPage('checkout', {
    title: 'Checkout',
    baseUrl: place.base_url,
    plan,
    lead: /^[a-z]+_[0-9a-z]{24}$/.test(lead) ? lead : null,
  });
}

function show(reply: FastifyReply, place: DemoPlace | null, page: (place: DemoPlace) => string) {
  reply.header('cache-control', 'no-store');
  if (place === null) return reply.code(503).type('text/plain').send('The service is still starting.\n');
  return reply.type('text/html; charset=utf-8').send(page(place));
}

/** The name in front of the checkout's domain is the slug of a plan, or empty; null for another host. */
function planOf(hostname: string): string | null {
  if (hostname === CHECKOUT_DOMAIN) return '';
  return hostname.endsWith(`.${CHECKOUT_DOMAIN}`) ? hostname.slice(0, -CHECKOUT_DOMAIN.length - 1) : null;
}

function parameterOf(request: FastifyRequest, name: string): string {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : '';
}

const portOf = (app: FastifyInstance) => new URL(addressOf(app, HOST)).port;
const redirectUriOf = (app: FastifyInstance) => `http://${HOST}:${portOf(app)}/callback`;

/** The look of the service's own pages. */
function style(): Buffer {
  return styleOf([PUBLIC_STYLE_FILE]);
}
