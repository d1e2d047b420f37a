import type { FastifyInstance } from 'fastify';
import type { AuthorizationRequest } from '../authorization-request-queries.ts';
import { allow, needsConsent, type RequestParts } from '../consent.ts';
import { finishSignIn, startSignIn } from '../sign-in.ts';
import { textsFor } from './pages.ts';
import { newCodeForm, readForm, verifyForm } from './schema.ts';
import type { Next, Screens } from './screens.ts';
import { messageOf } from './sent-code.ts';
import type { Texts } from './texts.ts';

/** The six digits from the mail, or the wish for others. */
export function verifyScreen(app: FastifyInstance, screens: Screens): void {
  const url = `${screens.path}/verify`;

  app.get(url, (httpRequest, reply) =>
    screens.answer(httpRequest, reply, {}, async ({ request }) => {
      return elsewhere(screens, request) ?? shown(textsFor(httpRequest), request, {});
    }),
  );

  app.post(url, { preHandler: app.csrfProtection }, (httpRequest, reply) => {
    const t = textsFor(httpRequest);
    const wantsNewCode = Object.hasOwn((httpRequest.body ?? {}) as object, 'again');
    const typed = wantsNewCode
      ? readForm(newCodeForm, httpRequest.body)
      : readForm(verifyForm, httpRequest.body);
    return screens.answer(httpRequest, reply, { repeats: true }, async (parts) => {
      if (parts.request.ended_at !== null) return { to: await allow(parts) };
      const before = elsewhere(screens, parts.request);
      if (before !== undefined) return before;
      if ('wrong' in typed) return shown(t, parts.request, { status: 400, error: t.codeShape });
      return 'code' in typed.form ? await tried(screens, parts, typed.form.code, t) : await renewed(parts, t);
    });
  });
}

/** Where somebody belongs who has no business here yet, or no longer. */
function elsewhere(screens: Screens, request: AuthorizationRequest): Next | undefined {
  if (request.customer_id !== null) return { to: screens.addressOf('consent', request) };
  if (request.email !== null) return undefined;
  return { to: screens.addressOf(request.flow === 'signup' ? 'signup' : 'login', request) };
}

async function tried(screens: Screens, parts: RequestParts, code: string, t: Texts): Promise<Next> {
  const { request } = parts;
  const result = await finishSignIn(parts, code);
  if (result.check !== 'right') {
    const error = result.check === 'spent' ? t.codeSpent : t.codeWrong;
    return { ...shown(t, request, { status: 400, error }), counts: true };
  }
  if (needsConsent(request)) return { to: screens.addressOf('consent', request) };
  return { to: await allow({ ...parts, request: { ...request, customer_id: result.customer } }) };
}

async function renewed(parts: RequestParts, t: Texts): Promise<Next> {
  const { request } = parts;
  const started = await startSignIn(parts, request.email ?? '', request.sign_up);
  if ('refused' in started) {
    const { refused, seconds } = started;
    const error = refused === 'wait' ? t.wait(seconds) : t.tooMany(Math.ceil(seconds / 60));
    return shown(t, request, { status: 429, retryAfterSeconds: seconds, error });
  }
  const mail = messageOf(started, request, t);
  return { ...shown(t, request, { notice: t.newCodeSent }), mail, counts: true };
}

function shown(
  t: Texts,
  { email, sign_up }: AuthorizationRequest,
  {
    status = 200,
    retryAfterSeconds,
    ...values
  }: { status?: number; retryAfterSeconds?: number; error?: string; notice?: string },
): Next {
  const hint = sign_up === null ? t.verifyHint(email ?? '') : t.signUpVerifyHint(email ?? '');
  return { template: 'verify', title: t.verifyTitle, status, retryAfterSeconds, values: { ...values, hint } };
}
