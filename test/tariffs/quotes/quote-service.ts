import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../../src/platform/log/logger.ts';
import { importPlans } from '../../../src/tariffs/plans/import.ts';
import { importReferenceData } from '../../../src/tariffs/reference-data/files/import.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createClient, createPlan, createTenant, tokenFor } from '../../setup/factories.ts';

/** Friday, 20 November 2026, ten in the morning in Germany. */
export const QUOTED_AT = '2026-11-20T09:00:00.000Z';
export const GAUSS = '2026-09-08.gauss';
export const CURIE = '2026-05-27.curie';
export const BEFORE_GAUSS = ['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison', CURIE] as const;

const demoPlans = fileURLToPath(new URL('../../../src/cli/demo/start/demo-plans.csv', import.meta.url));

export interface QuoteService {
  api: TestApi;
  clock: FakeClock;
  organization: string;
  /** Ids of the demo plans by their slugs. */
  plans: Readonly<Record<'dynamisch' | 'einspeisung' | 'basis-2024', string>>;
  client(version?: string): ApiClient;
  /** With a token of that instant: a token lives an hour. */
  at(instant: string): Promise<ApiClient>;
}

const act = { staff: 'tests', reason: 'test', command: 'test', now: QUOTED_AT };

/** The service with the project's own reference data and the plans of the demo, and no stored price. */
export async function startQuoteService(options: { log?: Logger } = {}): Promise<QuoteService> {
  const clock = fakeClock(QUOTED_AT);
  const api = await startApi({ clock, alone: true, referenceData: true, ...options });
  const { organization, token } = await createTenant(api);
  const file = { name: 'demo-plans.csv', bytes: await readFile(demoPlans) };
  const imported = await importPlans(api.deps.database, organization, file, act);
  const plans = Object.fromEntries(imported.map(({ slug, id }) => [slug, id])) as QuoteService['plans'];
  return {
    ...{ api, clock, organization, plans },
    client: (version = GAUSS) => api.client(token, { version }),
    at: async (instant) => {
      clock.set(instant);
      return api.client(await tokenFor(api, await createClient(api.deps, organization)), { version: GAUSS });
    },
  };
}

export async function importFolder(api: Pick<TestApi, 'deps'>, folder: string): Promise<void> {
  const { problems } = await importReferenceData(api.deps.database, { folder }, act);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
}

export interface ShownQuote {
  amount: number;
  discount?: Record<string, unknown>;
  components: {
    group: string;
    amount: number;
    quantity: number;
    quantity_unit: string;
    unit_amount: number;
    subcomponents: { subgroup: string; name: string; amount: number }[];
  }[];
}

/** One line for each row, each sum and the whole: `variable fee Beschaffung 0.02142`, `base 1 month × 5.95 = 5.95`. */
export function linesOf(quote: ShownQuote): string[] {
  const groups = quote.components.map(({ group, subcomponents, ...sum }) => [
    ...subcomponents.map(({ subgroup, name, amount }) => `${group} ${subgroup} ${name} ${amount}`),
    `${group} ${sum.quantity} ${sum.quantity_unit} × ${sum.unit_amount} = ${sum.amount}`,
  ]);
  return [...groups.flat(), `amount ${quote.amount}`];
}

export const quotePath = (plan: string, parameters: Record<string, unknown> = {}) =>
  `/plans/${plan}/quote?${new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]))}`;

/** Leipzig's operator publishes no prices by the clock; nobody is known at 99999. */
export const PLACES = { served: '45468', 'without schedule': '04109', unknown: '99999' } as const;

/** Plans by what they sell. */
export async function createSellingPlans({ api, organization, plans }: QuoteService) {
  const plan = async (terms: object) => (await createPlan(api.deps, organization, { terms: [terms] })).id;
  return {
    all: plans.dynamisch,
    none: await plan({}),
    module1: await plan({ sells_module_1: true }),
    module2: await plan({ sells_module_2: true }),
    'feed-in': plans.einspeisung,
  };
}
