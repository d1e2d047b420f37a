import {
  clientsOf,
  clientWithSecrets,
  createClient,
  setClientDisabled,
} from '../../identity/oauth/clients/clients.ts';
import {
  type ClientRow,
  findRegisteredClient,
  type SecretRow,
} from '../../identity/oauth/clients/queries.ts';
import { revokeSecret, rotateSecret } from '../../identity/oauth/clients/rotate-secrets.ts';
import { momentText, numberFormat } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { isId } from '../../platform/ids.ts';
import { type ActForm, actOf, choiceIn } from './forms.ts';
import {
  CONSOLE_PATH,
  ConsoleFailure,
  type ConsolePage,
  type ConsoleSite,
  type FormBack,
  type Visit,
} from './pages.ts';
import type { Texts } from './texts.ts';

const KEYS_MAX = 200;
const SECRET_NUMBER = /^\d{1,9}$/;
const OVERLAP_HOURS = ['24', '168', '0'] as const;

/** The clients of the organization with their secrets, of which a page shows what they are called and never what they are. */
export function keyPages({ deps, page, form }: ConsoleSite): void {
  const { clock, database } = deps;

  /** The id in the path, where it is one of this organization's. */
  async function ownId({ visitor: { organization }, params: { id = '' } }: Visit): Promise<string> {
    const client = isId(id)
      ? await database.inOrganization({ organization }, (connection) =>
          findRegisteredClient(connection, organization, id),
        )
      : undefined;
    if (client === undefined) throw new ConsoleFailure('not_found', 404);
    return client.id;
  }

  page('/keys', async ({ visitor: { organization }, t }) => {
    const clients = await clientsOf(database, organization);
    return {
      ...{ template: 'keys', of: 'keys' },
      values: {
        keys: clients.slice(0, KEYS_MAX).map((client) => shownKey(client, t)),
        creation: {
          ...{ act: 'create', words: t.create, isMain: true, action: `${CONSOLE_PATH}/keys` },
          fields: [
            { name: 'display_name', label: t.name, type: 'text', isNeeded: true, charactersMax: 100 },
            { name: 'read_only', label: t.readOnly, type: 'checkbox' },
          ],
        } satisfies ActForm,
        newest: clients.length > KEYS_MAX ? numberFormat(t.lang).format(KEYS_MAX) : null,
      },
    };
  });

  const create = async (visit: Visit) => {
    const { organization } = visit.visitor;
    const input = {
      display_name: textOf(visit.body, 'display_name').trim(),
      read_only: textOf(visit.body, 'read_only') === 'yes',
    };
    const created = await createClient(deps, organization, input, actOf(deps, visit));
    return secretPage(created.client.id, created.client_secret, visit.t);
  };
  form('/keys', toKeys, create, 'shown');

  page('/keys/:id', async (visit) => {
    const { client, secrets } = await clientWithSecrets(database, await ownId(visit));
    const { t } = visit;
    const key = shownKey(client, t);
    const overlaps = OVERLAP_HOURS.map((hours) => [hours, t.overlaps[hours]] as const);
    return {
      ...{ template: 'key', of: 'keys', title: client.display_name },
      values: {
        ...{ key, hasSecrets: !client.public, version: client.version },
        secrets: secrets.map((secret) => shownSecret(secret, clock.now().toISOString(), t)),
        rotation: {
          ...{ act: 'rotate', words: t.rotate, action: `${key.address}/rotate` },
          fields: [{ name: 'overlap', label: t.overlap, type: 'select', options: overlaps }],
        } satisfies ActForm,
      },
    };
  });

  const rotate = async (visit: Visit) => {
    const id = await ownId(visit);
    const overlap = choiceIn(visit, 'overlap', OVERLAP_HOURS);
    const until = { hours: Number(overlap), nowMilliseconds: clock.nowMilliseconds() };
    const rotated = await rotateSecret(deps, id, until, actOf(deps, visit));
    return secretPage(id, rotated.client_secret, visit.t);
  };
  form('/keys/:id/rotate', toKey, rotate, 'shown');

  form('/keys/:id/secrets/:secret/revoke', toKey, async (visit) => {
    const id = await ownId(visit);
    const { secret = '' } = visit.params;
    if (!SECRET_NUMBER.test(secret)) throw new ConsoleFailure('not_found', 404);
    await revokeSecret(database, id, Number(secret), actOf(deps, visit));
    return undefined;
  });

  for (const disabled of [true, false]) {
    form(`/keys/:id/${disabled ? 'disable' : 'enable'}`, toKey, async (visit) => {
      await setClientDisabled(database, await ownId(visit), disabled, actOf(deps, visit));
      return undefined;
    });
  }
}

const toKeys = () => '/keys';
const toKey: FormBack = ({ params: { id = '' } }) => `/keys/${id}`;

function secretPage(id: string, secret: string | null, t: Texts): ConsolePage {
  return {
    ...{ template: 'shown-once', of: 'keys', title: t.secretTitle },
    values: {
      ...{ hint: t.secretHint, address: `${CONSOLE_PATH}/keys/${id}`, wayOn: t.toKey },
      facts: [
        ['client_id', id],
        ['client_secret', secret],
      ],
    },
  };
}

function shownKey(client: ClientRow, t: Texts) {
  const rights = client.scopes.includes('write:*') ? t.mayWrite : t.mayRead;
  return {
    ...{ id: client.id, name: client.display_name, address: `${CONSOLE_PATH}/keys/${client.id}` },
    rights: client.role === 'customer' ? `${rights}, ${t.ofOneCustomer}` : rights,
    lastUsed: momentText(client.last_used_at, t.lang) ?? t.notUsed,
    made: momentText(client.created_at, t.lang),
    ...{ isOff: client.disabled_at !== null, state: client.disabled_at === null ? t.keyOn : t.keyOff },
  };
}

function shownSecret({ id, created_at, expires_at, revoked_at }: SecretRow, now: string, t: Texts) {
  const until = momentText(expires_at, t.lang) ?? t.forEver;
  return {
    ...{ id, made: momentText(created_at, t.lang) },
    until: revoked_at === null ? until : t.revokedAt(momentText(revoked_at, t.lang) ?? ''),
    isLive: revoked_at === null && (expires_at === null || expires_at > now),
  };
}
