import { expect } from 'vitest';
import { quarterHours } from '../contracts/usage/metered.ts';
import { payInFull } from '../setup/invoices.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { type Fleet, type Role, startFleet } from './billed-fleet.ts';
import { type RecomputedBill, recomputedBills, standingBills } from './recomputed-bills.ts';

type Readings = Readonly<Record<string, number>>;

interface Document {
  id: string;
  type: string;
  status: string;
  ledger_number: number;
  total: string;
}

/** A fleet whose months pass: what happens to it, and what it was billed. */
export class BillingYear {
  readonly #fleet: Fleet;
  /** Of the meter that is read. */
  #register = 1;

  private constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  static async start(): Promise<BillingYear> {
    return new BillingYear(await startFleet());
  }

  /** What the worker does in the morning of a day. */
  async morning(day: string): Promise<void> {
    this.#fleet.billed.clock.set(`${day}T05:30:00Z`);
    await this.#fleet.billed.bill();
  }

  /** The prepayment of the first day is asked for and paid; then the month before is settled and billed. */
  async passes(month: string, readings: Readings = {}): Promise<void> {
    await this.morning(`${month}-01`);
    await this.reads(readings);
    await this.#payPrepayments();
    await this.morning(`${month}-16`);
  }

  async reads(readings: Readings, type = 'grid_reading'): Promise<void> {
    await this.#fleet.billed.read(this.#fleet.contracts.analog, readings, type, this.#register);
  }

  /** Another device with another register, which both are read on that day. */
  async exchangesMeter(day: string, values: { old: number; new: number }): Promise<void> {
    const { api, organization, clock } = this.#fleet.billed;
    const { meter, place } = this.#fleet.contracts.analog;
    clock.set(`${day}T10:00:00Z`);
    await storedRows(
      api,
      `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, number, register)
       VALUES ($1, $2, $3, $4, '1EMH0099887766', 2)`,
      [organization, place.customer, meter, day],
    );
    await this.reads({ [day]: values.old });
    this.#register = 2;
    await this.reads({ [day]: values.new });
  }

  /** The metering operator sends other values of a day. */
  async replaces(role: Role, day: string, kwh: number): Promise<void> {
    const lines = quarterHours(`${day}T00:00:00Z`, `${day}T06:00:00Z`, kwh);
    await this.#fleet.billed.import(this.#fleet.contracts[role].id, lines);
  }

  async bills(role: Role): Promise<RecomputedBill[]> {
    const bills = await standingBills(this.#fleet.billed.api, this.#fleet.billed.organization);
    return bills.filter(({ subscription }) => subscription === this.#fleet.contracts[role].id);
  }

  async usage(role: Role, from: string): Promise<string | undefined> {
    return (await this.bills(role)).find((bill) => bill.from === from)?.usage;
  }

  lines(role: Role, kind: string): Promise<{ from: string; net: string; rate: string; quantity: string }[]> {
    return storedRows(
      this.#fleet.billed.api,
      `SELECT line.period_from::text AS "from", line.net::text, trim_scale(line.vat_rate)::text AS rate,
              (line.period_until - line.period_from)::text AS quantity
         FROM invoice_lines AS line JOIN invoices AS invoice ON invoice.id = line.invoice_id
        WHERE invoice.subscription_id = $1 AND line.kind = $2 AND invoice.type = 'usage' AND invoice.status <> 'voided'
        ORDER BY line.period_from`,
      [this.#fleet.contracts[role].id, kind],
    );
  }

  /** `2027-06-01 10`: first day and number of days of the lines of a month. */
  async days(role: Role, kind: string, month: string): Promise<string[]> {
    const lines = await this.lines(role, kind);
    return lines
      .filter(({ from }) => from.startsWith(month))
      .map(({ from, quantity }) => `${from} ${quantity}`);
  }

  /** The bills that stand are those that follow from the tables, to the cent and to the last period. */
  async expectRecomputed(until: string): Promise<void> {
    const { api, organization, bills } = this.#fleet.billed;
    const expected = await recomputedBills(api, organization, until);
    /* A year that is paid in advance is billed when it is over. */
    const { advance } = this.#fleet.contracts;
    const isDue = (bill: RecomputedBill) => bill.subscription !== advance.id || until === '2028-04-01';
    expect(this.#named(await standingBills(api, organization))).toEqual(this.#named(expected.filter(isDue)));
    expect((await bills()).length).toBeGreaterThan(0);
  }

  refusals() {
    return this.#fleet.billed.refusals();
  }

  /** Contract and first day of the bills that were reversed. */
  async voided(): Promise<string[]> {
    const rows = await storedRows<{ subscription: string; from: string }>(
      this.#fleet.billed.api,
      `SELECT subscription_id AS subscription, (period_start AT TIME ZONE 'Europe/Berlin')::date::text AS "from"
         FROM invoices WHERE status = 'voided'`,
    );
    return rows.map(({ subscription, from }) => `${this.#roleOf(subscription)} ${from}`).toSorted();
  }

  documents(): Promise<Document[]> {
    return storedRows(
      this.#fleet.billed.api,
      `SELECT id, type, status, ledger_number::int, total::text FROM invoices ORDER BY invoices.ledger_number`,
    );
  }

  /** Rows of price lists that bills name: how many, and those that are in no list. */
  async namedRows(): Promise<{ count: number; unknown: unknown[] }> {
    const { api } = this.#fleet.billed;
    const unknown = await storedRows(
      api,
      `SELECT reference_table, key, valid_from FROM billed_reference_rows
       EXCEPT (SELECT 'vat_rates', '', valid_from FROM vat_rates UNION ALL SELECT 'levies', code, valid_from FROM levies
               UNION ALL SELECT 'concession_fees', class, valid_from FROM concession_fees
               UNION ALL SELECT 'metering_fees', concat_ws(' ', metering_operator, "case"), valid_from FROM metering_fees
               UNION ALL SELECT 'grid_fees', operator, valid_from FROM grid_fees
               UNION ALL SELECT 'grid_fee_schedules', operator, valid_from FROM grid_fee_schedules
               UNION ALL SELECT 'zip_areas', zip || ' ' || operator, valid_from FROM zip_areas)`,
    );
    const all = await storedRows(api, 'SELECT FROM billed_reference_rows');
    return { count: all.length, unknown };
  }

  /** Of everything that was ever issued, reversals and prepayments included. */
  sumOfAll(): Promise<string> {
    return this.#sum('true');
  }

  /** Of the bills that stand, and of what was paid in advance. */
  sumOfStanding(): Promise<string> {
    return this.#sum(`type IN ('usage', 'prepayment') AND status <> 'voided'`);
  }

  close(): Promise<void> {
    return this.#fleet.billed.close();
  }

  async #payPrepayments(): Promise<void> {
    const { api, organization, clock } = this.#fleet.billed;
    const open = (await this.documents()).filter(
      ({ type, status }) => type === 'prepayment' && status === 'open',
    );
    for (const { id } of open) {
      await api.deps.database.inOrganization({ organization }, (connection) =>
        payInFull(connection, organization, id, clock),
      );
    }
  }

  async #sum(condition: string): Promise<string> {
    const text = `SELECT sum(total)::text AS sum FROM invoices WHERE ${condition}`;
    const [row] = await storedRows<{ sum: string }>(this.#fleet.billed.api, text);
    return row?.sum ?? '';
  }

  #named(bills: readonly RecomputedBill[]) {
    return bills
      .map(({ subscription, ...bill }) => ({ of: this.#roleOf(subscription), ...bill }))
      .toSorted((left, right) => (`${left.of} ${left.from}` < `${right.of} ${right.from}` ? -1 : 1));
  }

  #roleOf(subscription: string): string {
    const found = Object.entries(this.#fleet.contracts).find(([, { id }]) => id === subscription);
    return found?.[0] ?? subscription;
  }
}
