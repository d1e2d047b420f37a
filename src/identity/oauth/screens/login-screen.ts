import type { FastifyInstance } from 'fastify';
import { startSignIn } from '../sign-in/sign-in.ts';
import { textsFor } from './pages.ts';
import { loginForm, readForm, typedTexts } from './schema.ts';
import type { Screens, ShownScreen } from './screens.ts';
import { messageOf, nextAfterStart } from './sent-code.ts';
import type { Texts } from './texts.ts';

/** The e-mail address; the same reaction for known and unknown ones. */
export function loginScreen(app: FastifyInstance, screens: Screens): void {
  const url = `${screens.path}/login`;

  app.get(url, (httpRequest, reply) =>
    screens.answer(httpRequest, reply, { claims: true }, async ({ request }) =>
      request.customer_id === null
        ? askForAddress(textsFor(httpRequest))
        : { to: screens.addressOf('consent', request) },
    ),
  );

  app.post(url, { preHandler: app.csrfProtection }, (httpRequest, reply) => {
    const t = textsFor(httpRequest);
    const read = readForm(loginForm, httpRequest.body);
    const codesOf = 'form' in read ? read.form.email : undefined;
    return screens.answer(httpRequest, reply, { codesOf }, async (parts) => {
      const { request } = parts;
      if (request.customer_id !== null) return { to: screens.addressOf('consent', request) };
      const typed = typedTexts(httpRequest.body);
      if ('wrong' in read) return askForAddress(t, { status: 400, typed, error: t.checkEmail });
      const started = await startSignIn(parts, read.form.email, null);
      const refused = nextAfterStart(started, t);
      if (refused !== undefined) return askForAddress(t, { ...refused, typed });
      const to = screens.addressOf('verify', request);
      return { to, mail: messageOf(started, request, t), counts: true };
    });
  });
}

/** Asks for the e-mail address. */
export function askForAddress(
  t: Texts,
  {
    status = 200,
    retryAfterSeconds,
    ...values
  }: { status?: number; retryAfterSeconds?: number } & Record<string, unknown> = {},
): ShownScreen {
  return { template: 'login', title: t.loginTitle, status, retryAfterSeconds, values };
}
