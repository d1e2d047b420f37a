import { InvalidArgumentError } from 'commander';
import {
  confirmSubscription,
  rejectSubscription,
  setDates,
} from '../../contracts/subscriptions/back-office.ts';
import { setPlant } from '../../contracts/subscriptions/plant.ts';
import { SUBSCRIPTION_STATUSES, TERMINATION_REASONS } from '../../contracts/subscriptions/schema.ts';
import { newestSubscriptions, subscriptionForStaff } from '../../contracts/subscriptions/staff-read.ts';
import { terminateForStaff, terminationOf } from '../../contracts/subscriptions/terminate.ts';
import { command } from '../engine/command.ts';
import {
  argument,
  CHANGE,
  calendarDay,
  choice,
  idOption,
  LISTING,
  needed,
  OF_ORGANIZATION,
  option,
} from '../engine/fields.ts';
import { fields } from '../engine/output.ts';
import { LOCATIONS } from './meters.ts';

const CONTRACT = { arguments: { subscription: 'sub_…' }, thing: 'subscription' } as const;
const START_ON = option('<day>', 'first day of supply, YYYY-MM-DD in Berlin', calendarDay);

export const commands = {
  list: command({
    words: 'contracts of an organization, newest first',
    examples: ['--status active', '--meter 51238696781 --json'],
    options: {
      ...LISTING,
      status: choice('<status>', 'in this state only', SUBSCRIPTION_STATUSES),
      customer: idOption('cus_…: of this customer only'),
      household: idOption('dom_…: of this household only'),
      meter: option('<number>', 'of the meter with this number, market location or metering location only'),
    },
    work: ({ database, organization }, { limit, ...query }) =>
      newestSubscriptions(database, organization, query, limit),
    columns: [
      ...(['id', 'number', 'type', 'status', 'start_at', 'end_at', 'meter_id'] as const),
      ...(['customer_id', 'household_id'] as const),
    ],
    least: ['household_id', 'customer_id', 'type', 'number', 'meter_id'],
  }),
  show: command({
    words: 'one contract with its meter order and its grid fee reductions',
    examples: ['sub_…', 'sub_… --json'],
    ...CONTRACT,
    options: OF_ORGANIZATION,
    work: async ({ database, organization }, { subscription }) => {
      const { meter_orders, grid_fee_reductions, ...row } = await subscriptionForStaff(
        database,
        organization,
        subscription,
      );
      return { ...ofOperator(row), meter_orders, grid_fee_reductions };
    },
    print: ({ meter_orders, grid_fee_reductions, ...row }) => [
      fields({
        ...row,
        meter_orders: meter_orders.map(({ id, product, status }) => `${id} ${product} ${status}`),
        grid_fee_reductions: grid_fee_reductions.map(({ id, type, status }) => `${id} ${type} ${status}`),
      }),
    ],
  }),
  confirm: command({
    words: 'the grid operator confirmed the start, or another one; a day up to today begins supply for good',
    examples: [
      "sub_… --start-on 2026-12-01 --reason 'answer of the grid operator'",
      "sub_… --start-on 2026-12-01 --malo 51238696781 --reason 'answer of the grid operator'",
    ],
    ...CONTRACT,
    options: {
      ...CHANGE,
      start_on: needed(START_ON),
      ...LOCATIONS,
    },
    work: async ({ organization, act, ...session }, { subscription, ...given }) =>
      ofOperator(await confirmSubscription(session, organization, subscription, given, act)),
  }),
  reject: command({
    words: 'the grid operator refused the sign-up: the contract ends at once',
    examples: ["sub_… --reason 'unknown meter'", "sub_… --reason 'supplied by another' --json"],
    ...CONTRACT,
    options: CHANGE,
    work: async ({ organization, act, ...session }, { subscription }) =>
      ofOperator(await rejectSubscription(session, organization, subscription, act)),
  }),
  'set-dates': command({
    words: 'corrects the start of a confirmed contract, or the end of a terminated one',
    examples: [
      "sub_… --start-on 2026-12-01 --reason 'mistyped'",
      "sub_… --end-on 2027-01-01 --reason 'answer of the grid operator' --json",
    ],
    ...CONTRACT,
    options: {
      ...CHANGE,
      start_on: START_ON,
      end_on: option('<day>', 'first day without supply, YYYY-MM-DD in Berlin', calendarDay),
    },
    check: ({ start_on, end_on }) => {
      if ((start_on ?? end_on) === undefined) throw new Error('Give --start-on, --end-on or both');
    },
    work: async ({ organization, act, ...session }, { subscription, ...given }) =>
      ofOperator(await setDates(session, organization, subscription, given, act)),
  }),
  terminate: command({
    words: 'ends a contract by the rules of the interface',
    examples: [
      "sub_… MOVE_OUT --end-on 2026-12-31 --reason 'letter of the customer'",
      "sub_… WITHDRAWAL --reason 'withdrawn by mail'",
    ],
    thing: CONTRACT.thing,
    arguments: {
      ...CONTRACT.arguments,
      why: argument(choice('', 'why it ends', TERMINATION_REASONS)),
    },
    options: {
      ...CHANGE,
      end_on: option('<day>', 'first day without supply; the earliest possible where absent', calendarDay),
    },
    work: async ({ organization, act, ...session }, { subscription, why, end_on }) => {
      const termination = terminationOf(why, end_on);
      return ofOperator(await terminateForStaff(session, organization, subscription, termination, act));
    },
  }),
  'set-plant': command({
    words: 'what is known of the plant of a feed-in contract, and of its taxes',
    examples: [
      "sub_… --commissioned-on 2024-05-01 --size-kw 9.84 --reason 'register of plants'",
      "sub_… --tax-exempt yes --reason 'letter of the customer'",
    ],
    ...CONTRACT,
    options: {
      ...CHANGE,
      commissioned_on: option('<day>', 'first day of operation, YYYY-MM-DD in Berlin', calendarDay),
      size_kw: option('<kW>', 'installed power', kilowatts),
      tax_exempt: choice('<answer>', 'paid without VAT (section 19 UStG)', ['yes', 'no']),
    },
    check: ({ commissioned_on, size_kw, tax_exempt }) => {
      if ((commissioned_on ?? size_kw ?? tax_exempt) === undefined)
        throw new Error('Give --commissioned-on, --size-kw, --tax-exempt or several of them');
    },
    work: async (
      { database, organization, act },
      { subscription, commissioned_on, size_kw: plant_size_kw, tax_exempt },
    ) => {
      const plant = {
        ...(commissioned_on !== undefined && { plant_commissioned_on: commissioned_on }),
        ...(plant_size_kw !== undefined && { plant_size_kw }),
        ...(tax_exempt !== undefined && { is_tax_exempt: tax_exempt === 'yes' }),
      };
      return ofOperator(await setPlant(database, organization, subscription, plant, act));
    },
  }),
};

/** What the client keeps with its contract is not the operator's. */
function ofOperator<Row extends object>(row: Row): Omit<Row, 'metadata'> {
  const { metadata: _, ...others } = row as Row & { metadata?: unknown };
  return others;
}

const KILOWATTS_MAX = 100_000;

function kilowatts(text: string): string {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0 && Number(text) <= KILOWATTS_MAX) return text;
  throw new InvalidArgumentError(`A number above 0 and up to ${KILOWATTS_MAX}, as 9.84.`);
}
