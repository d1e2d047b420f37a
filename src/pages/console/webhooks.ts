import {
  DELIVERY_STATES,
  type ListedDelivery,
  listAttempts,
  listDeliveries,
} from '../../events/deliveries/log.ts';
import { resendDelivery } from '../../events/deliveries/resend.ts';
import { createEndpoint } from '../../events/endpoints/create.ts';
import type { EndpointRow } from '../../events/endpoints/queries.ts';
import { listEndpoints, stateOfEndpoint } from '../../events/endpoints/read.ts';
import { addressRules } from '../../events/requests/rules.ts';
import type { Topic } from '../../events/topic.ts';
import { momentText } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { isId } from '../../platform/ids.ts';
import { actOf, typedIn } from './forms.ts';
import { ROWS_OF_PAGE } from './lists.ts';
import {
  CONSOLE_PATH,
  ConsoleFailure,
  type ConsolePage,
  type ConsoleSite,
  type FormBack,
  type Visit,
} from './pages.ts';
import type { Texts } from './texts.ts';

/** Receivers, what was sent to them and how they answered; a receiver may be made, and one delivery sent again. */
export function webhookPages({ deps, page, form }: ConsoleSite, topics: readonly Topic[]): void {
  const { config, database } = deps;
  page('/webhooks', async ({ visitor: { organization }, t, query }) => {
    const endpoint = textOf(query, 'endpoint');
    const state = DELIVERY_STATES.find((known) => known === textOf(query, 'state'));
    if (endpoint !== '' && !isId(endpoint)) throw new ConsoleFailure('bad_call', 400);
    const filter = { ...(endpoint !== '' && { endpoint }), ...(state !== undefined && { state }) };
    const endpoints = await listEndpoints(database, organization);
    const deliveries = await database.inOrganization({ organization }, (connection) =>
      listDeliveries(connection, organization, { ...filter, limit: ROWS_OF_PAGE }),
    );
    const names = new Map(endpoints.map((row) => [row.id, nameOf(row, t)]));
    return {
      ...{ template: 'webhooks', of: 'webhooks' },
      values: {
        ...{ endpoint, state: state ?? '', states: Object.entries(t.deliveryStates) },
        endpoints: endpoints.map((row) => shownEndpoint(row, t)),
        topics: topics.map(({ name }) => name),
        deliveries: deliveries.map((row) => shownDelivery(row, names, t)),
      },
    };
  });

  form('/webhooks', toWebhooks, async (visit) => {
    const chosen = topics.flatMap(({ name }) => (typedIn(visit, name) === 'yes' ? [name] : []));
    const input = {
      url: textOf(visit.body, 'url').trim(),
      topics: chosen.length === 0 ? null : chosen,
      description: textOf(visit.body, 'description').trim(),
      contact_email: typedIn(visit, 'contact_email') || null,
    };
    const making = { ...{ database, config, topics }, rules: addressRules(config) };
    const act = actOf(deps, visit);
    const created = await createEndpoint(making, visit.visitor.organization, input, act);
    return secretPage(created.endpoint.id, created.secret, visit.t);
  });

  page('/webhooks/:endpoint/:event', async (visit) => {
    const { t, visitor } = visit;
    const { organization } = visitor;
    const { endpoint, event } = namedIn(visit);
    const found = await database.inOrganization({ organization }, async (connection) => ({
      deliveries: await listDeliveries(connection, organization, { endpoint, event, limit: 1 }),
      attempts: await listAttempts(connection, organization, event, endpoint),
    }));
    const [row] = found.deliveries;
    if (row === undefined) throw new ConsoleFailure('not_found', 404);
    const endpoints = await listEndpoints(database, organization);
    const names = new Map(endpoints.map((known) => [known.id, nameOf(known, t)]));
    const delivery = shownDelivery(row, names, t);
    return {
      ...{ template: 'delivery', of: 'webhooks', title: t.delivery },
      values: {
        delivery,
        isResendable: endpoints.some(({ id, disabled_at }) => id === endpoint && disabled_at === null),
        attempts: found.attempts.map(({ at, status, error, ...attempt }) => ({
          ...{ ...attempt, at, moment: momentText(at, t.lang) },
          outcome: status ?? error ?? '',
        })),
      },
    };
  });

  const toDelivery: FormBack = (visit) => `/webhooks/${visit.params.endpoint}/${visit.params.event}`;
  form('/webhooks/:endpoint/:event/resend', toDelivery, async (visit) => {
    await resendDelivery(deps, visit.visitor.organization, namedIn(visit), actOf(deps, visit));
    return undefined;
  });
}

const toWebhooks = () => '/webhooks';

function secretPage(id: string, secret: string, t: Texts): ConsolePage {
  return {
    ...{ template: 'secret', of: 'webhooks', title: t.secretTitle },
    values: {
      ...{ hint: t.endpointSecretHint, address: `${CONSOLE_PATH}/webhooks`, wayOn: t.toEndpoints },
      facts: [
        ['endpoint', id],
        ['secret', secret],
      ],
    },
  };
}

function namedIn({ params: { endpoint = '', event = '' } }: Visit) {
  if (!isId(endpoint) || !isId(event)) throw new ConsoleFailure('not_found', 404);
  return { endpoint, event };
}

function nameOf({ kind, url, description }: EndpointRow, t: Texts): string {
  return description || (kind === 'listener' ? t.listener : (url ?? ''));
}

function shownEndpoint(row: EndpointRow, t: Texts) {
  const state = stateOfEndpoint(row);
  return {
    ...{ id: row.id, name: nameOf(row, t), url: row.url, isOn: state === 'on' },
    state: t.endpointStates[state],
    topics: row.topics?.join(', ') ?? t.allTopics,
    lastSuccess: momentText(row.last_success_at, t.lang) ?? '–',
    lastFailure: momentText(row.last_failure_at, t.lang) ?? '–',
  };
}

function shownDelivery(row: ListedDelivery, names: ReadonlyMap<string, string>, t: Texts) {
  const { event_id, endpoint_id, topic, state, attempts_in_all, last_status, last_error } = row;
  return {
    ...{ event: event_id, endpoint: endpoint_id, name: names.get(endpoint_id) ?? endpoint_id, topic },
    ...{ address: `${CONSOLE_PATH}/webhooks/${endpoint_id}/${event_id}`, attempts: attempts_in_all },
    ...{
      state: t.deliveryStates[state],
      isFailed: state === 'failed',
      answer: last_status ?? last_error ?? '–',
    },
    lastAttempt: momentText(row.last_attempt_at, t.lang) ?? '–',
    next: momentText(row.next_at, t.lang),
  };
}
