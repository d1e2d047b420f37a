import type { FastifyInstance } from 'fastify';
import { allow, needsConsent, type RequestParts } from '../authorize/consent.ts';
import type { AuthorizationRequest } from '../authorize/request-queries.ts';
import { type CodeParts, codeInForce } from '../sign-in/one-time-codes.ts';
import { finishSignIn, startSignIn } from '../sign-in/sign-in.ts';
import { textsFor } from './pages.ts';
import { newCodeForm, readForm, verifyForm } from './schema.ts';
import type { NextScreen, Screens, ShownScreen } from './screens.ts';
import { messageOf, refusalIn } from './sent-code.ts';
import type { Texts } from './texts.ts';

/** The code from the mail, or the wish for another. */
export function verifyScreen(app: FastifyInstance, screens: Screens): void {
  const url = `${screens.path}/verify`;

  app.get(url, (httpRequest, reply) =>
    screens.answer(
      httpRequest,
      reply,
      {},
      async (parts) => elsewhere(screens, parts.request) ?? (await shown(textsFor(httpRequest), parts, {})),
    ),
  );

  app.post(url, { preHandler: app.csrfProtection }, (httpRequest, reply) => {
    const t = textsFor(httpRequest);
    const wantsNewCode = Object.hasOwn((httpRequest.body ?? {}) as object, 'again');
    const typed = wantsNewCode
      ? readForm(newCodeForm, httpRequest.body)
      : readForm(verifyForm, httpRequest.body);
    return screens.answer(httpRequest, reply, { repeats: true, codesOf: null }, async (parts) => {
      if (parts.request.ended_at !== null) return { to: await allow(parts) };
      const before = elsewhere(screens, parts.request);
      if (before !== undefined) return before;
      if ('wrong' in typed) return await shown(t, parts, { status: 400, error: 'shape' });
      return 'code' in typed.form ? await tried(screens, parts, typed.form.code, t) : await renewed(parts, t);
    });
  });
}

/** Where somebody belongs who has no business here yet, or no longer. */
function elsewhere(screens: Screens, request: AuthorizationRequest): NextScreen | undefined {
  if (request.customer_id !== null) return { to: screens.addressOf('consent', request) };
  if (request.email !== null) return undefined;
  return { to: screens.addressOf(request.flow === 'signup' ? 'signup' : 'login', request) };
}

async function tried(screens: Screens, parts: RequestParts, code: string, t: Texts): Promise<NextScreen> {
  const { request } = parts;
  const result = await finishSignIn(parts, code);
  if (result.check !== 'right') {
    const { guess } = result;
    const error = result.check === 'spent' ? t.codeSpent : t.codeWrong;
    const next = await shown(t, parts, { status: 400, error });
    return { ...next, counts: true, ...(guess === undefined ? {} : { guess }) };
  }
  if (needsConsent(request)) return { to: screens.addressOf('consent', request) };
  return { to: await allow({ ...parts, request: { ...request, customer_id: result.account } }) };
}

async function renewed(parts: RequestParts, t: Texts): Promise<NextScreen> {
  const { request } = parts;
  const started = await startSignIn(parts, request.email ?? '', request.sign_up);
  if ('refused' in started) {
    const error = refusalIn(t, started);
    return await shown(t, parts, { status: 429, retryAfterSeconds: started.seconds, error });
  }
  const mail = messageOf(started, request, t);
  return { ...(await shown(t, parts, { notice: t.newCodeSent })), mail, counts: true };
}

interface VerifyScreen {
  status?: number;
  retryAfterSeconds?: number;
  /** `shape`: what was typed is no code. */
  error?: string;
  notice?: string;
}

function shown(t: Texts, parts: RequestParts, screen: VerifyScreen): Promise<ShownScreen> {
  const { email, sign_up } = parts.request;
  return askForCode(t, parts, { email: email ?? '', signsUp: sign_up !== null }, screen);
}

/** Asks for the code that would be taken now: for another shape, or for that of somebody else's mail. */
export async function askForCode(
  t: Texts,
  parts: CodeParts,
  { email, signsUp }: { email: string; signsUp: boolean },
  { status = 200, retryAfterSeconds, error, notice }: VerifyScreen,
): Promise<ShownScreen> {
  const code = await codeInForce(parts, email);
  const isLong = code?.is_long === true;
  const shape = isLong ? t.longCodeShape : t.codeShape;
  const hint = code?.isOwn === false ? t.othersVerifyHint : t.verifyHint;
  const values = {
    hint: signsUp ? t.signUpVerifyHint(email) : hint(email),
    isLong,
    ...(error === undefined ? {} : { error: error === 'shape' ? shape : error }),
    ...(notice === undefined ? {} : { notice }),
  };
  return { template: 'verify', title: t.verifyTitle, status, retryAfterSeconds, values };
}
