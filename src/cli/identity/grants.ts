import { grantsOf, revokeGrant } from '../../identity/oauth/access/kept-grants.ts';
import { command } from '../engine/command.ts';
import {
  ACT,
  flag,
  idOption,
  JSON_LIST,
  JSON_OBJECT,
  option,
  or,
  ownOrganizationField,
  wholeNumber,
} from '../engine/fields.ts';

export const commands = {
  list: command({
    words: 'living grants, newest first',
    examples: ['--client oac_…', '--customer cus_… --all --json'],
    options: {
      ...ownOrganizationField(),
      client: idOption('oac_…: of this client only'),
      customer: idOption('cus_…: of this customer only'),
      all: flag('those that are revoked as well'),
      limit: or(option('<number>', 'at most so many', wholeNumber), 50),
      ...JSON_LIST,
    },
    work: ({ database, organization }, filter) => grantsOf(database, organization, filter),
    columns: ['id', 'kind', 'client_id', 'customer_id', 'scopes', 'created_at', 'revoked_at'],
  }),
  revoke: command({
    words: 'ends a grant: refresh tokens at once, access tokens within 5 seconds',
    examples: ["grt_… --reason 'the customer lost the phone'", "grt_… --reason 'the app is closed' --json"],
    arguments: { grant: 'grt_…' },
    options: { ...ACT, ...JSON_OBJECT },
    thing: 'grant',
    work: ({ database, act }, { grant }) => revokeGrant(database, grant, act),
  }),
};
