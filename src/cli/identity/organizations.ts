import { STANDINGS } from '../../identity/organizations/queries.ts';
import {
  createOrganization,
  organization,
  organizations,
  setForecasts,
  setStanding,
} from '../../identity/organizations/service.ts';
import { command } from '../command.ts';
import { ACT, argument, choice, flag, JSON_LIST, JSON_OBJECT, needed, option } from '../fields.ts';

const ORGANIZATION = { organization: 'org_…' };

export const commands = {
  create: command({
    words: 'a new organization, in order and without clients',
    examples: [
      "--name 'Stadtwerke Beispiel' --reason 'new customer'",
      "--name Probe --forecasts --json --reason 'trial of forecasts'",
    ],
    options: {
      ...ACT,
      name: needed(option('<text>', 'shown to operators only')),
      forecasts: flag('enable price forecasts'),
      ...JSON_OBJECT,
    },
    work: ({ database, act }, { name, forecasts = false }) =>
      createOrganization(database, { name, forecast_enabled: forecasts }, act),
  }),
  list: command({
    words: 'all organizations, newest first',
    examples: ['', '--json'],
    options: JSON_LIST,
    work: ({ database }) => organizations(database),
    columns: ['id', 'standing', 'forecast_enabled', 'created_at', 'name'],
    least: ['created_at', 'forecast_enabled'],
  }),
  show: command({
    words: 'one organization',
    examples: ['org_…', 'org_… --json'],
    arguments: ORGANIZATION,
    options: JSON_OBJECT,
    thing: 'organization',
    work: ({ database }, given) => organization(database, given.organization),
  }),
  'set-standing': command({
    words: 'past_due answers every call with 402; suspended and deleted make all its tokens invalid',
    examples: [
      "org_… past_due --reason 'two bills are open'",
      "org_… in_order --reason 'the bills were paid'",
    ],
    arguments: { ...ORGANIZATION, standing: argument(choice('', '', STANDINGS)) },
    options: { ...ACT, ...JSON_OBJECT },
    thing: 'organization',
    work: ({ database, act }, given) => setStanding(database, given.organization, given.standing, act),
  }),
  'set-forecasts': command({
    words: 'whether the organization sees price forecasts',
    examples: ["org_… on --reason 'ordered forecasts'", "org_… off --reason 'ended its order'"],
    arguments: { ...ORGANIZATION, state: argument(choice('', '', ['on', 'off'])) },
    options: { ...ACT, ...JSON_OBJECT },
    thing: 'organization',
    work: ({ database, act }, given) => setForecasts(database, given.organization, given.state === 'on', act),
  }),
};
