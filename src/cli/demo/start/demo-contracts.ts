import type { Termination } from '../../../contracts/subscriptions/schema.ts';
import { addDays, addMonths, type CalendarDay, later } from '../../../platform/time/berlin-calendar.ts';

/** A contract of the demo organization, and what the back office did with it. */
export interface DemoContract {
  /** Stands in its metadata: by it a later start finds it. */
  key: string;
  plan: 'dynamisch' | 'einspeisung';
  /** Absent: the demo household and its customer. */
  customer?: Record<string, string>;
  address: { street: string; house_number: string };
  meter: { number: string; type: 'smart' | 'analog'; estimated_usage: number };
  /** Comes from a lead, from another supplier, with products. */
  more?: { lead?: true; previous_supplier?: true; product_orders?: object[] };
  /** The answer of the grid operator: the first day of supply, or a refusal. Absent: none yet. */
  answered?: { start_on: CalendarDay } | 'rejected';
  terminated?: Termination['reason'];
  /** First day without supply, as corrected by the back office. */
  end_on?: CalendarDay;
}

/** Price lists of grids and levies that the project brings begin here: a bill of a day before is refused. */
const FIRST_PRICED: CalendarDay = '2026-01-01';

const SMART_METER = '1EMH0099000001';

/** One contract of every kind and in every status; days are counted from the day of the start. */
export function demoContracts(today: CalendarDay): DemoContract[] {
  const month = `${today.slice(0, 8)}01`;
  return [
    {
      key: 'demo-smart',
      plan: 'dynamisch',
      address: { street: 'Ackerstraße', house_number: '1' },
      meter: { number: SMART_METER, type: 'smart', estimated_usage: 4200 },
      answered: { start_on: addMonths(month, -3) },
    },
    {
      key: 'demo-feed-in',
      plan: 'einspeisung',
      address: { street: 'Ackerstraße', house_number: '1' },
      meter: { number: SMART_METER, type: 'smart', estimated_usage: 6500 },
      answered: { start_on: addMonths(month, -2) },
    },
    {
      key: 'demo-analog',
      plan: 'dynamisch',
      customer: person('Frieda', 'Ahrens'),
      address: { street: 'Invalidenstraße', house_number: '14' },
      meter: { number: '1EMH0099000002', type: 'analog', estimated_usage: 2600 },
      more: { previous_supplier: true },
      answered: { start_on: later(addMonths(month, -14), FIRST_PRICED) },
    },
    {
      key: 'demo-rejected',
      plan: 'dynamisch',
      customer: person('Ole', 'Brandt'),
      address: { street: 'Bergstraße', house_number: '3a' },
      meter: { number: '1EMH0099000003', type: 'analog', estimated_usage: 1900 },
      answered: 'rejected',
    },
    {
      key: 'demo-ended',
      plan: 'dynamisch',
      customer: person('Lena', 'Vogt'),
      address: { street: 'Chausseestraße', house_number: '88' },
      meter: { number: '1EMH0099000004', type: 'analog', estimated_usage: 3100 },
      answered: { start_on: addMonths(month, -9) },
      terminated: 'MOVE_OUT',
      end_on: addMonths(month, -1),
    },
    {
      key: 'demo-terminated',
      plan: 'dynamisch',
      customer: person('Hannes', 'Petersen'),
      address: { street: 'Torstraße', house_number: '120' },
      meter: { number: '1EMH0099000005', type: 'analog', estimated_usage: 2200 },
      answered: { start_on: addMonths(month, -6) },
      terminated: 'ORDINARY',
    },
    {
      key: 'demo-company',
      plan: 'dynamisch',
      customer: {
        ...person('Sabine', 'Sommer'),
        type: 'company',
        company_name: 'Bäckerei Sommer GmbH',
        vat_id: 'DE999999999',
      },
      address: { street: 'Gartenstraße', house_number: '5' },
      meter: { number: '1EMH0099000006', type: 'smart', estimated_usage: 28_000 },
      more: { product_orders: [{ type: '14a_enwg', '14a_enwg': { module_1: true, module_3: true } }] },
      answered: { start_on: addDays(today, 21) },
    },
    {
      key: 'demo-pending',
      plan: 'dynamisch',
      customer: person('Yusuf', 'Kaya'),
      address: { street: 'Linienstraße', house_number: '41' },
      meter: { number: '1EMH0099000007', type: 'analog', estimated_usage: 3500 },
      more: {
        lead: true,
        previous_supplier: true,
        product_orders: [{ type: 'smart-meter' }, { type: '14a_enwg', '14a_enwg': { module_1: true } }],
      },
    },
  ];
}

export function person(first_name: string, last_name: string): Record<string, string> {
  const email = `${first_name}.${last_name}@example.org`.toLowerCase();
  return { type: 'person', first_name, last_name, email };
}
