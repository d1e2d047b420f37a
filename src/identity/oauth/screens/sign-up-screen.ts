import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuthorizationRequest, SignUp } from '../authorize/request-queries.ts';
import { startSignIn } from '../sign-in/sign-in.ts';
import { textsFor } from './pages.ts';
import { readForm, signUpForm, typedTexts } from './schema.ts';
import type { NextScreen, Screens } from './screens.ts';
import { messageOf, nextAfterStart } from './sent-code.ts';
import type { Texts } from './texts.ts';
import { ScreenFailure } from './visit.ts';

/** Names and address of a customer to be; an address that is known goes on as on the sign-in. */
export function signUpScreen(app: FastifyInstance, screens: Screens): void {
  const url = `${screens.path}/signup`;

  app.get(url, (httpRequest, reply) =>
    screens.answer(httpRequest, reply, { claims: true }, async ({ request }) => {
      assertSignUp(request);
      if (request.customer_id !== null) return { to: screens.addressOf('consent', request) };
      return shown(httpRequest);
    }),
  );

  app.post(url, { preHandler: app.csrfProtection }, (httpRequest, reply) => {
    const t = textsFor(httpRequest);
    const read = readForm(signUpForm, httpRequest.body);
    return screens.answer(httpRequest, reply, {}, async (parts) => {
      const { request } = parts;
      assertSignUp(request);
      if (request.customer_id !== null) return { to: screens.addressOf('consent', request) };
      if ('wrong' in read)
        return shown(httpRequest, { status: 400, wrong: read.wrong, error: t.checkFields });
      const { type, first_name, last_name, company_name, email } = read.form;
      const signUp: SignUp = {
        ...{ type, first_name, last_name },
        company_name: type === 'company' ? company_name : null,
      };
      const started = await startSignIn(parts, email, signUp);
      const refused = nextAfterStart(started, t);
      if (refused !== undefined) return shown(httpRequest, refused);
      const to = screens.addressOf('verify', request);
      return { to, mail: messageOf(started, request, t), counts: true };
    });
  });
}

/** Only a client that asks for it lets strangers become customers. */
function assertSignUp(request: AuthorizationRequest): void {
  if (request.flow !== 'signup') throw new ScreenFailure('not_found', 404);
}

interface Problems {
  status?: number;
  retryAfterSeconds?: number;
  error?: string;
  wrong?: readonly string[];
}

function shown(
  httpRequest: FastifyRequest,
  { status = 200, retryAfterSeconds, error, wrong = [] }: Problems = {},
): NextScreen {
  const t = textsFor(httpRequest);
  const fields = fieldsIn(t).map((field) => ({
    ...field,
    problem: wrong.includes(field.name) ? field.advice : null,
  }));
  const typed = typedTexts(httpRequest.body);
  return {
    template: 'signup',
    title: t.signUpTitle,
    status,
    retryAfterSeconds,
    values: { fields, typed, error: error ?? null },
  };
}

function fieldsIn(t: Texts) {
  const name = { type: 'text', max: 100, required: true, advice: t.checkName };
  return [
    { ...name, name: 'first_name', label: t.firstName, autocomplete: 'given-name' },
    { ...name, name: 'last_name', label: t.lastName, autocomplete: 'family-name' },
    { ...name, name: 'company_name', label: t.companyName, autocomplete: 'organization', required: false },
    {
      ...{ name: 'email', label: t.email, autocomplete: 'email', type: 'email', max: 254 },
      ...{ required: true, advice: t.checkEmail },
    },
  ];
}
