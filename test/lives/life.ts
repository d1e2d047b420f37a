import fc from 'fast-check';

/*
 * What happens to a contract, drawn at random: nothing of it needs the service. Months are counted from the first one.
 */

export const FIRST = '2025-10-01';
/** In which something happens; a few more pass until all of it is billed and paid. */
export const MONTHS = 9;

export interface Act {
  month: number;
  what: 'energy' | 'accept' | 'end' | 'exchange' | 'price' | 'pays' | 'bounces';
  /** For days that lie so long before; a price may begin later, too. */
  daysBefore: number;
  amount: number;
}

export interface Life {
  meter: 'smart' | 'analog';
  startsIn: number;
  livesFor: number;
  /** kWh. The less is used, the more of module 1 is taken back. */
  perDay: number;
  /** EUR a month in advance; null: bills are paid when they come. */
  instalment: number | null;
  acts: Act[];
}

const anyAct: fc.Arbitrary<Act> = fc.record({
  month: fc.integer({ min: 1, max: MONTHS }),
  what: fc.constantFrom('energy', 'accept', 'accept', 'end', 'exchange', 'price', 'pays', 'pays', 'bounces'),
  daysBefore: fc.integer({ min: -20, max: 100 }),
  amount: fc.integer({ min: 1, max: 40 }),
});

export const anyLife: fc.Arbitrary<Life> = fc.record({
  meter: fc.constantFrom('smart', 'analog', 'analog'),
  startsIn: fc.integer({ min: 0, max: 70 }),
  livesFor: fc.integer({ min: 40, max: 200 }),
  perDay: fc.constantFrom(0.2, 1, 6),
  instalment: fc.constantFrom(null, null, 35),
  acts: fc.array(anyAct, { minLength: 3, maxLength: 10 }),
});

/** What the back office, the metering operator or the bank did, for a person who looks for the mistake. */
const WORDS: Readonly<Record<Act['what'], (act: Act) => string>> = {
  energy: ({ daysBefore, amount }) => `energy of ${daysBefore} days before is entered (${amount})`,
  accept: ({ daysBefore }) => `module 1 is accepted from ${daysBefore} days before`,
  end: ({ daysBefore }) => `module 1 is ended ${daysBefore} days before`,
  exchange: ({ daysBefore, amount }) => `the meter was exchanged ${daysBefore} days before (${amount})`,
  price: ({ daysBefore, amount }) => `the base fee is ${4 + amount / 10} from ${daysBefore} days before`,
  pays: ({ amount }) => `the customer transfers ${amount * 5} % of his oldest open bill`,
  bounces: () => 'the bank returns his direct debits',
};

/** A life as one can read it. */
export function storyOf({ meter, startsIn, livesFor, perDay, instalment, acts }: Life): string {
  const mode = instalment === null ? 'bills' : `${instalment} EUR in advance`;
  return [
    `${meter} meter, ${perDay} kWh a day, ${mode}: supplied from day ${startsIn} after ${FIRST} for ${livesFor} days`,
    ...acts
      .toSorted((left, right) => left.month - right.month)
      .map((act) => `  month ${act.month}: ${WORDS[act.what](act)}`),
  ].join('\n');
}
