import { expect } from 'vitest';
import { confirmSubscription } from '../../src/contracts/subscriptions/back-office.ts';
import { Contracts } from '../contracts/subscriptions/contracts.ts';
import { LifecycleWorker } from '../contracts/subscriptions/lifecycle-worker.ts';
import type { Answer } from '../setup/client.ts';
import { createMarketPartner } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';

export type Json = Record<string, unknown>;

export const address = { street: 'Torstraße', house_number: '12a', zip: '10115', city: 'Berlin' };
export const person = { first_name: 'Jule', last_name: 'Brandt', email: 'jule.brandt@example.org' };
export const account = {
  type: 'sepa_debit',
  sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' },
};
export const meter = { number: '1EMH0087654321', type: 'analog', estimated_usage: 3600 };

/**
 * The years of one customer with one meter. Requests come by HTTP, the back office does what its command line does, and the
 * worker's job is run by a clock that is moved.
 */
export class ContractLife {
  readonly contracts: Contracts;
  /** What came into being so far, by name. */
  readonly ids: Record<string, string> = {};
  readonly #worker: LifecycleWorker;

  private constructor(contracts: Contracts) {
    this.contracts = contracts;
    this.#worker = new LifecycleWorker(contracts);
  }

  static async start(instant: string): Promise<ContractLife> {
    const contracts = await Contracts.start(instant, { referenceData: true, alone: true });
    const life = new ContractLife(contracts);
    await life.#worker.register();
    const terms = [{ sells_module_1: true, smart_meter_product: 'smart-meter-partner-b' as const }];
    life.ids.plan = (await contracts.plan({ terms })).id;
    life.ids.feedInPlan = (await contracts.plan({ type: 'feed_in' })).id;
    life.ids.supplier = (await createMarketPartner(contracts.api.deps)).id;
    return life;
  }

  named(name: string): string {
    const id = this.ids[name];
    if (id === undefined) throw new Error(`There is no ${name} yet`);
    return id;
  }

  async post(path: string, sent: Json): Promise<Json> {
    return bodyOf(await (await this.contracts.client()).post(path, sent));
  }

  async get(path: string, version?: string): Promise<Json> {
    return bodyOf(await (await this.contracts.client(version)).get(path));
  }

  async listed(path: string, version?: string): Promise<string[]> {
    return ((await this.get(path, version)).items as { id: string }[]).map(({ id }) => id);
  }

  /** The status of a refusal, and its codes with their fields. */
  async refused(path: string, sent: Json): Promise<unknown[]> {
    const { status, body } = await (await this.contracts.client()).post<{ errors?: Json[] }>(path, sent);
    return [status, ...(body.errors ?? []).map(({ code, field }) => `${code} ${field}`)];
  }

  /** A minute of the worker at this instant: the contracts of the household afterwards, oldest first. */
  async statusesAt(instant: string): Promise<string[]> {
    this.contracts.clock.set(instant);
    const runs = await this.#worker.tick();
    expect(runs.map((run) => (run as unknown[])[0])).toEqual(['done']);
    const path = `/subscriptions?filter[household][eq]=${this.named('household')}`;
    const items = (await this.get(path)).items as { type: string; status: string }[];
    return items.map(({ type, status }) => `${type} ${status}`).toReversed();
  }

  /** As `subscriptions confirm` does it. */
  confirm(name: string, start_on: string, locations: { melo?: string; malo?: string } = {}) {
    const { api, organization } = this.contracts;
    const confirmation = { start_on, ...locations };
    return confirmSubscription(api.deps, organization, this.named(name), confirmation, this.#act());
  }

  /** At noon of a day. */
  reading(name: string, value: number, day: string): Json {
    return { subscription: this.named(name), value, timestamp: `${day}T12:00:00+01:00` };
  }

  reductions(name: string) {
    return storedRows<{ type: string; status: string }>(
      this.contracts.api,
      'SELECT type, status FROM grid_fee_reductions WHERE subscription_id = $1',
      [this.named(name)],
    );
  }

  close(): Promise<void> {
    return this.contracts.close();
  }

  #act() {
    const now = this.contracts.clock.now().toISOString();
    return { staff: 'Back office', reason: 'message of the grid operator', command: 'test', now };
  }
}

/** Anything but 200 is a failure of the test. */
function bodyOf(answer: Answer): Json {
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
