import { readFileSync } from 'node:fs';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { type PagePolicy, PUBLIC_POLICY } from './policies.ts';
import { ICON_FILE, PUBLIC_STYLE_FILE } from './render.ts';
import { leadWithoutTrailingSlash } from './trailing-slash.ts';

/**
 * Makes an instance one for pages that everybody may read: what is registered on it afterwards gets their headers. Only
 * pages have these: on answers of the interface no browser looks at them, and they would cost 3 % of a request.
 */
export async function installPublicPages(app: FastifyInstance): Promise<void> {
  await installPolicy(app, PUBLIC_POLICY);
  leadWithoutTrailingSlash(app);
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

/** The look of the public frame, which names these two addresses. */
export function publicFiles(app: FastifyInstance): void {
  const style = readFileSync(PUBLIC_STYLE_FILE);
  const icon = readFileSync(ICON_FILE);
  app.get('/docs/style.css', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type('text/css; charset=utf-8').send(style),
  );
  app.get('/docs/icon.svg', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(icon),
  );
}
