import { startApi, type TestApi } from '../setup/api.ts';
import { fakeClock } from '../setup/clock.ts';
import {
  createAsset,
  createHousehold,
  createLead,
  createMarketPartner,
  createPlan,
  createSubscription,
  createTenant,
} from '../setup/factories.ts';
import { insertReferenceRows } from '../setup/reference-rows.ts';
import { storedRows } from '../setup/stored-rows.ts';

/** Every quarter hour like every other: what usage of analog meters is spread by. */
const FLAT_PROFILE = `
  INSERT INTO load_profiles (profile, month, day_type, quarter_hour, kwh, valid_from, source)
  SELECT 'h25', month, day_type, quarter_hour, 1, '2021-01-01', 'tests'
    FROM generate_series(1, 12) AS month, unnest(ARRAY['WT', 'SA', 'FT']) AS day_type,
         generate_series(0, 95) AS quarter_hour
  ON CONFLICT DO NOTHING`;

const NOW = '2026-10-05T08:40:12.345Z';

/** One organization that has everything that routes ask for. */
export interface World {
  api: TestApi;
  token: string;
  customer: string;
  household: string;
  plan: string;
  /** Under supply since a month, with an analog meter. */
  subscription: string;
  lead: string;
  asset: string;
  externalId: string;
  /** May be taken out of use. */
  spareAsset: string;
  /** A contract that was not terminated before. */
  ending(): string;
  newSubscription(): Record<string, unknown>;
  newReading(): Record<string, unknown>;
  newAsset(): Record<string, unknown>;
  newSnapshots(): Record<string, unknown>;
}

export async function startWorld(): Promise<World> {
  const clock = fakeClock(NOW);
  const api = await startApi({ clock });
  await insertReferenceRows(api);
  await storedRows(api, FLAT_PROFILE);
  const { organization, token } = await createTenant(api);
  const supplier = await createMarketPartner(api.deps, { name: 'Stadtwerke Musterstadt' });
  const plan = (await createPlan(api.deps, organization)).id;
  const place = await createHousehold(api.deps, organization);
  const contract = { plan_id: plan, supplier_id: supplier.id, status: 'active' } as const;
  const { id: subscription } = await createSubscription(api.deps, organization, place, contract);
  const elsewhere = await createHousehold(api.deps, organization);
  const { id: ending } = await createSubscription(api.deps, organization, elsewhere, contract);
  const lead = (await createLead(api.deps, organization, { plan_id: plan })).id;
  const wallbox = { type: 'wallbox' } as const;
  const [asset, spare] = [
    await createAsset(api.deps, organization, place, wallbox),
    await createAsset(api.deps, organization, place, wallbox),
  ];
  let number = 0;
  const next = () => {
    number += 1;
    return number;
  };
  return {
    api,
    token,
    ...place,
    plan,
    subscription,
    lead,
    asset: asset.id,
    externalId: asset.external_id ?? '',
    spareAsset: spare.id,
    ending: () => ending,
    newSubscription: () => ({
      plan,
      customer: {
        type: 'person',
        first_name: 'Jule',
        last_name: 'Brandt',
        email: `jule.${next()}@example.org`,
      },
      address: { street: 'Gänsemarkt', house_number: '12a', zip: '20354', city: 'Hamburg' },
      meter: { number: `1EMH00${next()}`, type: 'analog', estimated_usage: 2500 },
      payment_method: {
        type: 'sepa_debit',
        sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' },
      },
      next_possible_start: true,
    }),
    newReading: () => ({ value: 1000 + 10 * number, timestamp: `2026-09-${10 + next()}T10:00:00Z` }),
    newAsset: () => ({
      household: place.household,
      type: 'wallbox',
      external_id: `new-${next()}`,
      wallbox: { max_power_kw: 11 },
    }),
    newSnapshots: () => ({
      household: place.household,
      snapshots: [{ asset: asset.id, timestamp: '2026-10-05T08:40:00Z', power_kw: 3.5 }],
    }),
  };
}
