import type { RouteName } from '../../src/platform/interface/route.ts';
import { addDays, berlinMidnight } from '../../src/platform/time/berlin-calendar.ts';
import { devices } from '../assets/devices.ts';
import { signUpBodies } from './sign-up-bodies.ts';

export type Json = Record<string, unknown>;

/** What the bodies name. */
export interface Home {
  household: string;
  inverter: string;
  battery: string;
  batteryExternalId: string;
  wallboxExternalId: string;
  /** May be taken out of use. */
  spare: string;
  customer: string;
  /** Of the subscription and the lead. */
  plan: string;
  feedInPlan: string;
  /** Of the household's meter. */
  meterNumber: string;
  previousSupplier: string;
  /** Active since a month, for consumption, with an analog meter. */
  subscription: string;
  lead: string;
  /** For consumption, with an analog meter, supplied for long; of another household. */
  metered: string;
}

/** The bodies that one route accepts; each call gives one that was not sent before. */
export interface BodyRow {
  path(home: Home): string;
  /** What the route cannot do without: every part of it is required. */
  minimal(home: Home): Json;
  /** Together they fill every kind of field. */
  full(home: Home): Json[];
  /** Unknown fields inside its objects are ignored, as they are beside them. */
  ignoresUnknown?: true;
  /** Objects that may be null, by their paths. */
  nullable?: readonly string[];
  /** Texts that may be empty, by their paths. */
  mayBeEmpty?: readonly string[];
  /** Fields that take an id or an object: what is wrong with them is told there or inside. */
  unions?: readonly string[];
}

let calls = 0;
const unique = () => {
  calls += 1;
  return calls;
};

/** Another second each time, before the instant at which the clock of these tests stands. */
const newInstant = () => new Date(Date.UTC(2026, 10, 1) + unique() * 1000).toISOString();

/** A second termination is accepted only when it ends supply earlier: a day less each time. */
const earlierEnd = () => berlinMidnight(addDays('2199-12-31', -unique()));

const person = { first_name: 'Käthe', last_name: 'Voß', email: 'kaethe@example.org' };

/** One reading a day: another one each time, and the meter stands still. */
const newReading = () => ({ value: 1000, timestamp: `${addDays('2026-12-01', -unique())}T12:00:00Z` });

const names = { display_name: 'Käthes Speicher', manufacturer: 'Maker', model: 'M 1' };

/** One row per route that takes a body; a route without one fails a test. */
export const bodyRows: Readonly<Record<RouteName, BodyRow>> = {
  'PATCH /customers/{id}': {
    path: ({ customer }) => `/customers/${customer}`,
    minimal: () => ({}),
    full: () => [{ first_name: `Käthe ${unique()}`, last_name: 'Voß' }],
  },
  'POST /leads': {
    path: () => '/leads',
    ignoresUnknown: true,
    nullable: ['customer', 'payment_method'],
    minimal: ({ plan }) => ({ plan, address: { zip: '20354' }, meter: { estimated_usage: 2500 } }),
    full: ({ plan }) => [
      {
        plan,
        address: { zip: '20354', street: 'Gänsemarkt', house_number: '12a', city: 'Hamburg' },
        meter: { estimated_usage: 2500.5, type: 'analog', number: '1EMH0012345678' },
        customer: { type: 'company', ...person, company_name: 'Voß GmbH', vat_id: 'DE123456789' },
        payment_method: {
          type: 'sepa_debit',
          sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Käthe Voß' },
        },
        previous_supplier: 'mp_s5ul4j2wc3pzvkzk1qssgd96',
        created_by: 'staff@example.org',
        next_possible_start: false,
        intended_start_date: '2027-01-01',
        change_reason: 'move_in',
      },
    ],
  },
  'POST /subscriptions': signUpBodies,
  'PATCH /subscriptions/{id}': {
    path: ({ subscription }) => `/subscriptions/${subscription}`,
    ignoresUnknown: true,
    minimal: () => ({}),
    full: () => [
      {
        billing_address: { street: 'Gänsemarkt', house_number: `${unique()}`, zip: '20354', city: 'Hamburg' },
        payment_method: {
          type: 'sepa_debit',
          sepa_debit: { iban: 'DE89370400440532013000', account_holder: `Käthe Voß ${unique()}` },
        },
      },
    ],
  },
  'POST /subscriptions/{id}/terminate': {
    path: ({ subscription }) => `/subscriptions/${subscription}/terminate`,
    minimal: () => ({ reason: 'MOVE_OUT', intended_end_at: earlierEnd() }),
    full: () => [{ reason: 'ORDINARY', intended_end_at: earlierEnd() }],
  },
  'POST /admin/magic_link': {
    path: () => '/admin/magic_link',
    minimal: ({ customer }) => ({ customerId: customer }),
    full: ({ customer }) => [{ customerId: customer }],
  },
  'POST /meter-readings': {
    path: () => '/meter-readings',
    mayBeEmpty: ['message'],
    minimal: ({ metered }) => ({ subscription: metered, ...newReading() }),
    full: ({ metered }) => [{ subscription: metered, ...newReading(), message: 'Display read twice' }],
  },
  'POST /assets': {
    path: () => '/assets',
    minimal: ({ household }) => ({ household, ...devices.wallbox }),
    full: ({ household, inverter }) => [
      {
        household,
        ...names,
        external_id: `battery ${unique()}`,
        parent_inverter: inverter,
        ...devices.battery,
      },
      {
        household,
        type: 'solar',
        external_id: `solar ${unique()}`,
        parent_inverter: inverter,
        solar: { peak_power_kw: 9.8, azimuth: 180, tilt: 30 },
      },
      { household, type: 'wallbox', wallbox: { max_power_kw: 11, phases: 3, bidirectional: true } },
    ],
  },
  'PATCH /assets/{id}': {
    path: ({ battery }) => `/assets/${battery}`,
    minimal: () => ({}),
    full: ({ inverter, batteryExternalId }) => [
      {
        ...names,
        model: `M ${unique()}`,
        external_id: batteryExternalId,
        parent_inverter: inverter,
        battery: { capacity_kwh: 12, max_charge_power_kw: 6 },
      },
    ],
  },
  'POST /assets/{id}/decommission': {
    path: ({ spare }) => `/assets/${spare}/decommission`,
    minimal: () => ({}),
    full: () => [{ decommissioned_at: newInstant() }],
  },
  'POST /asset-snapshots': {
    path: () => '/asset-snapshots',
    minimal: ({ household, battery }) => ({
      household,
      snapshots: [{ asset: battery, timestamp: newInstant(), power_kw: 1 }],
    }),
    full: ({ household, battery, wallboxExternalId }) => [
      {
        household,
        snapshots: [
          { asset: battery, timestamp: newInstant(), power_kw: -1.5, state_of_charge: 0.5 },
          {
            external_id: wallboxExternalId,
            timestamp: newInstant(),
            power_kw: 7,
            connected: true,
            vehicle_state_of_charge: 1,
          },
        ],
      },
    ],
  },
};

export const bodyRouteNames = Object.keys(bodyRows) as RouteName[];

export function bodyRowOf(name: RouteName): BodyRow {
  const row = bodyRows[name];
  if (row === undefined) throw new Error(`No body for ${name}`);
  return row;
}
