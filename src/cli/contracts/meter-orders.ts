import { Argument, Command, Option } from 'commander';
import {
  type MeterOrderMove,
  type MountedMeter,
  moveMeterOrder,
  rescheduleMeterOrder,
} from '../../contracts/meter-orders/move.ts';
import type { MeterOrderRow } from '../../contracts/meter-orders/queries.ts';
import { meterOrderForStaff, newestMeterOrders } from '../../contracts/meter-orders/read.ts';
import { INTERNAL_STATUSES, type InternalStatus } from '../../contracts/meter-orders/schema.ts';
import { installSmartMeter } from '../../contracts/meter-readings/install.ts';
import { calendarDay, instant } from '../calendar-day.ts';
import {
  acting,
  type ChangeOptions,
  type ListOptions,
  listing,
  type OrganizationOptions,
  ofOrganization,
  withOne,
  withOrganization,
} from '../of-organization.ts';
import { printTable } from '../output.ts';
import { type Session, staffAct } from '../session.ts';
import { kilowattHours, meterNumber } from './meter-options.ts';

export function meterOrdersCommand(): Command {
  return new Command('meter-orders')
    .addCommand(list())
    .addCommand(show())
    .addCommand(move())
    .addCommand(detailsReceived())
    .addCommand(unblock())
    .addCommand(reschedule());
}

interface Wanted extends ListOptions {
  status?: InternalStatus;
  customer?: string;
  subscription?: string;
}

function list(): Command {
  return listing('list')
    .description('orders of an organization, newest first')
    .addOption(new Option('--status <value>', 'with this internal value only').choices(INTERNAL_STATUSES))
    .option('--customer <id>', 'cus_…: of this customer only')
    .option('--subscription <id>', 'sub_…: of this contract only')
    .action((options: Wanted) =>
      withOrganization(options, async ({ database }, organization) => {
        const { status, customer, subscription, limit } = options;
        const wanted = { internal_status: status, customer, subscription };
        const rows = await newestMeterOrders(database, organization, wanted, limit);
        const columns = ['id', 'status', 'public_status', 'provider', 'subscription_id', 'updated_at'];
        printTable(
          rows.map((row) => ({ ...row })),
          columns,
          options,
        );
      }),
    );
}

function show(): Command {
  return ofOrganization(new Command('show'))
    .description('one order, and what may follow')
    .argument('<order>', 'prdo_…')
    .action((id: string, options: OrganizationOptions) =>
      withOrder(id, options, ({ database }, organization) => meterOrderForStaff(database, organization, id)),
    );
}

function withOrder(
  id: string,
  options: OrganizationOptions,
  work: (session: Session, organization: string) => Promise<MeterOrderRow>,
): Promise<void> {
  return withOne(`meter order ${id}`, options, work);
}

const actingOnOrder = (name: string) => acting(name, '<order>', 'prdo_…');

/** `reported`: the move, and the command as it is typed without its values. */
function moveTo(
  id: string,
  options: ChangeOptions,
  reported: MeterOrderMove,
  command: string,
): Promise<void> {
  return withOrder(id, options, (session) => {
    const act = staffAct(session, options, `meter-orders ${command}`);
    return moveMeterOrder({ ...session, installSmartMeter }, options.organization, id, reported, act);
  });
}

interface MoveOptions extends ChangeOptions {
  appointmentAt?: string;
  meterNumber?: string;
  mountedOn?: string;
  closing?: string;
}

function move(): Command {
  return actingOnOrder('move')
    .description('the metering partner reported how far it is')
    .addArgument(new Argument('<value>', 'the internal value that it has now').choices(INTERNAL_STATUSES))
    .option('--appointment-at <instant>', 'of the visit; needed for installation_scheduled', instant)
    .option('--meter-number <number>', 'of the smart meter; needed where it was mounted', meterNumber)
    .option('--mounted-on <day>', 'when, YYYY-MM-DD in Berlin; today where absent', calendarDay)
    .option('--closing <kWh>', 'what the old device showed at last; needed under supply', kilowattHours)
    .action((id: string, to: InternalStatus, options: MoveOptions) => {
      const { appointmentAt: appointment_at } = options;
      const mounted = mountedOf(options);
      const reported = {
        to,
        ...(appointment_at !== undefined && { appointment_at }),
        ...(mounted !== undefined && { mounted }),
      };
      return moveTo(id, options, reported, 'move');
    });
}

function mountedOf({ meterNumber: number, mountedOn: on, closing }: MoveOptions): MountedMeter | undefined {
  if (number !== undefined) {
    return { number, ...(on !== undefined && { on }), ...(closing !== undefined && { closing }) };
  }
  if (on !== undefined || closing !== undefined) {
    throw new Error('--mounted-on and --closing belong to --meter-number');
  }
  return undefined;
}

function detailsReceived(): Command {
  return actingOnOrder('details-received')
    .description("the customer's details for the check came in")
    .action((id: string, options: ChangeOptions) =>
      moveTo(id, options, { to: 'details_received' }, 'details-received'),
    );
}

function unblock(): Command {
  return actingOnOrder('unblock')
    .description('what held it back is over: it goes on where it was')
    .action((id: string, options: ChangeOptions) => moveTo(id, options, { to: 'unblocked' }, 'unblock'));
}

function reschedule(): Command {
  return actingOnOrder('reschedule')
    .description('the visit has another date')
    .requiredOption('--appointment-at <instant>', 'with time zone (2026-11-24T09:00:00+01:00)', instant)
    .action((id: string, options: ChangeOptions & { appointmentAt: string }) =>
      withOrder(id, options, (session) => {
        const { organization, appointmentAt } = options;
        const act = staffAct(session, options, 'meter-orders reschedule');
        return rescheduleMeterOrder(session, organization, id, appointmentAt, act);
      }),
    );
}
