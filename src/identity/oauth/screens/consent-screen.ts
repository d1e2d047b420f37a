import type { FastifyInstance } from 'fastify';
import { allow, refuse } from '../authorize/consent.ts';
import type { AuthorizationRequest } from '../authorize/request-queries.ts';
import { textsFor } from './pages.ts';
import { consentForm, ForeignForm, readForm } from './schema.ts';
import type { NextScreen, Screens } from './screens.ts';
import type { Texts } from './texts.ts';

/** What the client would be allowed to do; the customer's answer ends the request. */
export function consentScreen(app: FastifyInstance, screens: Screens): void {
  const url = `${screens.path}/consent`;

  app.get(url, (httpRequest, reply) =>
    screens.answer(httpRequest, reply, {}, async ({ request }) =>
      request.customer_id === null
        ? { to: screens.addressOf('login', request) }
        : shown(textsFor(httpRequest), request),
    ),
  );

  app.post(url, { preHandler: app.csrfProtection }, (httpRequest, reply) => {
    const read = readForm(consentForm, httpRequest.body);
    if ('wrong' in read) throw new ForeignForm('A consent without a decision');
    return screens.answer(httpRequest, reply, { repeats: true }, async (parts) => {
      if (parts.request.customer_id === null) return { to: screens.addressOf('login', parts.request) };
      if (read.form.decision === 'allow') return { to: await allow(parts) };
      const description = 'The customer did not consent';
      return { to: await refuse(parts, { error: 'access_denied', description }) };
    });
  });
}

function shown(t: Texts, request: AuthorizationRequest): NextScreen {
  const { client_name, scopes, email, redirect_uri } = request;
  const { hostname, protocol } = new URL(redirect_uri);
  const rights = [
    ...(scopes.includes('read:*') ? [t.mayRead] : []),
    ...(scopes.includes('write:*') ? [t.mayWrite] : []),
  ];
  const host = hostname === '' ? protocol : hostname;
  return { template: 'consent', title: t.consentTitle(client_name), values: { email, rights, host } };
}
