import { newId } from '../../src/platform/ids.ts';
import type { TestApi } from '../setup/api.ts';
import { createLead, createPlan, createSubscription } from '../setup/factories.ts';

const STARTED_AT = '2026-10-31T23:00:00.000Z';
/** For as many readings as days. */
const SUPPLIED_SINCE = '1999-12-31T23:00:00.000Z';

/** What the contracts of a household consist of. */
export async function addRecords(
  api: TestApi,
  organization: string,
  place: { household: string; customer: string; address: string | null },
  unique: string,
) {
  const { deps } = api;
  const plan = await createPlan(deps, organization, { slug: `plan-${unique}` });
  const feedIn = await createPlan(deps, organization, { type: 'feed_in' });
  const common = { number: null, status: 'active', start_at: STARTED_AT, confirmed_at: STARTED_AT } as const;
  const meter_number = `1EMH${unique.toUpperCase()}`;
  const consumption = await createSubscription(deps, organization, place, {
    ...common,
    plan_id: plan.id,
    meter_number,
    meter_type: 'smart',
    metadata: JSON.stringify({ mark: `Consumption-${unique}` }),
  });
  const fed = await createSubscription(deps, organization, place, {
    ...common,
    plan_id: feedIn.id,
    type: 'feed_in',
    metadata: JSON.stringify({ mark: `Feed-in-${unique}` }),
  });
  const staff = `staff-${unique}@example.org`;
  const lead = await createLead(deps, organization, { plan_id: plan.id, created_by: staff });
  return {
    ids: {
      plan: plan.id,
      subscription: consumption.id,
      lead: lead.id,
      feed_in_plan: feedIn.id,
      meter_number,
    },
    plans: [plan.id, feedIn.id],
    subscriptions: [consumption.id, fed.id],
    private: [
      ...[plan.slug, feedIn.slug, lead.id, staff, `Consumption-${unique}`, `Feed-in-${unique}`],
      ...[consumption, fed].flatMap(({ plan: _, ...own }) => Object.values(own)),
    ],
  };
}

/** A contract for consumption with an analog meter, and two readings of it. */
export async function addMetered(
  { deps }: TestApi,
  organization: string,
  place: { household: string; customer: string; address: string | null },
  plan: string,
): Promise<{ id: string; readings: string[]; private: string[] }> {
  const { plan: _, ...own } = await createSubscription(deps, organization, place, {
    plan_id: plan,
    number: null,
    status: 'active',
    start_at: SUPPLIED_SINCE,
    confirmed_at: SUPPLIED_SINCE,
  });
  const readings = [newId('mr'), newId('mr')];
  const days = readings.map((id, index) => ({
    id,
    organization_id: organization,
    customer_id: place.customer,
    subscription_id: own.id,
    meter_id: own.meter,
    value: '1000',
    read_on: `2000-01-0${index + 1}`,
    type: 'customer_report' as const,
  }));
  await deps.database.inOrganization({ organization }, (connection) =>
    connection.insertInto('meter_readings').values(days).execute(),
  );
  return { id: own.id, readings, private: [...Object.values(own), ...readings] };
}
