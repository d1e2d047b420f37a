import fc from 'fast-check';
import { isLongTier } from '../setup/tier.ts';

/*
 * What happens to a contract, drawn at random: nothing of it needs the service. Months are counted from the first one.
 */

export const FIRST = '2025-10-01';
/** The earliest for who signs up on that day: the first of a month, a month ahead. */
export const FEED_IN_FIRST = '2025-11-01';
/** On this day everybody signs up. */
export const SIGNED_UP = '2025-09-11';
/** In which something happens: both clock changes and a turn of the year. */
export const MONTHS = isLongTier ? 9 : 6;
/** The same of lives of up to three years, which turn the year three times. */
export const MONTHS_OF_YEARS = 33;
/** Some more, until all of it is billed and paid. */
export const MONTHS_BEHIND = isLongTier ? 4 : 3;

/** Six weeks after the end nothing is issued any more. */
export const OPEN_AFTER_END = 35;

const ACTS = [
  ...(['energy', 'accept', 'end', 'exchange', 'price'] as const),
  ...(['pays', 'pays_twice', 'misleads', 'bounces', 'disputes'] as const),
  ...(['consents', 'silent', 'dies'] as const),
] as const;

export interface Act {
  month: number;
  what: (typeof ACTS)[number];
  /** For days that lie so long before; a price may begin later, too. */
  daysBefore: number;
  amount: number;
}

export const PLANTS = ['2024-05-01', '2025-06-01'] as const;

/** How a contract comes to its end. */
export type Ending =
  /** Before the grid operator has spoken. */
  | 'calls_back'
  /** On the day of the confirmation. A company has no right to. */
  | 'withdraws'
  /** With a month's notice. What is asked for too late is refused, and the earliest day taken. */
  | 'cancels'
  | 'moves_out'
  /** The old contract ends, and a new one at another address begins some days later. */
  | 'moves';

export interface Life {
  customer: 'person' | 'company';
  meter: 'smart' | 'analog';
  /**
   * Of a smart meter: the metering operator sends its quarter hours, or the household's gateway those of the grid connection,
   * and the operator what is missing or wrong. Or a roof makes more than the household needs, and the rest is sold.
   */
  connection: 'unmeasured' | 'measured' | 'feeds_in';
  /** How what is fed in is paid: at the rate of the law, or by what the market pays for the sun in a month. */
  sale: 'eeg' | 'direct';
  /** Plants that are younger are paid nothing while prices are below zero. */
  plantSince: (typeof PLANTS)[number];
  /** At the sign-up, and the grid operator accepts it from the first day on. Module 3 needs a smart meter. */
  orders: 'nothing' | 'module 1' | 'module 2' | 'modules 1 and 3';
  startsIn: number;
  /** Days behind the start on which the grid operator's confirmation is there. Null: it is there at once. */
  confirmedAfter: number | null;
  livesFor: number;
  ending: Ending;
  /** He asks for the erasure of what is stored of him: while he is supplied, and when all is over. */
  asksForErasure: boolean;
  /** kWh. The less is used, the more of module 1 is taken back. */
  perDay: number;
  /** EUR a month in advance; null: bills are paid when they come. */
  instalment: number | null;
  /** In the household, from the sign-up on. */
  device: 'wallbox' | 'heatPump' | 'battery' | null;
  acts: Act[];
}

/** Its bills are made of what the household sends. */
export const isMeasured = ({ meter, connection }: Pick<Life, 'meter' | 'connection'>) =>
  meter === 'smart' && connection !== 'unmeasured';

/** What happens to all of a country. */
export interface Times {
  /** In which something happens. */
  months: number;
  /** Another VAT, entered before its first day or late. */
  vat: Pick<Act, 'month' | 'daysBefore'> & { rate: string };
  /** What the market paid for the sun in the month before, ct/kWh: that is known late. */
  solar: Pick<Act, 'month'> & { cents: number };
}

const anyAct = (months: number): fc.Arbitrary<Act> =>
  fc.record({
    month: fc.integer({ min: 1, max: months }),
    what: fc.constantFrom(...ACTS, 'accept', 'accept', 'pays', 'silent', 'exchange'),
    daysBefore: fc.integer({ min: -20, max: 100 }),
    amount: fc.integer({ min: 1, max: 40 }),
  });

const endings: Ending[] = [
  'cancels',
  'cancels',
  'moves_out',
  'moves_out',
  'moves',
  'withdraws',
  'calls_back',
];

const THREE = ['modules 1 and 3', 'modules 1 and 3'] as const;

const usualDays = { min: 50, max: isLongTier ? 150 : 95 };

export const anyLife = (months: number): fc.Arbitrary<Life> =>
  fc.record({
    customer: fc.constantFrom('person', 'person', 'company'),
    meter: fc.constantFrom('smart', 'smart', 'analog', 'analog', 'analog'),
    connection: fc.constantFrom('unmeasured', 'unmeasured', 'measured', 'feeds_in'),
    sale: fc.constantFrom('eeg', 'direct'),
    plantSince: fc.constantFrom(...PLANTS),
    orders: fc.constantFrom('nothing', 'module 1', 'module 2', ...THREE, ...THREE),
    startsIn: fc.integer({ min: 0, max: isLongTier ? 70 : 40 }),
    confirmedAfter: fc.oneof(fc.constant(null), fc.constant(null), fc.integer({ min: 1, max: 70 })),
    livesFor: fc.integer(months > MONTHS ? { min: 250, max: months * 28 } : usualDays),
    ending: fc.constantFrom(...endings),
    asksForErasure: fc.boolean(),
    perDay: fc.constantFrom(0.2, 1, 6),
    instalment: fc.constantFrom(null, null, 35),
    device: fc.constantFrom(null, null, 'wallbox', 'heatPump', 'battery'),
    acts: fc.array(anyAct(months), { minLength: 3, maxLength: months > MONTHS ? months : 10 }),
  });

/** Months late only while no contract is over: what comes six weeks behind an end is not billed any more. */
export const anyTimes = (months: number): fc.Arbitrary<Times> =>
  fc.record({
    months: fc.constant(months),
    vat: fc.oneof(
      fc.record({
        month: fc.constant(2),
        daysBefore: fc.integer({ min: 40, max: 80 }),
        rate: fc.constantFrom('0.16', '0.21'),
      }),
      fc.record({
        month: fc.integer({ min: 1, max: months }),
        daysBefore: fc.integer({ min: -40, max: OPEN_AFTER_END }),
        rate: fc.constantFrom('0.16', '0.21'),
      }),
    ),
    solar: fc.record({ month: fc.integer({ min: 3, max: 5 }), cents: fc.constantFrom(0, 7.9, 9.25) }),
  });

/** What the back office, the metering operator or the bank did, for a person who looks for the mistake. */
const WORDS: Readonly<Record<Act['what'], (act: Act) => string>> = {
  energy: ({ daysBefore, amount }) => `energy of ${daysBefore} days before is entered (${amount})`,
  accept: ({ daysBefore, amount }) =>
    `${amount % 5 === 0 ? 'module 2, or 3 beside 1,' : amount % 4 > 0 ? 'modules 1 and 3' : 'module 1, or 3 beside it,'} accepted from ${daysBefore} days before`,
  end: ({ daysBefore }) => `the latest module is ended ${daysBefore} days before`,
  exchange: ({ daysBefore, amount }) =>
    `the meter was exchanged ${daysBefore} days before (${amount})${amount % 3 === 0 ? ', entered wrongly and corrected a month later' : ''}`,
  price: ({ daysBefore, amount }) => `the base fee is ${4 + amount / 10} from ${daysBefore} days before`,
  pays: ({ amount }) => `the customer transfers ${amount * 5} % of his oldest open bill`,
  pays_twice: () => 'the customer transfers his oldest open bill, and a second time',
  misleads: () =>
    'the customer transfers half of his oldest open bill without its number, which staff assign to a bill of somebody else first',
  bounces: () => 'the bank returns his direct debits',
  disputes: () => 'the bank returns the direct debits of two months before, which he disputed',
  consents: () => 'the customer lets an app see what is his',
  silent: () => 'the gateway sends nothing and keeps its values',
  dies: () => 'the device is taken out of use',
};

const METERS = {
  analog: 'analog meter',
  smart: 'smart meter',
  unmeasured: 'smart meter',
  measured: 'smart meter and a measured grid connection',
  feeds_in: 'smart meter, a measured grid connection and a roof that feeds in',
};

const ENDINGS: Readonly<Record<Ending, string>> = {
  calls_back: 'withdraws before the confirmation',
  withdraws: 'withdraws on the day of the confirmation',
  cancels: 'cancels',
  moves_out: 'moves out',
  moves: 'moves to another address',
};

/** A life as one can read it. */
export function storyOf(life: Life, { vat, solar }: Times): string {
  const { customer, startsIn, confirmedAfter, livesFor, ending, perDay, instalment, acts, device } = life;
  const mode = instalment === null ? 'bills' : `${instalment} EUR in advance`;
  const confirmed = confirmedAfter === null ? 'at once' : `${confirmedAfter} days behind the start`;
  return [
    `a ${customer}, ${METERS[isMeasured(life) ? life.connection : life.meter]}, ${device === null ? 'no device' : `a ${device}`}, ${perDay} kWh a day, ${mode}: supplied from day ${startsIn} after ${FIRST} for ${livesFor} days`,
    `  orders ${life.orders}; confirmed ${confirmed}; ${ENDINGS[ending]}${life.asksForErasure ? '; asks to be erased' : ''}`,
    ...(life.connection === 'feeds_in' ? [`  sells by ${life.sale}, plant of ${life.plantSince}`] : []),
    `  month ${vat.month}: VAT is ${vat.rate} from ${vat.daysBefore} days before`,
    `  month ${solar.month}: the sun was worth ${solar.cents} ct in the month before`,
    ...acts
      .toSorted((left, right) => left.month - right.month)
      .map((act) => `  month ${act.month}: ${WORDS[act.what](act)}`),
  ].join('\n');
}
