import { Command, InvalidArgumentError, Option } from 'commander';
import { exchangeMeter, type MeterExchange } from '../../contracts/meter-readings/exchange.ts';
import { changeMeter, type MeterChange, meterForStaff } from '../../contracts/meters/change.ts';
import type { MeterState } from '../../contracts/meters/queries.ts';
import { meteringOperator } from '../../contracts/meters/schema.ts';
import { METER_TYPES } from '../../tariffs/reference-data/codes.ts';
import { calendarDay } from '../calendar-day.ts';
import { type ChangeOptions, ofOrganization, withOne } from '../of-organization.ts';
import { type Session, staffAct, withActOptions } from '../session.ts';
import { kilowattHours, meterNumber } from './meter-options.ts';

export function metersCommand(): Command {
  return new Command('meters').addCommand(show()).addCommand(exchange()).addCommand(change());
}

function ofMeter(command: Command): Command {
  return ofOrganization(command.argument('<meter>', 'mtr_…'));
}

function withMeter(
  id: string,
  options: ChangeOptions,
  work: (session: Session) => Promise<{ states: readonly MeterState[] }>,
): Promise<void> {
  return withOne(`meter ${id}`, options, async (session) => {
    const { states, ...fields } = await work(session);
    return { ...fields, states: options.json === true ? states : states.map(stateText) };
  });
}

/** `2026-03-01 1EMH0012345678 analog, register 2`; the first state has no day. */
function stateText({ valid_from, number, type, register, metering_operator }: MeterState): string {
  const operator = metering_operator === null ? '' : `, ${metering_operator}`;
  return `[${valid_from ?? 'at first'}: ${number} ${type}, register ${register}${operator}]`;
}

function show(): Command {
  return withActOptions(ofMeter(new Command('show')), 'looked at by the back office')
    .description('what a meter was from which day on')
    .action((id: string, options: ChangeOptions) =>
      withMeter(id, options, (session) =>
        meterForStaff(session.database, options.organization, id, staffAct(session, options, 'meters show')),
      ),
    );
}

function exchange(): Command {
  return withActOptions(ofMeter(new Command('exchange')))
    .description('the metering operator mounted another device')
    .requiredOption('--on <day>', 'day of the exchange, YYYY-MM-DD in Berlin', calendarDay)
    .requiredOption('--number <number>', 'of the new device', meterNumber)
    .addOption(new Option('--type <type>', 'of the new device; as before where absent').choices(METER_TYPES))
    .option('--closing <kWh>', 'what the old device showed at last; needed of an analog one', kilowattHours)
    .option('--opening <kWh>', 'what the new device showed at first; needed of an analog one', kilowattHours)
    .action((id: string, { on, number, type, closing, opening, ...options }: ChangeOptions & MeterExchange) =>
      withMeter(id, options, (session) => {
        const given = {
          ...(type !== undefined && { type }),
          ...(closing !== undefined && { closing }),
          ...(opening !== undefined && { opening }),
        };
        const act = staffAct(session, options, 'meters exchange');
        const entered = { on, number, ...given };
        return exchangeMeter(session.database, options.organization, id, entered, act);
      }),
    );
}

function change(): Command {
  return withActOptions(ofMeter(new Command('change')))
    .description('corrects the type or the metering operator from a day on')
    .option('--from <day>', 'first day, YYYY-MM-DD in Berlin; from the beginning where absent', calendarDay)
    .addOption(new Option('--type <type>', 'what it is then').choices(METER_TYPES))
    .option('--metering-operator <name>', 'as the table of metering fees names it', operatorName)
    .action(
      (
        id: string,
        options: ChangeOptions & { from?: string; type?: MeterState['type']; meteringOperator?: string },
      ) => {
        const { from, type, meteringOperator: metering_operator } = options;
        if (type === undefined && metering_operator === undefined) {
          throw new Error('Give --type, --metering-operator or both');
        }
        const wanted: MeterChange = {
          valid_from: from ?? null,
          ...(type !== undefined && { type }),
          ...(metering_operator !== undefined && { metering_operator }),
        };
        return withMeter(id, options, (session) => {
          const act = staffAct(session, options, 'meters change');
          return changeMeter(session.database, options.organization, id, wanted, act);
        });
      },
    );
}

function operatorName(text: string): string {
  if (meteringOperator.safeParse(text).success) return text;
  throw new InvalidArgumentError('Lower-case letters, digits and single hyphens between them.');
}
