import { newEmail, type Page, Visitor } from '../../identity/oauth/visitor.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import {
  createClient,
  createHousehold,
  createOrganization,
  createSubscription,
  type TestHousehold,
  tokenFor,
} from '../../setup/factories.ts';

type Contract = NonNullable<Parameters<typeof createSubscription>[3]>;

/** One organization, its customers, and the links that let them in. */
export class Portal {
  readonly api: TestApi;
  readonly clock: FakeClock;
  readonly organization: string;
  readonly #credentials: Awaited<ReturnType<typeof createClient>>;

  private constructor(
    api: TestApi,
    clock: FakeClock,
    organization: string,
    credentials: Awaited<ReturnType<typeof createClient>>,
  ) {
    this.api = api;
    this.clock = clock;
    this.organization = organization;
    this.#credentials = credentials;
  }

  static async start(environment?: Record<string, string>): Promise<Portal> {
    const clock = fakeClock('2026-11-20T10:00:00.000Z');
    const api = await startApi({ clock, alone: true, ...(environment && { environment }) });
    return await Portal.on(api, clock, await createOrganization(api.deps));
  }

  /** On a service that runs already. */
  static async on(api: TestApi, clock: FakeClock, organization: string): Promise<Portal> {
    return new Portal(api, clock, organization, await createClient(api.deps, organization));
  }

  get url(): string {
    return this.api.deps.config.portalUrl;
  }

  async client(version?: string): Promise<ApiClient> {
    const token = await tokenFor(this.api, this.#credentials);
    return this.api.client(token, version === undefined ? {} : { version });
  }

  /** A customer with these contracts. */
  async customer(...contracts: Contract[]): Promise<TestHousehold> {
    const household = await createHousehold(this.api.deps, this.organization, {
      customer: { type: 'person', first_name: 'Käthe', last_name: 'Voß <b>', email: newEmail() },
    });
    for (const contract of contracts) {
      await createSubscription(this.api.deps, this.organization, household, contract);
    }
    return household;
  }

  async link(customerId: string): Promise<string> {
    const { status, body } = await (await this.client()).post('/admin/magic_link', { customerId });
    if (status !== 200) throw new Error(`No link: ${status} ${JSON.stringify(body)}`);
    return String(body.link);
  }

  /** From the link to the page behind its button. */
  async enter(visitor: Visitor, link: string): Promise<Page> {
    const confirm = await visitor.open(link);
    const next = /name="next" value="([^"]*)"/.exec(confirm.text)?.[1] ?? '';
    return await visitor.submit(confirm, { next });
  }

  /** A browser in which the customer is signed in. */
  async signedIn(customer: string, language = 'de-DE'): Promise<Visitor> {
    const visitor = new Visitor(language);
    await this.enter(visitor, await this.link(customer));
    return visitor;
  }

  /** A page about one contract. */
  page(contract: string, name: string): string {
    return `${this.url}/overview/contracts/${contract}/${name}`;
  }

  close(): Promise<void> {
    return this.api.close();
  }
}

/** What a reader sees, without the marks around it. */
export const words = (html: string) =>
  html
    .slice(html.indexOf('<main>'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ');
