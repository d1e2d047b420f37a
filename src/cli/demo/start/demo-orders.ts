import { type MeterOrderMove, moveMeterOrder } from '../../../contracts/meter-orders/move.ts';
import { newestMeterOrders } from '../../../contracts/meter-orders/read.ts';
import { installSmartMeter } from '../../../contracts/meter-readings/install.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/db.ts';
import type { StaffAct } from '../../../platform/staff-act.ts';
import { addDays, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { type DemoContract, person } from './demo-contracts.ts';

/* A meter order in every stage that the back office can bring one to, each of a contract of its own. */

interface OrderParts {
  database: Database;
  clock: Clock;
  organization: string;
  today: CalendarDay;
  act: StaffAct;
}

type Move = MeterOrderMove['to'];

interface DemoOrder {
  customer: [first: string, last: string];
  /** What the metering partner reported, one after the other. */
  reported: readonly Move[];
}

/** One of them goes all the way, so that each topic was told. */
const ORDERS: Readonly<Record<string, DemoOrder>> = {
  ordered: { customer: ['Nele', 'Voigt'], reported: ['ordered'] },
  details: { customer: ['Timo', 'Lange'], reported: ['ordered', 'details_received'] },
  checked: { customer: ['Ida', 'Kern'], reported: ['checked'] },
  planning: { customer: ['Bela', 'Roth'], reported: ['installation_planning'] },
  scheduled: { customer: ['Rike', 'Haas'], reported: ['installation_scheduled'] },
  waiting: { customer: ['Jonas', 'Ott'], reported: ['installation_scheduled', 'installation_waiting'] },
  finished: { customer: ['Mina', 'Lutz'], reported: ['installation_finished'] },
  installed: { customer: ['Emil', 'Sauer'], reported: ['installed'] },
  activated: {
    customer: ['Wiebke', 'Franz'],
    reported: [
      ...(['ordered', 'details_received', 'checked', 'installation_planning'] as const),
      ...(['installation_scheduled', 'installation_waiting'] as const),
      ...(['installation_finished', 'installed', 'activated'] as const),
    ],
  },
  'pre-installed': { customer: ['Karl', 'Busch'], reported: ['pre_installed'] },
  cancelled: { customer: ['Zoe', 'Adam'], reported: ['cancelled'] },
  blocked: { customer: ['Aron', 'Graf'], reported: ['ordered', 'blocked'] },
  'blocked-wim': { customer: ['Greta', 'Noll'], reported: ['ordered', 'blocked_wim'] },
};

const keyOf = (name: string) => `demo-order-${name}`;

const meterNumber = (series: 1 | 2, place: number) => `1EMH00991${series}${String(place).padStart(4, '0')}`;

/** Signed up with the order of a smart meter, and not yet confirmed. */
export function contractsWithOrders(): DemoContract[] {
  return Object.entries(ORDERS).map(([name, { customer }], place) => ({
    key: keyOf(name),
    plan: 'dynamisch',
    customer: person(...customer),
    address: { street: 'Brunnenstraße', house_number: String(place + 1) },
    meter: { number: meterNumber(1, place), type: 'analog', estimated_usage: 2400 + 100 * place },
    more: { product_orders: [{ type: 'smart-meter' }] },
  }));
}

/** `contracts`: their ids by their keys. An order that has moved stays where it is. */
export async function ensureOrdersMoved(
  { database, clock, organization, today, act }: OrderParts,
  contracts: ReadonlyMap<string, { id: string }>,
): Promise<void> {
  const orders = await newestMeterOrders(database, organization, { internal_status: 'waiting' }, 100);
  const waiting = new Map(orders.map(({ id, subscription_id }) => [subscription_id, id]));
  for (const [place, [name, { reported }]] of Object.entries(ORDERS).entries()) {
    const order = waiting.get(contracts.get(keyOf(name))?.id ?? '');
    if (order === undefined) continue;
    let isMounted = false;
    for (const to of reported) {
      const mounts: boolean = !isMounted && MOUNTED.has(to);
      const move: MeterOrderMove = {
        to,
        ...(to === 'installation_scheduled' && { appointment_at: `${addDays(today, 9)}T09:00:00.000Z` }),
        ...(mounts && { mounted: { number: meterNumber(2, place) } }),
      };
      isMounted ||= mounts;
      await moveMeterOrder({ database, clock, installSmartMeter }, organization, order, move, act);
    }
  }
}

const MOUNTED: ReadonlySet<Move> = new Set(['installation_finished', 'installed', 'activated']);
