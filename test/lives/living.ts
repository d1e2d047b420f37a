import { expect } from 'vitest';
import {
  addDays,
  addMonths,
  berlinDayOf,
  berlinDays,
  berlinMidnight,
  earlier,
  firstOfMonth,
  firstOfMonthFrom,
  later,
} from '../../src/platform/time/berlin-calendar.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import { type Contract, quarterHours } from '../contracts/usage/metered.ts';
import type { Answer } from '../setup/client.ts';
import { createPlan } from '../setup/record-factories.ts';
import { planFile } from '../tariffs/plans/plan-file.ts';
import { isBilledRight } from './at-once.ts';
import { Counted, instantOf, type Span, spanOf } from './counted.ts';
import { allPages, type BackOffice } from './doors.ts';
import { type Act, FEED_IN_FIRST, FIRST, isMeasured, type Life, OPEN_AFTER_END } from './life.ts';
import type { Person } from './person.ts';

/** Customers say so early who think of it. */
const TOLD_BEFORE_END = 45;
/** What is asked for at least a month and a day before is never too late. */
const NOTICE_DAYS = 33;
const SECOND_CONTRACT_DAYS = 50;
/** So many days of feed-in are over when the register of plants says another size. */
const SIZED_AFTER = 45;
/** Of a quarter hour that nobody measured in time. */
const MADE_UP_KWH = 0.01;

const MODULE_1 = 'enwg-14a-module-1';
/** Never on days of one of the others. */
const MODULE_2 = 'enwg-14a-module-2';
const MODULE_3 = 'enwg-14a-module-3';
type ModuleType = typeof MODULE_1 | typeof MODULE_2 | typeof MODULE_3;

/** A contract as it goes on, and what was said of it so far. */
export class Living {
  readonly #billed: Billed;
  readonly #office: BackOffice;
  readonly life: Life;
  readonly person: Person;
  readonly first: string;
  /** As it is wished for; then as the service says. */
  end: string;
  /** What a smart meter counted; no model knows how the usage of others is spread over their days. */
  readonly counted: Counted | null;
  /** The contract under which this household sells what its roof makes. */
  feedIn: Living | null = null;
  /** The contract by which the same household is supplied, of one for feed-in. */
  readonly #supplied: Living | null;
  #contract: Contract | null = null;
  #plan = { id: '', slug: '' };
  #state: 'signed up' | 'confirmed' | 'terminated' = 'signed up';
  #suppliedUntil: string;
  /** As the register of plants says, of a contract for feed-in. */
  plantKw = 0;
  #isSized = false;
  readonly #prices: { from: string; fee: number }[] = [{ from: '', fee: 5 }];
  #readings: { on: string; kwh: number }[] = [];
  #register = 1;
  /** What was right of the newest exchange, where it was entered wrongly. */
  #mistyped: { on: string; closing: number } | null = null;
  /** That hold, the latest at the end. */
  readonly #modules: { type: ModuleType; id: string; from: string }[] = [];
  readonly #freeFrom = new Map<ModuleType, string>();

  constructor(
    billed: Billed,
    office: BackOffice,
    life: Life,
    person: Person,
    first = addDays(FIRST, life.startsIn),
    supplied: Living | null = null,
  ) {
    this.#billed = billed;
    this.#office = office;
    this.life = life;
    this.person = person;
    this.first = first;
    this.end = addDays(first, life.livesFor);
    if (supplied !== null) this.end = firstOfMonthFrom(this.end);
    this.counted = life.meter === 'smart' ? new Counted() : null;
    this.#supplied = supplied;
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
    const plan =
      this.#supplied === null
        ? { terms }
        : { type: 'feed_in' as const, terms: [feedInTerms(this.life.sale)] };
    this.#plan = await createPlan(api.deps, organization, plan);
    const { id, customer, household, address, meter } = await this.#post('/subscriptions', {
      plan: this.#plan.id,
      next_possible_start: true,
      product_orders: this.#supplied === null ? [{ type: '14a_enwg', '14a_enwg': this.#ordered() }] : [],
      ...this.person.signUp(this.life, { isOfSamePlace: this.#supplied !== null }),
    });
    this.person.id = String(customer);
    const place = { customer: this.person.id, household: String(household), address: String(address) };
    this.#contract = { id: String(id), meter: String(meter), place };
    if (this.#supplied !== null) expect(place.household).toBe(this.#supplied.contract.place.household);
  }

  #ordered() {
    const { orders, meter } = this.life;
    const [module_2, isThree] = [orders === 'module 2', orders === 'modules 1 and 3'];
    return { module_1: orders === 'module 1' || isThree, module_2, module_3: isThree && meter === 'smart' };
  }

  /** Where there is a roof: from the first possible day on, and to the first of a month. */
  async signUpFeedIn(): Promise<Living | null> {
    if (!isMeasured(this.life) || this.life.connection !== 'feeds_in') return null;
    const life: Life = { ...this.life, ending: 'moves_out', instalment: null, acts: [] };
    this.feedIn = new Living(this.#billed, this.#office, life, this.person, FEED_IN_FIRST, this);
    await this.feedIn.signUp();
    return this.feedIn;
  }

  /** What comes with the days: messages of the market, energy, and the end. A move makes another contract. */
  async pass(today: string): Promise<Living | null> {
    if (this.#state === 'signed up' && !this.isNeverSupplied) await this.#confirmOn(today);
    if (this.#state === 'signed up') return null;
    const isToldToEnd = this.#state === 'confirmed' && today >= addDays(this.end, -TOLD_BEFORE_END);
    if (isToldToEnd) await this.#terminate(today);
    await this.#correctExchange(today);
    await this.#bringEnergy(today);
    if (this.#supplied !== null) await this.#resize(this.#supplied, today);
    return isToldToEnd && this.life.ending === 'moves' ? await this.#move() : null;
  }

  async #confirmOn(today: string): Promise<void> {
    if (this.life.ending === 'calls_back' && (await this.#withdraws())) return;
    const { confirmedAfter } = this.life;
    if (confirmedAfter !== null && today < addDays(this.first, confirmedAfter)) return;
    await this.#office.change('subscriptions', 'confirm', this.contract.id, '--start-on', this.first);
    this.#state = 'confirmed';
    if (this.#supplied !== null) await this.#plant('5');
    if (this.life.ending === 'withdraws') await this.#withdraws();
    await this.#acceptOrdered();
    if (this.life.instalment !== null && !this.isNeverSupplied)
      await this.#paysInAdvance(this.life.instalment, today);
  }

  /** None where he withdrew. */
  async #acceptOrdered(): Promise<void> {
    if (this.isNeverSupplied) return;
    const path = `/grid-fee-reductions?filter[subscription][eq]=${this.contract.id}`;
    const ordered = await allPages<{ id: string; type: ModuleType }>(await this.#billed.client(), path);
    for (const { id, type } of ordered.toSorted((left, right) => (left.type < right.type ? -1 : 1))) {
      await this.#office.change('grid-fee-reductions', 'accept', id, '--valid-from', this.first);
      this.#modules.push({ type, id, from: this.first });
    }
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
    const noticed = addDays(today, NOTICE_DAYS);
    const latest = this.#supplied === null ? noticed : firstOfMonthFrom(noticed);
    expect(this.end > wished && this.end <= latest, `${this.end} for ${wished}`).toBe(true);
  }

  async #terminateBy(body: Record<string, unknown>): Promise<Answer> {
    return (await this.#billed.client()).post(`/subscriptions/${this.contract.id}/terminate`, body);
  }

  #endsAt({ status, text, body }: Answer): void {
    expect(status, text).toBe(200);
    this.end = berlinDayOf(String(body.intended_end_at));
    this.#state = 'terminated';
  }

  /** Another size may be another rate for what is fed in, and another fee for the metering of what is used. */
  async #plant(kw: string): Promise<void> {
    this.plantKw = Number(kw);
    const plant = ['--commissioned-on', this.life.plantSince, '--size-kw', kw];
    await this.#office.change('subscriptions', 'set-plant', this.contract.id, ...plant);
  }

  async #move(): Promise<Living> {
    const life: Life = { ...this.life, ending: 'moves_out', confirmedAfter: null, connection: 'unmeasured' };
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

  /** Quarter hours of the days that are over, or the reading of the first day. What a household measures, its gateway sends. */
  async #bringEnergy(today: string): Promise<void> {
    const until = earlier(today, this.end);
    if (isMeasured(this.life)) await this.#fillGaps(earlier(this.end, addMonths(firstOfMonth(today), -1)));
    if (until <= this.#suppliedUntil) return;
    if (this.life.meter === 'analog' && this.#suppliedUntil === this.first)
      await this.#read(this.first, 1_000);
    if (this.life.meter === 'smart' && !isMeasured(this.life))
      await this.#importUsage([spanOf(this.#suppliedUntil, until)], this.life.perDay / 96);
    this.#suppliedUntil = until;
  }

  /** What the household sent too late counts no more. A month after its bill was due the metering operator says something. */
  async #fillGaps(until: string): Promise<void> {
    const gaps = this.counted?.gaps(this.first, until) ?? [];
    if (gaps.length > 0) await this.#importUsage(gaps, MADE_UP_KWH);
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
    if (what === 'accept' && today < this.end) await this.#accept(day, amount);
    if (what === 'end') await this.#endModule(day, today);
    if (what === 'exchange') await this.#exchange(day, amount);
    if (what === 'price') await this.#price(addDays(today, -daysBefore), amount);
  }

  async #energy(day: string, amount: number): Promise<void> {
    if (this.life.meter === 'smart') {
      await this.#importUsage([spanOf(day, addDays(day, 1))], amount / 100);
      return;
    }
    const before = this.#readings.findLast(({ on }) => on < day);
    const behind = this.#readings.find(({ on }) => on >= day);
    if (before === undefined || behind?.on === day) return;
    const more = behind === undefined ? this.#used(before.on, day) * 2 : behind.kwh - before.kwh;
    /* A device that was mounted a few days ago may show nothing yet: such a reading is none. */
    await this.#read(day, Math.max(1, before.kwh + Math.round((more * amount) / 40)));
  }

  /** As the metering operator sends it. */
  async #importUsage(spans: readonly Span[], kwh: number): Promise<void> {
    const value = Number(kwh.toFixed(6));
    const lines = spans.flatMap((span) => quarterHours(instantOf(span.from), instantOf(span.until), value));
    const file = await this.#office.file('usage.csv', ['start,kwh', ...lines, ''].join('\n'));
    await this.#office.run('usage', 'import', file, '--subscription', this.contract.id);
    for (const span of spans) this.counted?.operatorSays(span, value);
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
    if (this.life.meter === 'smart' || last === undefined || day <= last.on || this.#mistyped !== null)
      return;
    const closing = last.kwh + Math.round((this.#used(last.on, day) * amount) / 20);
    const device = ['--on', day, '--number', `${this.person.word}N${this.#register}`];
    if (amount % 3 === 0) this.#mistyped = { on: later(addDays(last.on, 1), addDays(day, -2)), closing };
    const values = ['--closing', `${closing + (amount % 3 === 0 ? 9 : 0)}`, '--opening', '0'];
    await this.#office.change('meters', 'exchange', this.contract.meter, ...device, ...values);
    this.#register += 1;
    this.#readings = [{ on: day, kwh: 0 }];
  }

  async #correctExchange(today: string): Promise<void> {
    if (this.#mistyped === null || today > addDays(this.end, OPEN_AFTER_END)) return;
    const { on, closing } = this.#mistyped;
    const right = ['--on', on, '--closing', `${closing}`];
    await this.#office.change('meters', 'correct-exchange', this.contract.meter, ...right);
    this.#readings = this.#readings.map((reading, index) => (index === 0 ? { ...reading, on } : reading));
    this.#mistyped = null;
  }

  /** Module 2; or module 1, and beside it, by a smart meter, module 3: mostly together. */
  async #accept(day: string, amount: number): Promise<void> {
    const isFirst = this.#modules.length === 0;
    if (isFirst) await this.#acceptModule(amount % 5 === 0 ? MODULE_2 : MODULE_1, day);
    const [first, second] = this.#modules;
    if (first?.type !== MODULE_1 || second !== undefined || this.life.meter === 'analog') return;
    if (day >= first.from && (!isFirst || amount % 4 > 0)) await this.#acceptModule(MODULE_3, day);
  }

  async #acceptModule(type: ModuleType, day: string): Promise<void> {
    const excluding = [...this.#freeFrom].filter(
      ([ended]) => ended === type || (ended === MODULE_2) !== (type === MODULE_2),
    );
    if (excluding.some(([, until]) => day < until)) return;
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

  /** Said late, as long as the bills of both contracts of the household may still be corrected. */
  async #resize(supplied: Living, today: string): Promise<void> {
    const open = addDays(earlier(this.end, supplied.end), OPEN_AFTER_END);
    if (this.#isSized || today < addDays(this.first, SIZED_AFTER) || today > open) return;
    await this.#plant(String(4 + this.life.startsIn / 4));
    this.#isSized = true;
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

  async isBilledRight(): Promise<void> {
    await isBilledRight(this.#billed, this);
  }
}

const feedInTerms = (feed_in_kind: Life['sale']) => ({
  ...{ base_fee_net: '2', feed_in_kind, feed_in_scope: 'partial' as const, feed_in_up_to_kw: 10 },
  ...{ feed_in_ct_net: null, feed_in_margin_ct_net: feed_in_kind === 'direct' ? '0.5' : null },
});
const refusal = (code: string) => [409, expect.stringContaining(code)];
