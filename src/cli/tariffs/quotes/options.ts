import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { badRequest } from '../../../platform/errors.ts';
import { entriesOf } from '../../../platform/interface/zod.ts';
import { newQuote } from '../../../tariffs/quotes/schema.ts';
import { savingsRequest } from '../../../tariffs/savings/schema.ts';
import { calendarDay } from '../../calendar-day.ts';

/** As commander gives them. */
export interface ShowOptions {
  organization?: string;
  date?: string;
  json?: boolean;
  usage?: number;
  rate?: number;
  module1: boolean;
  module2: boolean;
  module3: boolean;
  taxExempt: boolean;
  household?: number;
  ev?: Pair;
  heatpump?: number;
  pv?: Pair;
  battery?: Pair;
  current?: Pair;
}

/** `12000` or `12000,0.8`. */
type Pair = readonly [number, number | undefined];

export function withShowOptions(command: Command): Command {
  return command
    .option('--organization <id>', 'org_…: where several have a plan of this slug')
    .option('--date <day>', 'price date, YYYY-MM-DD; today where absent', calendarDay)
    .option('--json', 'as one JSON object')
    .option('--usage <kWh>', 'a year; of a feed-in plan what is fed in', plainNumber)
    .option(
      '--rate <share>',
      'of the energy price saved by shifting load; that of the plan where absent',
      plainNumber,
    )
    .option('--module-1', 'flat credit for controllable devices (§14a EnWG)', false)
    .option('--module-2', 'reduced price at a metering point of its own', false)
    .option('--module-3', 'prices by the clock; beside module 1', false)
    .option('--tax-exempt', 'feed-in plans: a small business, credits without VAT', false)
    .option(
      '--household <kWh>',
      'savings in place of a quote: usage of a year without the devices',
      plainNumber,
    )
    .option('--ev <km[,share]>', 'savings: a car, km a year, and the share charged at home', pair)
    .option('--heatpump <kWh>', 'savings: a heat pump, kWh a year', plainNumber)
    .option(
      '--pv <share[,kWp]>',
      'savings: a solar plant, share of the usage that it covers, and its size',
      pair,
    )
    .option('--battery <kWh,kW>', 'savings: a battery storage', wholePair)
    .option(
      '--current <base,energy>',
      'savings: what is paid now, EUR a year and EUR per kWh with VAT',
      wholePair,
    );
}

const PLAIN_NUMBER = /^\d{1,12}(\.\d{1,12})?$/;

function plainNumber(text: string): number {
  if (PLAIN_NUMBER.test(text)) return Number(text);
  throw new InvalidArgumentError('A plain number, as 2500 or 0.36.');
}

function pair(text: string): Pair {
  const [first = '', second, ...more] = text.split(',');
  if (more.length > 0) throw new InvalidArgumentError('At most two numbers with a comma between them.');
  return [plainNumber(first), second === undefined ? undefined : plainNumber(second)];
}

function wholePair(text: string): Pair {
  const read = pair(text);
  if (read[1] === undefined) throw new InvalidArgumentError('Two numbers with a comma between them.');
  return read;
}

const OF_A_QUOTE = ['rate', 'module1', 'module2', 'module3', 'taxExempt'] as const;
const OF_SAVINGS = ['ev', 'heatpump', 'pv', 'battery', 'current'] as const;

/** The body that a client would send for it, checked by the schema of the route. */
export type Asked =
  | { readonly kind: 'quote'; readonly body: z.output<typeof newQuote> }
  | { readonly kind: 'savings'; readonly body: z.output<typeof savingsRequest> };

export function askedBy(zip: string, options: ShowOptions): Asked {
  const given = (names: readonly (keyof ShowOptions)[]) =>
    names.filter((name) => options[name] !== undefined && options[name] !== false);
  if ((options.usage === undefined) === (options.household === undefined))
    throw new Error('Say --usage for a quote, or --household for savings, and not both');
  const foreign = given(options.usage === undefined ? OF_A_QUOTE : OF_SAVINGS);
  if (foreign.length > 0) {
    const what = options.usage === undefined ? 'savings' : 'a quote';
    throw new Error(`Not for ${what}: ${foreign.join(', ')}`);
  }
  return options.usage === undefined
    ? { kind: 'savings', body: checked(savingsRequest, savingsBody(zip, options)) }
    : { kind: 'quote', body: checked(newQuote, quoteBody(zip, options)) };
}

function quoteBody(zip: string, options: ShowOptions): object {
  const { usage, rate, module1, module2, module3, taxExempt } = options;
  const modules = { '14a_module_1': module1, '14a_module_2': module2, '14a_module_3': module3 };
  return {
    zip_code: zip,
    usage: { consumption: usage },
    ...(rate !== undefined && { optimization_rate: rate }),
    ...((module1 || module2 || module3) && { grid_fee_reductions: modules }),
    is_tax_exempt: taxExempt,
  };
}

function savingsBody(zip: string, { household, ev, heatpump, pv, battery, current }: ShowOptions): object {
  return {
    zip_code: zip,
    household: { usage: household },
    assets: {
      ...(ev && { ev: { distance: ev[0], ...(ev[1] !== undefined && { home_charging_share: ev[1] }) } }),
      ...(heatpump !== undefined && { heatpump: { usage: heatpump } }),
      ...(pv && { pv: { self_sufficiency: pv[0], ...(pv[1] !== undefined && { capacity: pv[1] }) } }),
      ...(battery && { battery: { capacity: battery[0], power: battery[1] } }),
    },
    ...(current && { current_tariff: { base_fee: current[0], var_fee: current[1] } }),
  };
}

function checked<Schema extends z.ZodType>(schema: Schema, body: object): z.output<Schema> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw badRequest(entriesOf(read.error.issues, body));
}
