import { expect } from 'vitest';
import { basesOf } from '../../src/billing/invoices/basis/basis.ts';
import { contractsOf } from '../../src/billing/invoices/basis/contracts.ts';
import { chargesOf } from '../../src/billing/invoices/calculate/draft.ts';
import { BillingRefused } from '../../src/billing/invoices/refusal.ts';
import {
  addDays,
  berlinDayOf,
  berlinDays,
  berlinMidnight,
  later,
} from '../../src/platform/time/berlin-calendar.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import { type Contract, quarterHours } from '../contracts/usage/metered.ts';
import type { Answer } from '../setup/client.ts';
import { createPlan } from '../setup/record-factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { planFile } from '../tariffs/plans/plan-file.ts';
import type { BackOffice } from './doors.ts';
import { type Act, FIRST, type Life, OPEN_AFTER_END } from './life.ts';
import type { Person } from './person.ts';

/** Customers say so early who think of it. */
const TOLD_BEFORE_END = 45;
/** What is asked for at least a month and a day before is never too late. */
const NOTICE_DAYS = 33;
const SECOND_CONTRACT_DAYS = 50;

const MODULE_1 = 'enwg-14a-module-1';
const MODULE_3 = 'enwg-14a-module-3';
type ModuleType = typeof MODULE_1 | typeof MODULE_3;

/** A contract as it goes on, and what was said of it so far. */
export class Living {
  readonly #billed: Billed;
  readonly #office: BackOffice;
  readonly life: Life;
  readonly person: Person;
  readonly first: string;
  /** As it is wished for; then as the service says. */
  end: string;
  #contract: Contract | null = null;
  #plan = { id: '', slug: '' };
  #state: 'signed up' | 'confirmed' | 'terminated' = 'signed up';
  #suppliedUntil: string;
  readonly #prices: { from: string; fee: number }[] = [{ from: '', fee: 5 }];
  #readings: { on: string; kwh: number }[] = [];
  #register = 1;
  /** That hold, the latest at the end. */
  readonly #modules: { type: ModuleType; id: string; from: string }[] = [];
  readonly #freeFrom = new Map<ModuleType, string>();

  constructor(
    billed: Billed,
    office: BackOffice,
    life: Life,
    person: Person,
    first = addDays(FIRST, life.startsIn),
  ) {
    this.#billed = billed;
    this.#office = office;
    this.life = life;
    this.person = person;
    this.first = first;
    this.end = addDays(first, life.livesFor);
    this.#suppliedUntil = first;
  }

  /** None before it was signed up. */
  get id(): string {
    return this.#contract?.id ?? 'not signed up';
  }

  get contract(): Contract {
    if (this.#contract === null) throw new Error('It was not signed up');
    return this.#contract;
  }

  /** Called back, or withdrawn from before it began. */
  get isNeverSupplied(): boolean {
    return this.end <= this.first;
  }

  /** As a partner does it. */
  async signUp(): Promise<void> {
    const { api, organization } = this.#billed;
    const modules = { sells_module_1: true, sells_module_2: true, sells_module_3: true };
    const discount = { discount_amount_off: '2', discount_duration: 'recurring' } as const;
    const terms = [{ ...modules, ...discount, discount_name: 'Start', discount_duration_in_months: 3 }];
    this.#plan = await createPlan(api.deps, organization, { terms });
    const { id, customer, household, address, meter } = await this.#post('/subscriptions', {
      plan: this.#plan.id,
      next_possible_start: true,
      ...this.person.signUp(this.life),
    });
    this.person.id = String(customer);
    const place = { customer: this.person.id, household: String(household), address: String(address) };
    this.#contract = { id: String(id), meter: String(meter), place };
  }

  /** What comes with the days: messages of the market, energy, and the end. A move makes another contract. */
  async pass(today: string): Promise<Living | null> {
    if (this.#state === 'signed up' && !this.isNeverSupplied) await this.#confirmOn(today);
    if (this.#state === 'signed up') return null;
    const isToldToEnd = this.#state === 'confirmed' && today >= addDays(this.end, -TOLD_BEFORE_END);
    if (isToldToEnd) await this.#terminate(today);
    await this.#bringEnergy(today);
    return isToldToEnd && this.life.ending === 'moves' ? await this.#move() : null;
  }

  async #confirmOn(today: string): Promise<void> {
    if (this.life.ending === 'calls_back' && (await this.#withdraws())) return;
    const { confirmedAfter } = this.life;
    if (confirmedAfter !== null && today < addDays(this.first, confirmedAfter)) return;
    await this.#office.change('subscriptions', 'confirm', this.contract.id, '--start-on', this.first);
    this.#state = 'confirmed';
    if (this.life.ending === 'withdraws') await this.#withdraws();
    if (this.life.instalment !== null && !this.isNeverSupplied)
      await this.#paysInAdvance(this.life.instalment, today);
  }

  /** A company has no right to, once the contract is confirmed or before. */
  async #withdraws(): Promise<boolean> {
    const answer = await this.#terminateBy({ reason: 'WITHDRAWAL' });
    const isAllowed = this.life.customer === 'person';
    if (isAllowed) this.#endsAt(answer);
    else expect([answer.status, answer.text]).toEqual(refusal('withdrawal_not_allowed'));
    return isAllowed;
  }

  async #terminate(today: string): Promise<void> {
    const reason = this.life.ending === 'moves_out' || this.life.ending === 'moves' ? 'MOVE_OUT' : 'ORDINARY';
    const answer = await this.#terminateBy({ reason, intended_end_at: berlinMidnight(this.end) });
    if (answer.status === 200) {
      expect(berlinDayOf(String(answer.body.intended_end_at))).toBe(this.end);
      this.#endsAt(answer);
      return;
    }
    expect([answer.status, answer.text]).toEqual(refusal('invalid_termination_date'));
    const wished = this.end;
    this.#endsAt(await this.#terminateBy({ reason: 'ORDINARY' }));
    expect(this.end > wished && this.end <= addDays(today, NOTICE_DAYS)).toBe(true);
  }

  async #terminateBy(body: Record<string, unknown>): Promise<Answer> {
    return (await this.#billed.client()).post(`/subscriptions/${this.contract.id}/terminate`, body);
  }

  #endsAt({ status, text, body }: Answer): void {
    expect(status, text).toBe(200);
    this.end = berlinDayOf(String(body.intended_end_at));
    this.#state = 'terminated';
  }

  async #move(): Promise<Living> {
    const life = { ...this.life, ending: 'moves_out', confirmedAfter: null } as const;
    const first = addDays(this.end, this.life.startsIn % 20);
    const next = new Living(
      this.#billed,
      this.#office,
      { ...life, livesFor: SECOND_CONTRACT_DAYS },
      this.person,
      first,
    );
    await next.signUp();
    return next;
  }

  /** From the first month on that is not over. */
  async #paysInAdvance(instalment: number, today: string): Promise<void> {
    const month = later(this.first, today).slice(0, 7);
    const terms = ['advance', '--from', month, '--instalment', `${instalment}`];
    await this.#office.change('invoices', 'mode', this.contract.id, ...terms);
  }

  /** Quarter hours of the days that are over, or the reading of the first day. */
  async #bringEnergy(today: string): Promise<void> {
    const until = [today, this.end].sort()[0] ?? today;
    if (until <= this.#suppliedUntil) return;
    if (this.life.meter === 'smart')
      await this.#importUsage(this.#suppliedUntil, until, this.life.perDay / 96);
    else if (this.#suppliedUntil === this.first) await this.#read(this.first, 1_000);
    this.#suppliedUntil = until;
  }

  async #post(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>> {
    const answer = await (await this.#billed.client()).post(path, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  }

  /** Does what is possible on the day; what is not is left out. */
  async act({ what, daysBefore, amount }: Act, today: string): Promise<void> {
    if (this.#suppliedUntil === this.first || today > addDays(this.end, OPEN_AFTER_END)) return;
    const last = this.end < today ? this.end : today;
    const target = addDays(today, -Math.max(1, daysBefore));
    const day = [this.first, target, addDays(last, -1)].sort()[1] ?? target;
    if (what === 'energy') await this.#energy(day, amount);
    if (what === 'accept') await this.#accept(day, today);
    if (what === 'end') await this.#endModule(day, today);
    if (what === 'exchange') await this.#exchange(day, amount);
    if (what === 'price') await this.#price(addDays(today, -daysBefore), amount);
  }

  async #energy(day: string, amount: number): Promise<void> {
    if (this.life.meter === 'smart') {
      await this.#importUsage(day, addDays(day, 1), amount / 100);
      return;
    }
    const before = this.#readings.findLast(({ on }) => on < day);
    const behind = this.#readings.find(({ on }) => on >= day);
    if (before === undefined || behind?.on === day) return;
    const more = behind === undefined ? this.#used(before.on, day) * 2 : behind.kwh - before.kwh;
    await this.#read(day, before.kwh + Math.round((more * amount) / 40));
  }

  /** As the metering operator sends it. */
  async #importUsage(from: string, until: string, kwh: number): Promise<void> {
    const lines = quarterHours(berlinMidnight(from), berlinMidnight(until), Number(kwh.toFixed(6)));
    const file = await this.#office.file('usage.csv', ['start,kwh', ...lines, ''].join('\n'));
    await this.#office.run('usage', 'import', file, '--subscription', this.contract.id);
  }

  #used(from: string, until: string): number {
    return berlinDays(from, until).length * this.life.perDay;
  }

  async #read(on: string, kwh: number): Promise<void> {
    const reading = ['--date', on, '--value', `${kwh}`];
    await this.#office.run('meter-readings', 'add', this.contract.id, ...reading);
    this.#readings = [...this.#readings, { on, kwh }].sort((left, right) => (left.on < right.on ? -1 : 1));
  }

  async #exchange(day: string, amount: number): Promise<void> {
    const last = this.#readings.at(-1);
    if (this.life.meter === 'smart' || last === undefined || day <= last.on) return;
    const closing = last.kwh + Math.round((this.#used(last.on, day) * amount) / 20);
    const device = ['--on', day, '--number', `${this.person.word}N${this.#register}`];
    const values = ['--closing', `${closing}`, '--opening', '0'];
    await this.#office.change('meters', 'exchange', this.contract.meter, ...device, ...values);
    this.#register += 1;
    this.#readings = [{ on: day, kwh: 0 }];
  }

  /** Module 1, and beside it, by a smart meter, module 3. */
  async #accept(day: string, today: string): Promise<void> {
    const [first, second] = this.#modules;
    const type = first === undefined ? MODULE_1 : MODULE_3;
    const isPossible = first === undefined || (second === undefined && this.life.meter === 'smart');
    const earliest = later(first?.from ?? '', this.#freeFrom.get(type) ?? '');
    if (!isPossible || day < earliest || today >= this.end) return;
    const id = String(
      (await this.#post('/grid-fee-reductions', { subscription: this.contract.id, type })).id,
    );
    await this.#office.change('grid-fee-reductions', 'accept', id, '--valid-from', day);
    this.#modules.push({ type, id, from: day });
  }

  /** It ended with the contract at the latest; that it ended before is a correction then. */
  async #endModule(day: string, today: string): Promise<void> {
    const module = this.#modules.pop();
    if (module === undefined) return;
    const valid_until = later(day, module.from);
    const change = today < this.end ? 'end' : 'set-dates';
    await this.#office.change('grid-fee-reductions', change, module.id, '--valid-until', valid_until);
    this.#freeFrom.set(module.type, valid_until);
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
    const file = await this.#office.file('plans.csv', planFile(...rows));
    await this.#office.change('plans', 'import', file);
  }

  /** All of its documents come to what one bill over its whole life does; there is none where nothing was supplied. */
  async isBilledRight(): Promise<void> {
    expect(await this.#billed.refusals(this.contract)).toEqual([]);
    expect(await this.#inDocuments()).toEqual(this.isNeverSupplied ? {} : await this.#atOnce());
  }

  /** What one bill over the whole life comes to, EUR net by rate of VAT. */
  async #atOnce(): Promise<Record<string, number>> {
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
      return byRate(chargesOf(basis).sums.taxes);
    });
  }

  /** What all of its documents about what was used come to, in the same way. */
  async #inDocuments(): Promise<Record<string, number>> {
    const rows = await storedRows<{ rate: string; net: string }>(
      this.#billed.api,
      `SELECT l.vat_rate::text AS rate, sum(l.net)::text AS net FROM invoices AS i
         JOIN invoice_lines AS l ON l.organization_id = i.organization_id AND l.invoice_id = i.id
         LEFT JOIN invoices AS reversed ON reversed.organization_id = i.organization_id AND reversed.id = i.voids
        WHERE i.subscription_id = $1 AND coalesce(reversed.type, i.type) <> 'prepayment' GROUP BY 1`,
      [this.contract.id],
    );
    return byRate(rows);
  }
}

const refusal = (code: string) => [409, expect.stringContaining(code)];

/** Rates of which nothing is left are none. */
function byRate(sums: readonly { rate: string; net: string }[]): Record<string, number> {
  const left = sums.filter(({ net }) => Number(net) !== 0);
  return Object.fromEntries(left.map(({ rate, net }) => [Number(rate), Number(net)]));
}
