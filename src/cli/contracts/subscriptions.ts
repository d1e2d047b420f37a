import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { meterLocations } from '../../contracts/meters/schema.ts';
import {
  confirmSubscription,
  rejectSubscription,
  setDates,
} from '../../contracts/subscriptions/back-office.ts';
import { setPlant } from '../../contracts/subscriptions/plant.ts';
import {
  TERMINATION_REASONS,
  type Termination,
  type TerminationReason,
} from '../../contracts/subscriptions/schema.ts';
import { terminateForStaff } from '../../contracts/subscriptions/terminate.ts';
import { badRequest } from '../../platform/errors.ts';
import { entriesOf } from '../../platform/interface/zod.ts';
import { berlinMidnight } from '../../platform/time/berlin-calendar.ts';
import { calendarDay } from '../calendar-day.ts';
import { acting, type ChangeOptions, withOne } from '../of-organization.ts';
import { type Session, staffAct } from '../session.ts';
import { listSubscriptionsCommand, showSubscriptionCommand } from './subscriptions-read.ts';

export function subscriptionsCommand(): Command {
  return new Command('subscriptions')
    .addCommand(listSubscriptionsCommand())
    .addCommand(showSubscriptionCommand())
    .addCommand(confirm())
    .addCommand(reject())
    .addCommand(dates())
    .addCommand(terminate())
    .addCommand(plant());
}

const actingOnContract = (name: string) => acting(name, '<subscription>', 'sub_…');

function withContract(
  id: string,
  options: ChangeOptions,
  change: (session: Session) => Promise<object>,
): Promise<void> {
  return withOne(`subscription ${id}`, options, async (session) => {
    /* What the client keeps with its contract is not the operator's. */
    const fields = Object.entries(await change(session)).filter(([name]) => name !== 'metadata');
    return Object.fromEntries(fields);
  });
}

function confirm(): Command {
  return actingOnContract('confirm')
    .description('the grid operator confirmed the start, or another one')
    .requiredOption('--start-on <day>', 'first day of supply, YYYY-MM-DD in Berlin', calendarDay)
    .option('--melo <id>', 'metering location of the meter, 33 characters')
    .option('--malo <id>', 'market location of the meter, 11 digits')
    .action((id: string, options: ChangeOptions & { startOn: string; melo?: string; malo?: string }) =>
      withContract(id, options, (session) =>
        confirmSubscription(
          session,
          options.organization,
          id,
          { start_on: options.startOn, ...locationsOf(options) },
          staffAct(session, options, 'subscriptions confirm'),
        ),
      ),
    );
}

function locationsOf({ melo, malo }: { melo?: string; malo?: string }) {
  const input = { melo, malo };
  const checked = meterLocations.safeParse(input);
  if (!checked.success) throw badRequest(entriesOf(checked.error.issues, input));
  return { ...(melo !== undefined && { melo }), ...(malo !== undefined && { malo }) };
}

function reject(): Command {
  return actingOnContract('reject')
    .description('the grid operator refused the sign-up: the contract ends at once')
    .action((id: string, options: ChangeOptions) =>
      withContract(id, options, (session) =>
        rejectSubscription(
          session,
          options.organization,
          id,
          staffAct(session, options, 'subscriptions reject'),
        ),
      ),
    );
}

function dates(): Command {
  return actingOnContract('set-dates')
    .description('corrects the start of a confirmed contract, or the end of a terminated one')
    .option('--start-on <day>', 'first day of supply, YYYY-MM-DD in Berlin', calendarDay)
    .option('--end-on <day>', 'first day without supply, YYYY-MM-DD in Berlin', calendarDay)
    .action((id: string, options: ChangeOptions & { startOn?: string; endOn?: string }) => {
      const { startOn, endOn } = options;
      if (startOn === undefined && endOn === undefined) throw new Error('Give --start-on, --end-on or both');
      const wanted = {
        ...(startOn !== undefined && { start_on: startOn }),
        ...(endOn !== undefined && { end_on: endOn }),
      };
      return withContract(id, options, (session) =>
        setDates(
          session,
          options.organization,
          id,
          wanted,
          staffAct(session, options, 'subscriptions set-dates'),
        ),
      );
    });
}

function terminate(): Command {
  return actingOnContract('terminate')
    .description('ends a contract by the rules of the interface')
    .addArgument(new Argument('<why>', 'why it ends').choices(TERMINATION_REASONS))
    .option('--end-on <day>', 'first day without supply; the earliest possible where absent', calendarDay)
    .action((id: string, why: TerminationReason, options: ChangeOptions & { endOn?: string }) =>
      withContract(id, options, (session) =>
        terminateForStaff(
          session,
          options.organization,
          id,
          terminationOf(why, options.endOn),
          staffAct(session, options, 'subscriptions terminate'),
        ),
      ),
    );
}

function terminationOf(reason: TerminationReason, endOn: string | undefined): Termination {
  if (reason === 'WITHDRAWAL') {
    if (endOn !== undefined) throw new Error('A withdrawal takes the earliest end: leave --end-on out');
    return { reason };
  }
  if (endOn !== undefined) return { reason, intended_end_at: berlinMidnight(endOn) };
  if (reason === 'MOVE_OUT') throw new Error('A move-out needs its day: --end-on');
  return { reason };
}

interface PlantOptions extends ChangeOptions {
  commissionedOn?: string;
  sizeKw?: string;
  taxExempt?: 'yes' | 'no';
}

function plant(): Command {
  return actingOnContract('set-plant')
    .description('what is known of the plant of a feed-in contract, and of its taxes')
    .option('--commissioned-on <day>', 'first day of operation, YYYY-MM-DD in Berlin', calendarDay)
    .option('--size-kw <kW>', 'installed power', kilowatts)
    .addOption(
      new Option('--tax-exempt <answer>', 'paid without VAT (section 19 UStG)').choices(['yes', 'no']),
    )
    .action((id: string, options: PlantOptions) => {
      const { commissionedOn, sizeKw, taxExempt } = options;
      const given = {
        ...(commissionedOn !== undefined && { plant_commissioned_on: commissionedOn }),
        ...(sizeKw !== undefined && { plant_size_kw: sizeKw }),
        ...(taxExempt !== undefined && { is_tax_exempt: taxExempt === 'yes' }),
      };
      if (Object.keys(given).length === 0) {
        throw new Error('Give --commissioned-on, --size-kw, --tax-exempt or several of them');
      }
      return withContract(id, options, (session) => {
        const act = staffAct(session, options, 'subscriptions set-plant');
        return setPlant(session.database, options.organization, id, given, act);
      });
    });
}

const KILOWATTS_MAX = 100_000;

function kilowatts(text: string): string {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0 && Number(text) <= KILOWATTS_MAX) return text;
  throw new InvalidArgumentError(`A number above 0 and up to ${KILOWATTS_MAX}, as 9.84.`);
}
