import { InvalidArgumentError } from 'commander';
import { correctExchange, exchangeMeter, withdrawExchange } from '../../contracts/meter-readings/exchange.ts';
import { READING_KWH_MAX } from '../../contracts/meter-readings/schema.ts';
import { changeMeter, meterForStaff } from '../../contracts/meters/change.ts';
import type { MeterState } from '../../contracts/meters/queries.ts';
import { meteringOperator, meterNumberText } from '../../contracts/meters/schema.ts';
import { METER_TYPES } from '../../tariffs/reference-data/codes.ts';
import { command } from '../engine/command.ts';
import { ACT, calendarDay, choice, LOOK, needed, OF_ORGANIZATION, option } from '../engine/fields.ts';
import { fields } from '../engine/output.ts';

const METER = {
  arguments: { meter: 'mtr_…' },
  thing: 'meter',
  print: ({ states, ...meter }: { states: readonly MeterState[] }) => [
    fields({ ...meter, states: states.map(stateText) }),
  ],
} as const;

export const LOCATIONS = {
  melo: option('<id>', 'metering location of the meter, 33 characters'),
  malo: option('<id>', 'market location of the meter, 11 digits'),
};

export const commands = {
  show: command({
    words: 'what a meter was from which day on',
    examples: ['mtr_…', "mtr_… --reason 'question of the customer' --json"],
    ...METER,
    options: { ...OF_ORGANIZATION, ...LOOK },
    work: ({ database, organization, act }, { meter }) => meterForStaff(database, organization, meter, act),
  }),
  exchange: command({
    words: 'the metering operator mounted another device',
    examples: [
      "mtr_… --on 2026-11-03 --number 1EMH0012345678 --type smart --reason 'protocol of the exchange'",
      "mtr_… --on 2026-11-03 --number 1EMH0012345678 --closing 18342.7 --opening 0 --reason 'protocol of the exchange'",
    ],
    ...METER,
    options: {
      ...OF_ORGANIZATION,
      ...ACT,
      on: needed(option('<day>', 'day of the exchange, YYYY-MM-DD in Berlin', calendarDay)),
      number: needed(option('<number>', 'of the new device', meterNumber)),
      type: choice('<type>', 'of the new device; as before where absent', METER_TYPES),
      closing: option('<kWh>', 'what the old device showed at last; needed of an analog one', kilowattHours),
      opening: option('<kWh>', 'what the new device showed at first; needed of an analog one', kilowattHours),
    },
    work: ({ database, organization, act }, { meter, ...exchange }) =>
      exchangeMeter(database, organization, meter, exchange, act),
  }),
  'correct-exchange': command({
    words: 'the last exchange was entered wrongly: what is left out was right',
    examples: [
      "mtr_… --on 2026-11-05 --reason 'protocol of the exchange'",
      "mtr_… --closing 18342.7 --opening 0.4 --reason 'photo of the customer'",
    ],
    ...METER,
    options: {
      ...OF_ORGANIZATION,
      ...ACT,
      on: option('<day>', 'day of the exchange, YYYY-MM-DD in Berlin', calendarDay),
      number: option('<number>', 'of the new device', meterNumber),
      type: choice('<type>', 'of the new device', METER_TYPES),
      closing: option('<kWh>', 'what the old device showed at last', kilowattHours),
      opening: option('<kWh>', 'what the new device showed at first', kilowattHours),
    },
    check: ({ on, number, type, closing, opening }) => {
      if ((on ?? number ?? type ?? closing ?? opening) === undefined)
        throw new Error('Give what is another: --on, --number, --type, --closing or --opening');
    },
    work: ({ database, organization, act }, { meter, ...correction }) =>
      correctExchange(database, organization, meter, correction, act),
  }),
  'withdraw-exchange': command({
    words: 'the last exchange never was: takes it back with its readings',
    examples: ["mtr_… --reason 'entered at the wrong meter'", "mtr_… --reason 'ticket 4711' --json"],
    ...METER,
    options: { ...OF_ORGANIZATION, ...ACT },
    work: ({ database, organization, act }, { meter }) =>
      withdrawExchange(database, organization, meter, act),
  }),
  change: command({
    words: 'corrects the type or the metering operator from a day on, or the place',
    examples: [
      "mtr_… --type analog --reason 'entered wrongly'",
      "mtr_… --from 2026-10-01 --metering-operator stadtnetz --reason 'another operator took over'",
    ],
    ...METER,
    options: {
      ...OF_ORGANIZATION,
      ...ACT,
      ...LOCATIONS,
      from: option('<day>', 'first day, YYYY-MM-DD in Berlin; from the beginning where absent', calendarDay),
      type: choice('<type>', 'what it is then', METER_TYPES),
      metering_operator: option('<name>', 'as the table of metering fees names it', operatorName),
    },
    check: ({ type, metering_operator, malo, melo }) => {
      if ((type ?? metering_operator ?? malo ?? melo) === undefined)
        throw new Error('Give --type, --metering-operator, --malo or --melo, or several of them');
    },
    work: ({ database, organization, act }, { meter, from = null, ...change }) =>
      changeMeter(database, organization, meter, { valid_from: from, ...change }, act),
  }),
};

/** `2026-03-01 1EMH0012345678 analog, register 2`; the first state has no day. */
function stateText({ valid_from, number, type, register, metering_operator }: MeterState): string {
  const operator = metering_operator === null ? '' : `, ${metering_operator}`;
  return `[${valid_from ?? 'at first'}: ${number} ${type}, register ${register}${operator}]`;
}

export function meterNumber(text: string): string {
  if (meterNumberText.safeParse(text).success) return text;
  throw new InvalidArgumentError('1 to 255 characters, not only blanks.');
}

/** A new device may begin at 0. */
export function kilowattHours(text: string): string {
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text) && Number(text) <= READING_KWH_MAX) return text;
  throw new InvalidArgumentError(`A number of at most ${READING_KWH_MAX}, as 18342.7.`);
}

function operatorName(text: string): string {
  if (meteringOperator.safeParse(text).success) return text;
  throw new InvalidArgumentError('Lower-case letters, digits and single hyphens between them.');
}
