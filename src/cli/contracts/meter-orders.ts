import {
  type MountedMeter,
  moveMeterOrder,
  rescheduleMeterOrder,
} from '../../contracts/meter-orders/move.ts';
import { meterOrderForStaff, newestMeterOrders } from '../../contracts/meter-orders/read.ts';
import { INTERNAL_STATUSES } from '../../contracts/meter-orders/schema.ts';
import { installSmartMeter } from '../../contracts/meter-readings/install.ts';
import { command } from '../engine/command.ts';
import {
  argument,
  CHANGE,
  calendarDay,
  choice,
  idOption,
  instant,
  LISTING,
  needed,
  OF_ORGANIZATION,
  option,
} from '../engine/fields.ts';
import { kilowattHours, meterNumber } from './meters.ts';

const ORDER = { arguments: { order: 'prdo_…' }, thing: 'meter order' } as const;

export const commands = {
  list: command({
    words: 'orders of an organization, newest first',
    examples: ['--status ordered', '--customer cus_… --json'],
    options: {
      ...LISTING,
      status: choice('<value>', 'with this internal value only', INTERNAL_STATUSES),
      customer: idOption('cus_…: of this customer only'),
      subscription: idOption('sub_…: of this contract only'),
    },
    work: ({ database, organization }, { limit, status: internal_status, customer, subscription }) =>
      newestMeterOrders(database, organization, { internal_status, customer, subscription }, limit),
    columns: ['id', 'status', 'public_status', 'provider', 'subscription_id', 'updated_at'],
    least: ['subscription_id', 'provider', 'public_status'],
  }),
  show: command({
    words: 'one order, and what may follow',
    examples: ['prdo_…', 'prdo_… --json'],
    ...ORDER,
    options: OF_ORGANIZATION,
    work: ({ database, organization }, { order }) => meterOrderForStaff(database, organization, order),
  }),
  move: command({
    words: 'the metering partner reported how far it is',
    examples: [
      "prdo_… installation_scheduled --appointment-at 2026-11-24T09:00:00+01:00 --reason 'mail of the partner'",
      "prdo_… installation_finished --meter-number 1EMH0012345678 --mounted-on 2026-11-24 --reason 'mail of the partner'",
    ],
    thing: ORDER.thing,
    arguments: {
      ...ORDER.arguments,
      value: argument(choice('', 'the internal value that it has now', INTERNAL_STATUSES)),
    },
    options: {
      ...CHANGE,
      appointment_at: option('<instant>', 'of the visit; needed for installation_scheduled', instant),
      meter_number: option('<number>', 'of the smart meter; needed where it was mounted', meterNumber),
      mounted_on: option('<day>', 'when, YYYY-MM-DD in Berlin; today where absent', calendarDay),
      closing: option('<kWh>', 'what the old device showed at last; needed under supply', kilowattHours),
    },
    check: ({ meter_number, mounted_on, closing }) => {
      if (meter_number === undefined && (mounted_on ?? closing) !== undefined)
        throw new Error('--mounted-on and --closing belong to --meter-number');
    },
    work: ({ organization, act, ...session }, { order, value: to, appointment_at, ...meter }) => {
      const mounted = mountedOf(meter);
      const reported = {
        ...{ to, ...(appointment_at !== undefined && { appointment_at }) },
        ...(mounted !== undefined && { mounted }),
      };
      return moveMeterOrder({ ...session, installSmartMeter }, organization, order, reported, act);
    },
  }),
  'details-received': moving('details_received', "the customer's details for the check came in", 'his mail'),
  unblock: moving('unblocked', 'what held it back is over: it goes on where it was', 'the cellar is open'),
  reschedule: command({
    words: 'the visit has another date',
    examples: [
      "prdo_… --appointment-at 2026-11-24T09:00:00+01:00 --reason 'call of the customer'",
      "prdo_… --appointment-at 2026-11-25T13:30:00+01:00 --reason 'mail of the partner' --json",
    ],
    ...ORDER,
    options: {
      ...CHANGE,
      appointment_at: needed(option('<instant>', 'with time zone (2026-11-24T09:00:00+01:00)', instant)),
    },
    work: ({ organization, act, ...session }, { order, appointment_at }) =>
      rescheduleMeterOrder(session, organization, order, appointment_at, act),
  }),
};

function moving(to: 'details_received' | 'unblocked', words: string, reason: string) {
  return command({
    words,
    examples: [`prdo_… --reason '${reason}'`, `prdo_… --reason '${reason}' --json`],
    ...ORDER,
    options: CHANGE,
    work: ({ organization, act, ...session }, { order }) =>
      moveMeterOrder({ ...session, installSmartMeter }, organization, order, { to }, act),
  });
}

interface MountedFields {
  meter_number?: string;
  mounted_on?: string;
  closing?: string;
}

function mountedOf({
  meter_number: number,
  mounted_on: on,
  closing,
}: MountedFields): MountedMeter | undefined {
  if (number === undefined) return undefined;
  return { number, ...(on !== undefined && { on }), ...(closing !== undefined && { closing }) };
}
