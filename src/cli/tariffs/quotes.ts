import { InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import type { z } from 'zod';
import { badRequest } from '../../platform/errors.ts';
import { entriesOf } from '../../platform/interface/zod.ts';
import { createLogger } from '../../platform/log/logger.ts';
import { roundAmount } from '../../platform/money.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import type { PlanWithTerms } from '../../tariffs/plans/queries.ts';
import { quotablePlan } from '../../tariffs/plans/service.ts';
import { planForStaff } from '../../tariffs/plans/staff-read.ts';
import type { QuoteGroup } from '../../tariffs/quotes/amounts.ts';
import { type PricedQuote, priceQuote } from '../../tariffs/quotes/price.ts';
import { requestOfBody } from '../../tariffs/quotes/request.ts';
import type { QuoteRow } from '../../tariffs/quotes/rows.ts';
import { type NewQuote, newQuote } from '../../tariffs/quotes/schema.ts';
import { savingsRequest } from '../../tariffs/savings/schema.ts';
import { calculatedSavings } from '../../tariffs/savings/service.ts';
import { type ArgumentValues, command } from '../engine/command.ts';
import { calendarDay, flag, idOption, JSON_OBJECT, option, or } from '../engine/fields.ts';
import { fields, type OutputRow, type Part, table } from '../engine/output.ts';
import { known } from '../organization.ts';
import { LEAST_COLUMNS, linesOf, SOURCE_COLUMNS, sourcesOf } from './figure-sources.ts';
import { explainedSavings } from './savings-parts.ts';

const SHOW_OPTIONS = {
  organization: idOption('org_…: where several have a plan of this slug'),
  date: option('<day>', 'price date, YYYY-MM-DD; today where absent', calendarDay),
  ...JSON_OBJECT,
  usage: option('<kWh>', 'a year; of a feed-in plan what is fed in', plainNumber),
  rate: option(
    '<share>',
    'of the energy price saved by shifting load; that of the plan where absent',
    plainNumber,
  ),
  module_1: or(flag('flat credit for controllable devices (§14a EnWG)'), false),
  module_2: or(flag('reduced price at a metering point of its own'), false),
  module_3: or(flag('prices by the clock; beside module 1'), false),
  tax_exempt: or(flag('feed-in plans: a small business, credits without VAT'), false),
  household: option('<kWh>', 'savings in place of a quote: usage of a year without the devices', plainNumber),
  ev: option('<km[,share]>', 'savings: a car, km a year, and the share charged at home', pair),
  heatpump: option('<kWh>', 'savings: a heat pump, kWh a year', plainNumber),
  pv: option(
    '<share[,kWp]>',
    'savings: a solar plant, share of the usage that it covers, and its size',
    pair,
  ),
  battery: option('<kWh,kW>', 'savings: a battery storage', wholePair),
  current: option(
    '<base,energy>',
    'savings: what is paid now, EUR a year and EUR per kWh with VAT',
    wholePair,
  ),
};

type ShowOptions = ArgumentValues<typeof SHOW_OPTIONS>;

export const commands = {
  show: command({
    words: 'why a price or a saving is what it is: every row, and the rows of reference data behind it',
    examples: ['dynamisch 10115 --usage 2500', 'dynamisch 10115 --household 2500 --ev 12000,0.8 --json'],
    arguments: { plan: 'pln_… or its slug', zip: 'five digits' },
    options: SHOW_OPTIONS,
    check: ({ plan: _, zip, ...options }) => {
      questionOf(zip, options);
    },
    work: async ({ config, database, clock }, { plan: idOrSlug, zip, ...options }) => {
      const question = questionOf(zip, options);
      /* Warnings of rows that ran out go to standard error. */
      const destination = pino.destination({ dest: 2, sync: true });
      const log = createLogger({ level: config.LOG_LEVEL, name: 'cli', destination });
      const {
        organization,
        plan: { id },
      } = await known(`plan ${idOrSlug}`, planForStaff(database, idOrSlug, options.organization));
      const on = options.date ?? berlinDayAt(clock.nowMilliseconds());
      const plan = await quotablePlan(database, organization, id, on);
      if (plan === undefined) throw new Error(`There is no plan ${idOrSlug}`);
      const head = { plan: plan.id, slug: plan.slug, organization, zip_code: zip, price_date: on };
      const deps = { database, log };
      if (question.kind === 'quote') {
        const priced = await priceQuote(deps, plan, requestOfBody(question.body), on);
        const { name: operator } = priced.grid;
        return explainedQuote({ head: { ...head, operator }, plan, body: question.body, priced });
      }
      const calculation = await calculatedSavings(deps, plan, question.body, on);
      return explainedSavings({ head, plan, body: question.body, calculation });
    },
    json: ({ value }) => value,
    print: ({ parts }) => parts,
  }),
};

const PLAIN_NUMBER = /^\d{1,12}(\.\d{1,12})?$/;

/** `12000` or `12000,0.8`. */
type Pair = readonly [number, number | undefined];

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

const OF_A_QUOTE = ['rate', 'module_1', 'module_2', 'module_3', 'tax_exempt'] as const;
const OF_SAVINGS = ['ev', 'heatpump', 'pv', 'battery', 'current'] as const;

/** The body that a client would send, checked by the schema of the route. */
type QuestionBody =
  | { readonly kind: 'quote'; readonly body: z.output<typeof newQuote> }
  | { readonly kind: 'savings'; readonly body: z.output<typeof savingsRequest> };

function questionOf(zip: string, options: ShowOptions): QuestionBody {
  const given = (names: readonly (keyof ShowOptions)[]) =>
    names.filter((name) => options[name] !== undefined && options[name] !== false);
  if ((options.usage === undefined) === (options.household === undefined))
    throw new Error('Say --usage for a quote, or --household for savings, and not both');
  const foreign = given(options.usage === undefined ? OF_A_QUOTE : OF_SAVINGS);
  if (foreign.length > 0) {
    const what = options.usage === undefined ? 'savings' : 'a quote';
    throw new Error(`Not for ${what}: ${foreign.map((name) => `--${name.replaceAll('_', '-')}`).join(', ')}`);
  }
  return options.usage === undefined
    ? { kind: 'savings', body: checked(savingsRequest, savingsBody(zip, options)) }
    : { kind: 'quote', body: checked(newQuote, quoteBody(zip, options)) };
}

function quoteBody(zip: string, options: ShowOptions): object {
  const { usage, rate, module_1, module_2, module_3, tax_exempt } = options;
  const modules = { '14a_module_1': module_1, '14a_module_2': module_2, '14a_module_3': module_3 };
  return {
    zip_code: zip,
    usage: { consumption: usage },
    ...(rate !== undefined && { optimization_rate: rate }),
    ...((module_1 || module_2 || module_3) && { grid_fee_reductions: modules }),
    is_tax_exempt: tax_exempt,
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

const MONTHS = 12;
const UNITS = { base: 'EUR/month', variable: 'EUR/kWh' } as const;
const QUANTITY_UNITS = { base: 'month', variable: 'kWh' } as const;

interface ShownQuote {
  /** Whose plan, which place, which day. */
  readonly head: OutputRow;
  readonly plan: PlanWithTerms;
  readonly body: NewQuote;
  readonly priced: PricedQuote;
}

/** Every row of a quote with the rows that it was made of. */
function explainedQuote({ head, plan, body, priced }: ShownQuote) {
  const { groups, amount, discount } = priced;
  const sent = body.optimization_rate;
  const rate = sent === undefined ? 'of the plan' : { from: 'request', value: String(sent) };
  const rows = groups.flatMap(({ rows: ofGroup }) =>
    ofGroup.map((row) => ({ row: shownRow(row, body), sources: sourcesOf(row, plan, rate) })),
  );
  const about: OutputRow = {
    ...head,
    usage_kwh: body.usage.consumption,
    optimization_rate: sent ?? plan.optimization_rate,
    modules: modulesOf(body),
    amount: amount.toFixed(2),
  };
  const discounted = discount && {
    ...{ name: discount.name, amount_off: discount.amountOff.toFixed(2) },
    regular_amount: discount.regularAmount.toFixed(2),
  };
  const columns = ['group', 'name', 'amount', 'unit', 'eur_year', ...SOURCE_COLUMNS];
  const parts: Part[] = [
    fields(about),
    '',
    table(
      rows.flatMap(({ row, sources }) => linesOf(row, sources)),
      columns,
      LEAST_COLUMNS,
    ),
    '',
    ...groups.map(groupText),
    ...discountText(priced),
    `amount: ${amount.toFixed(2)} EUR a month`,
  ];
  const shown = rows.map(({ row, sources }) => ({ ...row, sources }));
  return { value: { ...about, discount: discounted, groups: groups.map(shownGroup), rows: shown }, parts };
}

function shownRow({ group, name, amount }: QuoteRow, { usage }: NewQuote): OutputRow {
  const ofYear = amount.times(group === 'base' ? MONTHS : usage.consumption);
  return {
    group,
    name,
    amount: amount.toFixed(6),
    unit: UNITS[group],
    eur_year: roundAmount(ofYear).toFixed(2),
  };
}

function shownGroup({ group, quantity, unitAmount, amount }: QuoteGroup): OutputRow {
  return {
    ...{ group, quantity: quantity.toFixed(), quantity_unit: QUANTITY_UNITS[group] },
    ...{ unit_amount: unitAmount.toFixed(6), amount: amount.toFixed(2) },
  };
}

function groupText({ group, quantity, unitAmount, amount }: QuoteGroup): string {
  return `${group}: ${quantity.toFixed()} ${QUANTITY_UNITS[group]} × ${unitAmount.toFixed(6)} = ${amount.toFixed(2)} EUR a month`;
}

function discountText({ discount }: PricedQuote): string[] {
  return discount === null ? [] : [`${discount.name}: -${discount.amountOff.toFixed(2)} EUR a month`];
}

function modulesOf({ grid_fee_reductions: modules }: NewQuote): string[] {
  return Object.entries(modules ?? {}).flatMap(([name, isChosen]) => (isChosen ? [name] : []));
}
