import type { FastifyError, FastifyInstance } from 'fastify';
import type { Deps } from '../../../platform/deps.ts';
import { pageOrJson } from '../../../platform/http/accept.ts';
import { networkOf } from '../../../platform/http/network.ts';
import { prepareReply } from '../../../platform/http/prepare-reply.ts';
import { type ErrorAnswers, envelopeOf } from '../../../platform/interface/error-handler.ts';
import { queryPairs } from '../../../platform/interface/query.ts';
import { oauthErrorOf, slowDown } from '../failures.ts';
import { refuseOtherMethods } from '../routes.ts';
import { screenHeaders, screensPath, showError } from '../screens/pages.ts';
import type { ErrorKind } from '../screens/texts.ts';
import { beginAuthorization } from './endpoint.ts';

/** Each call is a row for 2 hours, and anybody may make one: far more than people behind one address ever begin. */
const PER_NETWORK = { perSecond: 20, burst: 500 };

/** Where a client sends a customer's browser. Answers without a redirect are pages for people, JSON for programs. */
export async function authorizeRoutes(
  app: FastifyInstance,
  { deps, answers }: { deps: Deps; answers: ErrorAnswers },
): Promise<void> {
  const path = screensPath(deps.config);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ ...screenHeaders(), vary: 'accept, accept-language' });
  });

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = prepareReply(error, request, reply);
    const { status } = failure;
    if (pageOrJson(request.headers.accept, 'json') === 'page') {
      return showError(request, reply, path, { kind: kindOf(status), status });
    }
    const envelope = envelopeOf(failure, request, answers);
    const answer = { ...envelope, error: oauthErrorOf(failure), error_description: envelope.message };
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
  });

  app.get('/oauth/authorize', async (request, reply) => {
    const taken = await deps.limiter.take(`oauth-authorize:${networkOf(request.remoteAddress)}`, PER_NETWORK);
    if (!taken.allowed) throw slowDown(taken.secondsUntilNext);
    const location = await beginAuthorization(deps, queryPairs(request.raw.url ?? ''), request.log);
    return reply.redirect(location, 302);
  });
  refuseOtherMethods(app, '/oauth/authorize', ['GET', 'HEAD']);
}

function kindOf(status: number): ErrorKind {
  if (status === 429) return 'slow_down';
  if (status === 503) return 'busy';
  return status >= 500 ? 'failed' : 'bad_call';
}
