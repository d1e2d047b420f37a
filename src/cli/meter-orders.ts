import { Argument, Command, Option } from 'commander';
import {
  type MeterOrderMove,
  type MountedMeter,
  moveMeterOrder,
  rescheduleMeterOrder,
} from '../meter-orders/move.ts';
import type { MeterOrderRow } from '../meter-orders/queries.ts';
import { meterOrderForStaff, newestMeterOrders } from '../meter-orders/read.ts';
import { INTERNAL_STATUSES, type InternalStatus } from '../meter-orders/schema.ts';
import { installSmartMeter } from '../meter-readings/install.ts';
import { organization as findOrganization } from '../organizations/service.ts';
import { calendarDay, instant } from './calendar-day.ts';
import { wholeNumber } from './client-options.ts';
import { kilowattHours, meterNumber } from './meter-options.ts';
import { printObject, printTable } from './output.ts';
import { type ActOptions, known, type Session, staffAct, withActOptions, withSession } from './session.ts';

interface ReadOptions {
  organization: string;
  json?: boolean;
}

type OrderOptions = ReadOptions & ActOptions;

const LIMIT = 100;

export function meterOrdersCommand(): Command {
  return new Command('meter-orders')
    .addCommand(list())
    .addCommand(show())
    .addCommand(move())
    .addCommand(detailsReceived())
    .addCommand(unblock())
    .addCommand(reschedule());
}

interface ListOptions extends ReadOptions {
  status?: InternalStatus;
  customer?: string;
  subscription?: string;
  limit: number;
}

function list(): Command {
  return new Command('list')
    .description('orders of an organization, newest first')
    .requiredOption('--organization <id>', 'org_…')
    .addOption(new Option('--status <value>', 'with this internal value only').choices(INTERNAL_STATUSES))
    .option('--customer <id>', 'cus_…: of this customer only')
    .option('--subscription <id>', 'sub_…: of this contract only')
    .option('--limit <number>', 'at most so many', wholeNumber, LIMIT)
    .option('--json', 'as a list of JSON objects')
    .action((options: ListOptions) =>
      withSession(async ({ database }) => {
        const { organization: id, status, customer, subscription, limit } = options;
        await known(`organization ${id}`, findOrganization(database, id));
        const wanted = { internal_status: status, customer, subscription };
        const rows = await newestMeterOrders(database, id, wanted, limit);
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
  return new Command('show')
    .description('one order, and what may follow')
    .argument('<order>', 'prdo_…')
    .requiredOption('--organization <id>', 'org_…')
    .option('--json', 'as one JSON object')
    .action((id: string, options: ReadOptions) =>
      withOrder(id, options, ({ database }) => meterOrderForStaff(database, options.organization, id)),
    );
}

async function withOrder(
  id: string,
  options: ReadOptions,
  work: (session: Session) => Promise<MeterOrderRow>,
): Promise<void> {
  await withSession(async (session) => {
    const { organization } = options;
    await known(`organization ${organization}`, findOrganization(session.database, organization));
    const row = await known(`meter order ${id} in ${organization}`, work(session));
    printObject({ ...row }, options);
  });
}

/** A command that changes one order of an organization. */
function acting(name: string): Command {
  return withActOptions(new Command(name))
    .argument('<order>', 'prdo_…')
    .requiredOption('--organization <id>', 'org_…')
    .option('--json', 'as one JSON object');
}

/** `reported`: the move, and the command as it is typed without its values. */
function moveTo(id: string, options: OrderOptions, reported: MeterOrderMove, command: string): Promise<void> {
  return withOrder(id, options, (session) => {
    const act = staffAct(session, options, `meter-orders ${command}`);
    return moveMeterOrder({ ...session, installSmartMeter }, options.organization, id, reported, act);
  });
}

interface MoveOptions extends OrderOptions {
  appointmentAt?: string;
  meterNumber?: string;
  mountedOn?: string;
  closing?: string;
}

function move(): Command {
  return acting('move')
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
  return acting('details-received')
    .description("the customer's details for the check came in")
    .action((id: string, options: OrderOptions) =>
      moveTo(id, options, { to: 'details_received' }, 'details-received'),
    );
}

function unblock(): Command {
  return acting('unblock')
    .description('what held it back is over: it goes on where it was')
    .action((id: string, options: OrderOptions) => moveTo(id, options, { to: 'unblocked' }, 'unblock'));
}

function reschedule(): Command {
  return acting('reschedule')
    .description('the visit has another date')
    .requiredOption('--appointment-at <instant>', 'with time zone (2026-11-24T09:00:00+01:00)', instant)
    .action((id: string, options: OrderOptions & { appointmentAt: string }) =>
      withOrder(id, options, (session) => {
        const { organization, appointmentAt } = options;
        const act = staffAct(session, options, 'meter-orders reschedule');
        return rescheduleMeterOrder(session, organization, id, appointmentAt, act);
      }),
    );
}
