import type { FastifyInstance } from 'fastify';

/**
 * Leads `/docs/` to `/docs`, for every page that is registered on this instance afterwards. What no route knows asks for a
 * token, and a person who typed one character too many would be told so.
 */
export function leadWithoutTrailingSlash(pages: FastifyInstance): void {
  pages.addHook('onRoute', ({ method, url }) => {
    if (method !== 'GET' || /[/*]$/.test(url)) return;
    pages.get(`${url}/`, (request, reply) => {
      const [path = '', ...query] = request.url.split('?');
      const target = [path.slice(0, -1), ...query].join('?');
      return reply.redirect(target, 308);
    });
  });
}
