import {
  type AnalystAccount,
  analystAddress,
  analysts,
  createAnalyst,
  revokeAnalyst,
  rotateAnalyst,
} from '../../governance/analysts/service.ts';
import { command } from '../engine/command.ts';
import { ACT, idOption, JSON_LIST, JSON_OBJECT, ownOrganizationField } from '../engine/fields.ts';
import { fields } from '../engine/output.ts';
import { withOwnerSession } from '../engine/session.ts';
import { known } from '../organization.ts';

const NOTES = [
  'The address holds the password and is shown this once: the server keeps a verifier only.',
  'psql opens it as it is: psql "<address>" -c \'select * from newest_snapshots limit 3\'',
];

const NEW_PASSWORD =
  'Whatever signs in by itself needs it, too: DATA_SETS_ACCOUNTS of the worker, ANALYST_PASSWORD of Grafana.';

const ROLE_STAYS =
  'Its role stays and signs in nowhere. A superuser removes it: DROP OWNED BY the role in each of these databases, then DROP ROLE.';

export const commands = {
  create: command({
    words: 'an account that reads the views of one organization; prints its address with the password',
    examples: [
      "controlling --reason 'monthly figures'",
      "study --organization org_… --reason 'study' --json",
    ],
    arguments: { name: 'lower-case letters, digits and underscores; one name for the whole server' },
    options: { ...ACT, ...ownOrganizationField(': whose views it reads'), ...JSON_OBJECT },
    session: withOwnerSession,
    work: async ({ organization, act, ...session }, { name }) => {
      const created = createAnalyst(session, organization, name, act);
      return shown(await known(`organization ${organization}`, created), session.ownerUrl);
    },
    print: (account) => [fields(account), ...NOTES],
  }),
  list: command({
    words: 'accounts, newest first, and how many sessions each has open',
    examples: ['', '--organization org_… --json'],
    options: { organization: idOption('org_…: of this organization only'), ...JSON_LIST },
    session: withOwnerSession,
    work: (session, { organization }) =>
      known(`organization ${organization}`, analysts(session, organization ?? null)),
    columns: ['name', 'organization_id', 'can_sign_in', 'sessions', 'created_at', 'rotated_at'],
    least: ['created_at', 'rotated_at'],
  }),
  rotate: command({
    words: 'a new password and the limits of this version; sessions that are open end',
    examples: ["controlling --reason 'yearly change'", "controlling --reason 'the notebook was lost' --json"],
    arguments: { name: '' },
    options: { ...ACT, ...JSON_OBJECT },
    session: withOwnerSession,
    thing: 'analyst',
    work: async ({ act, ...session }, { name }) =>
      shown(await rotateAnalyst(session, name, act), session.ownerUrl),
    print: (account) => [fields(account), ...NOTES, NEW_PASSWORD],
  }),
  revoke: command({
    words: 'ends the sessions of an account and removes it',
    examples: ["study --reason 'the study is over'", "study --reason 'the study is over' --json"],
    arguments: { name: '' },
    options: { ...ACT, ...JSON_OBJECT },
    session: withOwnerSession,
    thing: 'analyst',
    work: ({ act, ...session }, { name }) => revokeAnalyst(session, name, act),
    print: (revoked) => [fields(revoked), ...(revoked.left_in.length === 0 ? [] : [ROLE_STAYS])],
  }),
};

function shown(account: AnalystAccount, ownerUrl: string) {
  const { name, role, organization } = account;
  return { name, role, organization, address: analystAddress(ownerUrl, account) };
}
