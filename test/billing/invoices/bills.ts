import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import {
  createHousehold,
  createSubscription,
  createTenant,
  type TestHousehold,
} from '../../setup/factories.ts';
import { createInvoice } from '../../setup/invoice-factories.ts';

type Input = Omit<Parameters<typeof createInvoice>[2], 'customer_id' | 'subscription_id'>;

export interface Payer {
  place: TestHousehold;
  consumption: string;
  feedIn: string;
}

/** One organization and its customers, each with a contract of both kinds, and whatever invoices a test gives them. */
export class Bills {
  readonly api: TestApi;
  readonly clock: FakeClock;
  readonly organization: string;
  readonly #token: string;

  private constructor(api: TestApi, clock: FakeClock, tenant: { organization: string; token: string }) {
    this.api = api;
    this.clock = clock;
    this.organization = tenant.organization;
    this.#token = tenant.token;
  }

  static async start(): Promise<Bills> {
    const clock = fakeClock('2026-11-21T16:05:00.000Z');
    const api = await startApi({ clock });
    return new Bills(api, clock, await createTenant(api));
  }

  client(version = '2026-09-08.gauss'): ApiClient {
    return this.api.client(this.#token, { version });
  }

  async payer(): Promise<Payer> {
    const { deps } = this.api;
    const place = await createHousehold(deps, this.organization);
    const contract = async (type: 'consumption' | 'feed_in') =>
      (await createSubscription(deps, this.organization, place, { type, status: 'active' })).id;
    return { place, consumption: await contract('consumption'), feedIn: await contract('feed_in') };
  }

  /** The id of a new invoice, a millisecond younger than the one before. */
  async issued(
    { place, consumption }: Payer,
    input: Input = {},
    subscription = consumption,
  ): Promise<string> {
    this.clock.advance(1);
    const of = { customer_id: place.customer, subscription_id: subscription };
    return (await createInvoice(this.api.deps, this.organization, { ...of, ...input })).id;
  }

  /** One of every type and state, and a credit for feed-in. */
  async oneOfEach(payer: Payer) {
    const voided = await this.issued(payer, { status: 'voided' });
    return {
      voided,
      reversal: await this.issued(payer, { type: 'void', voids: voided, total: '-119' }),
      usage: await this.issued(payer, { status: 'paid' }),
      prepayment: await this.issued(payer, { type: 'prepayment' }),
      uncollectible: await this.issued(payer, { status: 'uncollectible' }),
      exitSummary: await this.issued(payer, { type: 'exit_summary', total: '-7.5' }),
      credit: await this.issued(payer, { total: '-80.25' }, payer.feedIn),
    };
  }

  close(): Promise<void> {
    return this.api.close();
  }
}
