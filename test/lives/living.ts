import { expect } from 'vitest';
import { basesOf } from '../../src/billing/invoices/basis/basis.ts';
import { contractsOf } from '../../src/billing/invoices/basis/contracts.ts';
import { chargesOf } from '../../src/billing/invoices/calculate/draft.ts';
import { BillingRefused } from '../../src/billing/invoices/refusal.ts';
import { acceptReduction, endReduction } from '../../src/contracts/grid-fee-reductions/move.ts';
import { exchangeMeter } from '../../src/contracts/meter-readings/exchange.ts';
import { addDays, berlinDays, berlinMidnight } from '../../src/platform/time/berlin-calendar.ts';
import { importPlans } from '../../src/tariffs/plans/import.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import { type Contract, quarterHours } from '../contracts/usage/metered.ts';
import { createPlan } from '../setup/record-factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { planFile } from '../tariffs/plans/plan-file.ts';
import { type Act, FIRST, type Life } from './life.ts';

/** Six weeks after the end nothing is issued any more. */
const OPEN_AFTER_END = 35;

/** A contract as it goes on, and what was said of it so far. */
export class Living {
  readonly #billed: Billed;
  readonly life: Life;
  readonly first: string;
  readonly end: string;
  #contract: Contract | null = null;
  #plan = { id: '', slug: '' };
  readonly #prices: { from: string; fee: number }[] = [{ from: '', fee: 5 }];
  #readings: { on: string; kwh: number }[] = [];
  #register = 1;
  #module: { id: string; from: string } | null = null;
  #freeFrom = '';

  constructor(billed: Billed, life: Life) {
    this.#billed = billed;
    this.life = life;
    this.first = addDays(FIRST, life.startsIn);
    this.end = addDays(this.first, life.livesFor);
  }

  get contract(): Contract {
    if (this.#contract === null) throw new Error('It was not begun');
    return this.#contract;
  }

  async begin(): Promise<void> {
    const { api, organization } = this.#billed;
    const modules = { sells_module_1: true, sells_module_2: true, sells_module_3: true };
    const discount = { discount_amount_off: '2', discount_duration: 'recurring' } as const;
    const terms = [{ ...modules, ...discount, discount_name: 'Start', discount_duration_in_months: 3 }];
    this.#plan = await createPlan(api.deps, organization, { terms });
    this.#contract = await this.#billed.contract({
      ...{ meter_type: this.life.meter, plan_id: this.#plan.id, status: 'active' },
      ...{ start_at: berlinMidnight(this.first), end_at: berlinMidnight(this.end) },
    });
    if (this.life.instalment !== null) await this.#paysInAdvance(this.life.instalment);
    if (this.life.meter === 'smart')
      await this.#billed.supply(this.contract, this.first, this.end, this.life.perDay / 96);
    else await this.#read(this.first, 1_000);
  }

  async #paysInAdvance(instalment: number): Promise<void> {
    const { api, organization } = this.#billed;
    await storedRows(
      api,
      `INSERT INTO billing_terms (organization_id, customer_id, subscription_id, valid_from, mode, instalment, basis)
       VALUES ($1, $2, $3, $4, 'advance', $5, 'forecast')`,
      [organization, this.contract.place.customer, this.contract.id, this.first, instalment],
    );
  }

  /** Does what is possible on the day; what is not is left out. */
  async act({ what, daysBefore, amount }: Act, today: string): Promise<void> {
    if (today <= this.first || today > addDays(this.end, OPEN_AFTER_END)) return;
    const last = this.end < today ? this.end : today;
    const target = addDays(today, -Math.max(1, daysBefore));
    const day = [this.first, target, addDays(last, -1)].sort()[1] ?? target;
    if (what === 'energy') await this.#energy(day, amount);
    if (what === 'accept') await this.#accept(day);
    if (what === 'end') await this.#endModule(day);
    if (what === 'exchange') await this.#exchange(day, amount);
    if (what === 'price') await this.#price(addDays(today, -daysBefore), amount);
  }

  async #energy(day: string, amount: number): Promise<void> {
    if (this.life.meter === 'smart') {
      const span = [berlinMidnight(day), berlinMidnight(addDays(day, 1))] as const;
      await this.#billed.import(this.contract.id, quarterHours(...span, amount / 100));
      return;
    }
    const before = this.#readings.findLast(({ on }) => on < day);
    const behind = this.#readings.find(({ on }) => on >= day);
    if (before === undefined || behind?.on === day) return;
    const more = behind === undefined ? this.#used(before.on, day) * 2 : behind.kwh - before.kwh;
    await this.#read(day, before.kwh + Math.round((more * amount) / 40));
  }

  #used(from: string, until: string): number {
    return berlinDays(from, until).length * this.life.perDay;
  }

  async #read(on: string, kwh: number): Promise<void> {
    await this.#billed.read(this.contract, { [on]: kwh }, 'grid_reading', this.#register);
    this.#readings = [...this.#readings, { on, kwh }].sort((left, right) => (left.on < right.on ? -1 : 1));
  }

  async #exchange(day: string, amount: number): Promise<void> {
    const last = this.#readings.at(-1);
    if (this.life.meter === 'smart' || last === undefined || day <= last.on) return;
    const closing = last.kwh + Math.round((this.#used(last.on, day) * amount) / 20);
    const { api, organization } = this.#billed;
    const device = { on: day, number: `NEW${this.#register}`, closing: String(closing), opening: '0' };
    await exchangeMeter(api.deps.database, organization, this.contract.meter, device, this.#staff());
    this.#register += 1;
    this.#readings = [{ on: day, kwh: 0 }];
  }

  async #accept(day: string): Promise<void> {
    if (this.#module !== null || day < this.#freeFrom) return;
    const body = { subscription: this.contract.id, type: 'enwg-14a-module-1' };
    const { organization, api } = this.#billed;
    const ordered = await (await this.#billed.client()).post<{ id: string }>('/grid-fee-reductions', body);
    expect(ordered.status).toBe(200);
    const { id } = ordered.body;
    await acceptReduction(api.deps, organization, id, { valid_from: day }, this.#staff());
    this.#module = { id, from: day };
  }

  async #endModule(day: string): Promise<void> {
    if (this.#module === null) return;
    const { id, from } = this.#module;
    const valid_until = day < from ? from : day;
    const { organization, api } = this.#billed;
    await endReduction(api.deps, organization, id, { valid_until }, this.#staff());
    this.#module = null;
    this.#freeFrom = valid_until;
  }

  /** Another base fee from a day on: entered late, or announced. */
  async #price(from: string, amount: number): Promise<void> {
    if (this.#prices.some((price) => price.from === from)) return;
    this.#prices.push({ from, fee: 4 + amount / 10 });
    this.#prices.sort((left, right) => (left.from < right.from ? -1 : 1));
    const rows = this.#prices.map(({ from: valid_from, fee }, index) => ({
      ...{ id: this.#plan.id, slug: this.#plan.slug, name: 'Strom Dynamisch', type: 'consumption' },
      ...{ base_fee_net: String(fee), margin_ct_net: '0', valid_from },
      valid_to: this.#prices[index + 1]?.from ?? '',
      ...{ sells_module_1: 'yes', sells_module_2: 'yes', sells_module_3: 'yes' },
      ...{ discount_name: 'Start', discount_amount_off: '2', discount_duration: 'recurring' },
      discount_duration_in_months: '3',
    }));
    const { api, organization } = this.#billed;
    const file = { name: 'plans.csv', bytes: Buffer.from(planFile(...rows)) };
    await importPlans(api.deps.database, organization, file, this.#staff());
  }

  #staff() {
    const now = this.#billed.clock.now().toISOString();
    return { staff: 'ada', reason: 'it came late', command: 'test', now };
  }

  /** What one bill over the whole life comes to, EUR net. */
  async atOnce(): Promise<string> {
    const { api, organization, clock } = this.#billed;
    const { id } = this.contract;
    return await api.deps.database.inOrganization({ organization }, async (connection) => {
      const contracts = await contractsOf(connection, organization, [{ id, from: this.first }]);
      const contract = contracts.get(id);
      if (contract === undefined) throw new Error('It is not there');
      const period = {
        ...{ type: 'usage' as const, number: 1, from: this.first, until: this.end, instalment: null },
        ...{ isFinal: true, isClosing: false },
      };
      const document = { contract, period, deducted: '0', earlierGridLines: [] };
      const options = { estimateGaps: false, nowMilliseconds: clock.nowMilliseconds() };
      const basis = (await basesOf(connection, organization, [document], options)).get(id);
      if (basis === undefined || basis instanceof BillingRefused) throw new Error(String(basis));
      return chargesOf(basis).sums.net;
    });
  }

  /** What all of its documents about what was used come to, EUR net. */
  async inDocuments(): Promise<string | undefined> {
    const [row] = await storedRows<{ net: string }>(
      this.#billed.api,
      `SELECT sum(i.net) AS net FROM invoices AS i
         LEFT JOIN invoices AS reversed ON reversed.organization_id = i.organization_id AND reversed.id = i.voids
        WHERE i.subscription_id = $1 AND coalesce(reversed.type, i.type) <> 'prepayment'`,
      [this.contract.id],
    );
    return row?.net;
  }
}
