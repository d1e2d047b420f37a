import { Command } from 'commander';
import { sendTestEvent } from '../../events/endpoints/send-test.ts';
import { type Outcome, openWebhookRequests } from '../../events/requests/send.ts';
import { endWith } from '../io.ts';
import { type OrganizationOptions, ofOrganization, withOrganization } from '../of-organization.ts';
import { printObject } from '../output.ts';
import { type ActOptions, known, staffAct, withActOptions } from '../session.ts';
import { endpointDeps } from './options.ts';
import { ERRORS, isSuccess } from './outcome.ts';

export function testCommand(): Command {
  return withActOptions(ofOrganization(new Command('test')), 'the endpoint was tried')
    .description('sends a signed test.event now, once, also to a disabled receiver, and prints the answer')
    .argument('<endpoint>', 'whe_…')
    .action((id: string, options: OrganizationOptions & ActOptions) =>
      withOrganization(options, async (session, organization) => {
        const deps = endpointDeps(session);
        const requests = openWebhookRequests(deps.rules);
        try {
          const act = staffAct(session, options, 'webhooks test');
          const sent = sendTestEvent({ ...deps, requests }, organization, id, act);
          const { event, outcome } = await known(`endpoint ${id} in ${organization}`, sent);
          printObject({ endpoint: id, event, ...shownOutcome(outcome) }, options);
          /* A script sees it by the exit code. */
          if (!isSuccess(outcome)) endWith(1);
        } finally {
          await requests.close();
        }
      }),
    );
}

function shownOutcome(outcome: Outcome) {
  const result = isSuccess(outcome) ? 'accepted' : 'failed';
  const { milliseconds } = outcome;
  return outcome.kind === 'answered'
    ? { result, status: outcome.status, milliseconds, answer: outcome.answer, error: null }
    : { result, status: null, milliseconds, answer: null, error: ERRORS[outcome.error] };
}
