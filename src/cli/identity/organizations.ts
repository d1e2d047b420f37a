import { brandOf, removeBrand, setBrand } from '../../identity/brands/service.ts';
import { STANDINGS } from '../../identity/organizations/queries.ts';
import {
  createOrganization,
  organization,
  organizations,
  setForecasts,
  setStanding,
} from '../../identity/organizations/service.ts';
import { notFound } from '../../platform/errors.ts';
import { command } from '../engine/command.ts';
import { ACT, argument, choice, flag, JSON_LIST, JSON_OBJECT, needed, option } from '../engine/fields.ts';
import { inputFile } from '../engine/session.ts';

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
      name: needed(
        option('<text>', 'shown to operators, and to its customers where it has neither brand nor issuer'),
      ),
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
  brand: {
    words: 'what customers see the organization as, on the portal, the sign-in, mails and bills',
    commands: {
      set: command({
        words: 'name, colour and logo; what is left out stays as it is',
        examples: [
          "org_… --name 'Stadtwerke Beispiel' --color '#0a5c8f' --logo logo.png --reason 'their design guide'",
          "org_… --color '#7a1f5c' --json --reason 'new colour'",
        ],
        arguments: ORGANIZATION,
        options: {
          ...ACT,
          name: option(
            '<text>',
            'as its customers know it; the name of the organization where there is none',
          ),
          color: option('<#rrggbb>', 'of links and buttons; dark enough to be read on white'),
          logo: option('<file>', 'PNG with 8 bits a colour, at most 48 kB and 1,000 by 400 pixels'),
          ...JSON_OBJECT,
        },
        thing: 'organization',
        work: async ({ database, act }, { organization: id, logo, ...given }) =>
          setBrand(
            database,
            id,
            { ...given, ...(logo !== undefined && { logo: await inputFile(logo) }) },
            act,
          ),
      }),
      show: command({
        words: 'what is set',
        examples: ['org_…', 'org_… --json'],
        arguments: ORGANIZATION,
        options: JSON_OBJECT,
        thing: 'brand of',
        work: async ({ database }, given) => {
          const brand = await brandOf(database, given.organization);
          if (brand === undefined) throw notFound();
          return brand;
        },
      }),
      remove: command({
        words: 'back to the look of the service',
        examples: ["org_… --reason 'ended its order'", "org_… --json --reason 'a mistake'"],
        arguments: ORGANIZATION,
        options: { ...ACT, ...JSON_OBJECT },
        thing: 'brand of',
        work: ({ database, act }, given) => removeBrand(database, given.organization, act),
      }),
    },
  },
};
