import { customerExample } from '../../identity/customers/examples.ts';
import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, route } from '../../platform/interface/route.ts';
import { createMagicLink } from './magic-link.ts';
import { magicLink, newMagicLink } from './schema.ts';

export function portalRoutes(deps: Deps): ApiRoute[] {
  return [
    route({
      method: 'POST',
      path: '/admin/magic_link',
      summary: 'Create a link that lets a customer into the portal',
      description:
        'The link works once within 15 minutes. It is a key: hand it to that customer only, and keep it nowhere. An idempotency key is not taken, because a repeated answer would have to be stored.',
      tag: 'Customers',
      customerTokens: 'no',
      body: newMagicLink,
      response: magicLink,
      example: {
        response: {
          object: 'magic_link',
          link: 'https://api.example.org/portal/auth/confirm?token_hash=ZXhhbXBsZQ&type=magiclink&next=/overview',
        },
        body: { customerId: customerExample.id },
      },
      handler: (request) => createMagicLink(deps, request),
    }),
  ];
}
