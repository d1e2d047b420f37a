import type { Tables } from '../../../src/platform/database/tables.ts';
import { newId } from '../../../src/platform/ids.ts';
import { addDays, berlinMidnight, berlinMilliseconds } from '../../../src/platform/time/berlin-calendar.ts';
import { storeBody } from '../../../src/spot-prices/pull/import.ts';
import type { Answer, ApiClient } from '../../setup/client.ts';
import {
  createClient,
  createHousehold,
  createPlan,
  createSubscription,
  type TestHousehold,
  tokenFor,
} from '../../setup/factories.ts';
import { type PriceApi, takePriceApi } from '../../spot-prices/serve/price-api.ts';

export interface PricesBody {
  object: string;
  subscription: string;
  period: { start: string; end: string };
  currency: string;
  unit: string;
  resolution: string;
  reference: string;
  items: PriceItem[] | null;
}

export interface PriceItem {
  timestamp: string;
  amount: number | null;
  components: { type: string; amount: number | null }[];
}

type PlanInput = NonNullable<Parameters<typeof createPlan>[2]>;
type SubscriptionInput = NonNullable<Parameters<typeof createSubscription>[3]>;
type ModuleStatus = Tables['grid_fee_reductions']['status'];

interface ContractInput extends SubscriptionInput {
  zip?: string;
  terms?: PlanInput['terms'];
}

export interface PricedContract {
  id: string;
  plan: string;
  billing_address: string;
  place: TestHousehold;
}

export interface Priced extends Omit<PriceApi, 'tenant'> {
  organization: string;
  client(version?: string): Promise<ApiClient>;
  /** Supplied since 2024-01-01 Berlin, in Berlin (stromnetz-berlin, T4), with a margin of 1.80 ct. */
  contract(input?: ContractInput): Promise<PricedContract>;
  /** A reduction of its grid fee, in effect from the first day on. */
  reduce(contract: PricedContract, module: 1 | 2 | 3, from: string, input?: ReductionInput): Promise<void>;
  /** Prices of a day in EUR/MWh, in its own resolution; one for all intervals, or by the index of the interval. */
  store(day: string, price: string | ((index: number) => string)): Promise<void>;
  prices(
    contract: Pick<PricedContract, 'id'>,
    start: string,
    end?: string,
    headers?: Record<string, string>,
  ): Promise<Answer<PricesBody>>;
}

interface ReductionInput {
  status?: ModuleStatus;
  /** Berlin day, exclusive. */
  until?: string;
}

/** The service with the project's reference data. To be called at the top of a test file. */
export async function takePriced(instant: string): Promise<Priced> {
  const prices = await takePriceApi(instant, {}, { referenceData: true });
  const { api, parts } = prices;
  const { organization } = await prices.tenant();
  const credentials = await createClient(api.deps, organization);
  const client = async (version?: string) =>
    api.client(await tokenFor(api, credentials), version === undefined ? {} : { version });
  return {
    ...prices,
    organization,
    client,
    contract: async ({ zip = '10115', terms, ...input } = {}) => {
      const address = { street: 'Gänsemarkt', house_number: '12a', zip, city: 'Ort' };
      const place = await createHousehold(api.deps, organization, { address });
      const type = input.type ?? 'consumption';
      const ofPlan = terms ?? (type === 'consumption' ? [{ margin_ct_net: '1.80' }] : [{}]);
      const plan = await createPlan(api.deps, organization, { type, terms: ofPlan });
      const { id, billing_address } = await createSubscription(api.deps, organization, place, {
        status: 'active',
        start_at: berlinMidnight('2024-01-01'),
        confirmed_at: '2023-12-10T09:00:00Z',
        plan_id: plan.id,
        ...input,
      });
      return { id, plan: plan.id, billing_address, place };
    },
    reduce: async ({ id, place }, module, from, { status = 'activated', until } = {}) => {
      await api.deps.database.inOrganization({ organization }, (connection) =>
        connection
          .insertInto('grid_fee_reductions')
          .values({
            organization_id: organization,
            id: newId('gfr'),
            customer_id: place.customer,
            subscription_id: id,
            type: `enwg-14a-module-${module}`,
            status,
            valid_from: berlinMidnight(from),
            valid_until: until === undefined ? null : berlinMidnight(until),
          })
          .execute(),
      );
    },
    store: async (day, price) => {
      const step = (day < '2025-10-01' ? 60 : 15) * 60_000;
      const [begins, ends] = [berlinMilliseconds(day), berlinMilliseconds(addDays(day, 1))];
      const count = (ends - begins) / step;
      const starts = Array.from({ length: count }, (_, index) => (begins + index * step) / 1000);
      const amounts = starts.map((_, index) => (typeof price === 'string' ? price : price(index)));
      const text = `{"license_info":"CC BY 4.0","unix_seconds":[${starts.join()}],"price":[${amounts.join()}],"unit":"EUR / MWh","deprecated":false}`;
      const body = new TextEncoder().encode(text);
      const reports = await storeBody(parts, { source: 'energy-charts', body, name: 'test', days: [day] });
      if (!['complete', 'partial'].includes(reports[0]?.outcome ?? ''))
        throw new Error(JSON.stringify(reports));
    },
    prices: async ({ id }, start, end = start, headers = {}) =>
      (await client()).get<PricesBody>(`/subscriptions/${id}/prices?start=${start}&end=${end}`, { headers }),
  };
}

/** The amounts of one component, or of the items, as they were read. */
export function amounts({ body }: Answer<PricesBody>, type?: string): (number | null | undefined)[] {
  return (body.items ?? []).map(({ amount, components }) =>
    type === undefined ? amount : components.find((component) => component.type === type)?.amount,
  );
}

/** The different values in the order in which they come, with how often each comes in a row. */
export function runs(values: readonly (number | null | undefined)[]): string[] {
  const found: { value: number | null | undefined; count: number }[] = [];
  for (const value of values) {
    const last = found.at(-1);
    if (last !== undefined && last.value === value) last.count += 1;
    else found.push({ value, count: 1 });
  }
  return found.map(({ value, count }) => `${count} × ${value}`);
}
