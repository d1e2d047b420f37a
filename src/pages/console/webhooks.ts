import { isSuccess } from '../../events/deliveries/health.ts';
import {
  DELIVERY_STATES,
  type DeliveryPlace,
  type ListedDelivery,
  listAttempts,
  listDeliveries,
} from '../../events/deliveries/log.ts';
import { resendDelivery, resendFailed } from '../../events/deliveries/resend.ts';
import { changeEndpoint } from '../../events/endpoints/change.ts';
import { createEndpoint } from '../../events/endpoints/create.ts';
import type { EndpointRow } from '../../events/endpoints/queries.ts';
import { COUNTED_MAX, listEndpoints, readEndpoint, stateOfEndpoint } from '../../events/endpoints/read.ts';
import { type RotationKind, rotateSecret } from '../../events/endpoints/rotate.ts';
import type { EndpointChange } from '../../events/endpoints/schema.ts';
import { isOverlapping } from '../../events/endpoints/secret.ts';
import { sendTestEvent } from '../../events/endpoints/send-test.ts';
import { deleteEndpoint, disableEndpoint, enableEndpoint } from '../../events/endpoints/switch.ts';
import { addressRules } from '../../events/requests/rules.ts';
import { openWebhookRequests } from '../../events/requests/send.ts';
import type { Topic } from '../../events/topic.ts';
import { momentText, numberFormat } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { isId } from '../../platform/ids.ts';
import { type ActField, type ActForm, actOf, choiceIn, typedIn } from './forms.ts';
import { addressOfNext, positionOf, ROWS_OF_PAGE } from './lists.ts';
import {
  CONSOLE_PATH,
  ConsoleFailure,
  type ConsolePage,
  type ConsoleSite,
  type FormBack,
  type Visit,
} from './pages.ts';
import type { Texts } from './texts.ts';

const ROTATION_KINDS = ['overlap', 'compromised', 'lost'] as const satisfies RotationKind[];

/** Receivers, what was sent to them and how they answered. */
export function webhookPages({ deps, page, form }: ConsoleSite, topics: readonly Topic[]): void {
  const { config, database } = deps;
  page('/webhooks', async ({ visitor: { organization }, t, query }) => {
    const endpoint = textOf(query, 'endpoint');
    const state = DELIVERY_STATES.find((known) => known === textOf(query, 'state'));
    if (endpoint !== '' && !isId(endpoint)) throw new ConsoleFailure('bad_call', 400);
    const filter = { ...(endpoint !== '' && { endpoint }), ...(state !== undefined && { state }) };
    const after = placeIn(query);
    const endpoints = await listEndpoints(database, organization);
    const found = await database.inOrganization({ organization }, (connection) =>
      listDeliveries(connection, organization, { ...filter, after, limit: ROWS_OF_PAGE + 1 }),
    );
    const deliveries = found.slice(0, ROWS_OF_PAGE);
    const last = found.length > deliveries.length ? deliveries.at(-1) : undefined;
    const next = last && { created_at: last.created_at, id: last.event_id + last.endpoint_id };
    const names = new Map(endpoints.map((row) => [row.id, nameOf(row, t)]));
    return {
      ...{ template: 'webhooks', of: 'webhooks' },
      values: {
        ...{ endpoint, state: state ?? '', states: Object.entries(t.deliveryStates) },
        endpoints: endpoints.map((row) => shownEndpoint(row, t)),
        creation: {
          ...{ act: 'create', words: t.create, isMain: true, action: `${CONSOLE_PATH}/webhooks` },
          fields: fieldsOf(topics, t),
        } satisfies ActForm,
        deliveries: deliveries.map((row) => shownDelivery(row, names, t)),
        next: addressOfNext(next ?? null, { endpoint, state: state ?? '' }),
      },
    };
  });

  const create = async (visit: Visit) => {
    const making = { ...{ database, config, topics }, rules: addressRules(config) };
    const act = actOf(deps, visit);
    const input = settingsIn(visit, topics);
    const created = await createEndpoint(making, visit.visitor.organization, input, act);
    return secretPage(created.endpoint.id, created.secret, visit.t);
  };
  form('/webhooks', toWebhooks, create, 'shown');

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
        receiver: names.has(endpoint) ? `${CONSOLE_PATH}/webhooks/${endpoint}` : null,
        isResendable: endpoints.some(({ id, disabled_at }) => id === endpoint && disabled_at === null),
        attempts: found.attempts.map(({ at, status, error, ...attempt }) => ({
          ...{ ...attempt, at, moment: momentText(at, t.lang) },
          outcome: answerText({ status, error }, t) ?? '',
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

/** A delivery waits longer; a page is answered within 20 s. */
const TEST_MILLISECONDS = 15_000;

/** One receiver, and what may be done with it: the acts of the command line. */
export function receiverPages({ deps, page, form }: ConsoleSite, topics: readonly Topic[]): void {
  const { clock, config, database } = deps;
  const changing = { database, topics, rules: addressRules(config) };
  const named = ({ visitor: { organization }, params: { endpoint = '' } }: Visit) =>
    [organization, endpoint] as const;

  page('/webhooks/:endpoint', async (visit) => {
    const { t } = visit;
    const { endpoint, deliveries } = await readEndpoint(database, ...named(visit));
    const counted = (count: number) =>
      numberFormat(t.lang).format(count) + (count === COUNTED_MAX ? '+' : '');
    const { previous_secret_until: until, wait_until } = endpoint;
    const now = clock.now().toISOString();
    return {
      ...{ template: 'receiver', of: 'webhooks', title: nameOf(endpoint, t) },
      values: {
        endpoint: {
          ...shownEndpoint(endpoint, t),
          isListener: endpoint.kind === 'listener',
          contact: endpoint.contact_email ?? t.nobody,
          failingSince: momentText(endpoint.failing_since, t.lang),
          disabledAt: momentText(endpoint.disabled_at, t.lang),
          disabledReason: t.disabledReasons[endpoint.disabled_reason ?? 'operator'],
          waitUntil: wait_until !== null && wait_until > now ? momentText(wait_until, t.lang) : null,
          previousUntil: isOverlapping(endpoint, now) ? momentText(until, t.lang) : null,
          ...{ waiting: counted(deliveries.pending), givenUp: counted(deliveries.failed) },
        },
        change: {
          ...{ act: 'change', words: t.change, action: `${CONSOLE_PATH}${toEndpoint(visit)}/change` },
          fields: fieldsOf(topics, t, endpoint),
        } satisfies ActForm,
        kinds: ROTATION_KINDS.map((kind) => [kind, t.rotationKinds[kind]]),
      },
    };
  });

  form('/webhooks/:endpoint/change', toEndpoint, async (visit) => {
    const change = changedIn(visit, settingsIn(visit, topics));
    const act = actOf(deps, visit);
    if (Object.keys(change).length > 0) await changeEndpoint(changing, ...named(visit), change, act);
    return undefined;
  });

  const rotate = async (visit: Visit) => {
    const kind = choiceIn(visit, 'kind', ROTATION_KINDS);
    const { secret } = await rotateSecret(deps, ...named(visit), kind, actOf(deps, visit));
    return secretPage(visit.params.endpoint ?? '', secret, visit.t);
  };
  form('/webhooks/:endpoint/rotate', toEndpoint, rotate, 'lost');

  const sendTest = async (visit: Visit): Promise<ConsolePage> => {
    const { t } = visit;
    const requests = openWebhookRequests({
      ...addressRules(config),
      exchangeMilliseconds: TEST_MILLISECONDS,
    });
    try {
      const sending = { database, config, clock, requests };
      const { event, outcome } = await sendTestEvent(sending, ...named(visit), actOf(deps, visit));
      const answered = outcome.kind === 'answered';
      return {
        ...{ template: 'shown-once', of: 'webhooks', title: t.testEvent },
        values: {
          ...{ hint: isSuccess(outcome) ? t.testArrived : t.testFailed, isBad: !isSuccess(outcome) },
          ...{ address: `${CONSOLE_PATH}${toEndpoint(visit)}`, wayOn: t.toEndpoint },
          facts: [
            [t.event, event],
            [t.status, answered ? outcome.status : t.deliveryErrors[outcome.error]],
            ['ms', numberFormat(t.lang).format(outcome.milliseconds)],
            ...(answered ? [[t.answer, outcome.answer]] : []),
          ],
        },
      };
    } finally {
      await requests.close();
    }
  };
  form('/webhooks/:endpoint/test', toEndpoint, sendTest, 'tried');

  form('/webhooks/:endpoint/resend', toEndpoint, async (visit) => {
    await resendFailed(deps, ...named(visit), actOf(deps, visit));
    return undefined;
  });

  for (const [name, back, work] of [
    ['disable', toEndpoint, disableEndpoint],
    ['enable', toEndpoint, enableEndpoint],
    ['delete', toWebhooks, deleteEndpoint],
  ] as const) {
    form(`/webhooks/:endpoint/${name}`, back, async (visit) => {
      await work(database, ...named(visit), actOf(deps, visit));
      return undefined;
    });
  }
}

const toWebhooks = () => '/webhooks';
const toEndpoint: FormBack = ({ params: { endpoint = '' } }) => `/webhooks/${endpoint}`;

/** What stands in the form of a receiver; the values of `row`, or none. A program that listens has topics alone. */
function fieldsOf(topics: readonly Topic[], t: Texts, row?: EndpointRow): ActField[] {
  const text = { type: 'text', isCompared: row !== undefined } as const;
  const address: ActField[] = [
    {
      ...{ ...text, name: 'url', label: t.url, type: 'url', value: row?.url ?? '' },
      ...{ isNeeded: true, charactersMax: 2048 },
    },
    {
      ...{ ...text, name: 'description', label: t.description, value: row?.description ?? '' },
      charactersMax: 200,
    },
    {
      ...{ ...text, name: 'contact_email', label: t.contactEmail, type: 'email' },
      ...{ value: row?.contact_email ?? '', charactersMax: 254 },
    },
  ];
  return [
    ...(row?.kind === 'listener' ? [] : address),
    {
      ...{ ...text, name: 'topics', label: t.topicsHint, type: 'checkboxes' },
      options: topics.map(({ name }) => [name, name] as const),
      value: (row?.topics ?? []).toSorted().join(),
    },
  ];
}

/** As typed; the checks are those of all receivers. No topic chosen is all of them. */
function settingsIn(visit: Visit, topics: readonly Topic[]) {
  const chosen = topics.flatMap(({ name }) => (typedIn(visit, name) === 'yes' ? [name] : []));
  return {
    url: textOf(visit.body, 'url').trim(),
    topics: chosen.length === 0 ? null : chosen,
    description: textOf(visit.body, 'description').trim(),
    contact_email: typedIn(visit, 'contact_email') || null,
  };
}

/** The fields that differ from the form as it was shown: somebody else may have changed the rest since. */
function changedIn({ body }: Visit, typed: ReturnType<typeof settingsIn>): EndpointChange {
  const texts = { ...typed, topics: typed.topics?.toSorted().join() ?? '' };
  const isChanged = (name: keyof typeof typed) => (texts[name] ?? '') !== textOf(body, `shown_${name}`);
  return {
    ...(isChanged('url') && { url: typed.url }),
    ...(isChanged('topics') && { topics: typed.topics }),
    ...(isChanged('description') && { description: typed.description }),
    ...(isChanged('contact_email') && { contact_email: typed.contact_email }),
  };
}

function secretPage(id: string, secret: string, t: Texts): ConsolePage {
  return {
    ...{ template: 'shown-once', of: 'webhooks', title: t.secretTitle },
    values: {
      ...{ hint: t.endpointSecretHint, address: `${CONSOLE_PATH}/webhooks/${id}`, wayOn: t.toEndpoint },
      facts: [
        ['endpoint', id],
        ['secret', secret],
      ],
    },
  };
}

/** A delivery has two ids: in the address of the next page they stand side by side. */
const DELIVERY_IDS = /^(evt_[0-9a-z]{24})(whe_[0-9a-z]{24})$/;

function placeIn(query: unknown): DeliveryPlace | null {
  const after = positionOf(query, (ids) => DELIVERY_IDS.test(ids));
  const [, event_id = '', endpoint_id = ''] = DELIVERY_IDS.exec(after?.id ?? '') ?? [];
  return after && { created_at: after.created_at, event_id, endpoint_id };
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
    ...{ address: `${CONSOLE_PATH}/webhooks/${row.id}`, isOff: state === 'disabled' },
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
      answer: answerText({ status: last_status, error: last_error }, t) ?? '–',
    },
    lastAttempt: momentText(row.last_attempt_at, t.lang) ?? '–',
    next: momentText(row.next_at, t.lang),
  };
}

/** A kind of error that a later version wrote stays as it is. */
function answerText(
  { status, error }: { status: number | null; error: string | null },
  { deliveryErrors }: Texts,
): number | string | null {
  return status ?? Object.entries(deliveryErrors).find(([known]) => known === error)?.[1] ?? error;
}
