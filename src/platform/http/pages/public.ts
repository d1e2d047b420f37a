import { readFileSync } from 'node:fs';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Failure } from '../../errors.ts';
import { addVary } from '../vary.ts';
import { keepLanguage, type Language } from './language.ts';
import { styleOf } from './look.ts';
import { type PagePolicy, PUBLIC_POLICY, pageHeaders } from './policies.ts';
import { ICON_FILE, PUBLIC_STYLE_FILE, renderPublicPage } from './render.ts';
import { commonTexts, errorKindOf } from './texts.ts';

/**
 * Makes an instance one for pages that everybody may read: what is registered on it afterwards gets their headers. Only
 * pages have these: on answers of the interface no browser looks at them, and they would cost 3 % of a request.
 */
export async function installPublicPages(app: FastifyInstance): Promise<void> {
  await installPolicy(app, PUBLIC_POLICY);
  leadWithoutTrailingSlash(app);
}

/**
 * Leads `/docs/` to `/docs`, for every page that is registered on this instance afterwards. Without this, a person who typed
 * one character too many would be told that a token is missing.
 */
function leadWithoutTrailingSlash(pages: FastifyInstance): void {
  pages.addHook('onRoute', ({ method, url }) => {
    if (method !== 'GET' || /[/*]$/.test(url)) return;
    pages.get(`${url}/`, (request, reply) => {
      const [path = '', ...query] = request.url.split('?');
      const target = [path.slice(0, -1), ...query].join('?');
      return reply.redirect(target, 308);
    });
  });
}

export async function installPolicy(app: FastifyInstance, policy: PagePolicy): Promise<void> {
  const directives = Object.fromEntries(
    Object.entries(policy).map(([directive, sources]) => [directive, [...sources]]),
  );
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives },
    /* Sent with every answer, where the service is reached by https. */
    hsts: false,
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
  });
}

/**
 * A page in the language of its reader. Everybody may keep it for a moment, but for the answer that remembers which language was
 * chosen.
 */
export function sendPageIn(
  lang: Language,
  reply: FastifyReply,
  page: string,
  cacheControl: string,
): FastifyReply {
  return addVary(reply, 'accept-encoding, accept-language, cookie')
    .header('cache-control', keepLanguage(reply) ? 'no-store' : cacheControl)
    .header('content-language', lang)
    .type('text/html; charset=utf-8')
    .send(page);
}

/** A failure for a person in front of a browser; its status and its headers are set before. */
export function sendErrorPage(reply: FastifyReply, failure: Failure, requestId: string): FastifyReply {
  const texts = commonTexts.en;
  const kind = errorKindOf(failure.status);
  const hint = kind === 'bad_call' ? failure.message : texts.errorHints[kind];
  const page = { title: texts.errorTitles[kind], hint, problem: texts.problem(requestId) };
  return addVary(reply, 'accept')
    .headers(pageHeaders(PUBLIC_POLICY))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(renderPublicPage('problem', page));
}

/** Programs have no business with pages of people, nor indexes of the world with answers of the interface. */
const ROBOTS = `User-agent: *
Allow: /$
Allow: /docs
Allow: /changelog
Allow: /prices
Disallow: /
`;

/**
 * Files that browsers and crawlers ask for by themselves, and the look of the public frame, which names its two addresses.
 */
export function publicFiles(app: FastifyInstance): void {
  const style = styleOf([PUBLIC_STYLE_FILE]);
  const icon = readFileSync(ICON_FILE);
  app.get('/robots.txt', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('text/plain; charset=utf-8').send(ROBOTS),
  );
  app.get('/favicon.ico', async (_request, reply) => reply.redirect('/docs/icon.svg', 301));
  app.get('/docs/style.css', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type('text/css; charset=utf-8').send(style),
  );
  app.get('/docs/icon.svg', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(icon),
  );
}
