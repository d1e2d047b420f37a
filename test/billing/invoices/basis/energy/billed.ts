import { energiesOf } from '../../../../../src/billing/invoices/basis/energy/energies.ts';
import { freezeMonths } from '../../../../../src/billing/invoices/basis/energy/freeze.ts';
import type { BilledContract } from '../../../../../src/billing/invoices/calculate/contract.ts';
import type { PeriodEnergy, SlotPlan } from '../../../../../src/billing/invoices/calculate/energy.ts';
import { BillingRefused } from '../../../../../src/billing/invoices/refusal.ts';
import { meterPartsOf } from '../../../../../src/contracts/meters/parts.ts';
import { listMeterStates } from '../../../../../src/contracts/meters/queries.ts';
import { withDatabaseClient } from '../../../../../src/platform/database/setup.ts';
import { berlinMilliseconds } from '../../../../../src/platform/time/berlin-calendar.ts';
import type { Contract, Metered } from '../../../../contracts/usage/metered.ts';

/** Slots by the days from which on they hold: all quarter hours of the days of one piece, or hours of the clock in UTC. */
export function planOf(
  ends: readonly [from: string, until: string],
  { pieces = [ends[0]], hours = [] as number[] } = {},
): SlotPlan {
  const until = berlinMilliseconds(ends[1]);
  const slots: SlotPlan['slots'][number][] = [];
  const runs: SlotPlan['runs'][number][] = [];
  for (const [piece, first] of pieces.entries()) {
    const begins = berlinMilliseconds(first);
    const next = pieces[piece + 1];
    const ends = next === undefined ? until : berlinMilliseconds(next);
    const [standard, low] = [slots.length, slots.length + 1];
    slots.push({ piece, band: 'standard', gridCents: '8' });
    if (hours.length > 0) slots.push({ piece, band: 'low', gridCents: '2' });
    for (let from = begins; from < ends; from += 3_600_000) {
      const slot = hours.includes(new Date(from).getUTCHours()) ? low : standard;
      runs.push({ from, until: from + 3_600_000, slot });
    }
  }
  return { key: JSON.stringify([ends, pieces, hours]), slots, runs };
}

export interface Energies {
  /** Prices of quarter hours from an instant on, EUR/MWh; a missing one is null. */
  price(from: string, prices: readonly (string | null)[], minutes?: 15 | 60): Promise<void>;
  contract(contract: Contract, input?: Partial<BilledContract>): Promise<BilledContract>;
  energy(
    contract: BilledContract,
    period: readonly [from: string, until: string],
    options?: { plan?: SlotPlan; estimateGaps?: boolean; freeze?: boolean },
  ): Promise<PeriodEnergy | BillingRefused>;
}

export function energies(metered: Metered): Energies {
  const { api, organization, clock } = metered;
  return {
    price: async (from, prices, minutes = 15) => {
      await withDatabaseClient(api.database.adminUrl, async (admin) => {
        /* Without the revisions of a source behind them. */
        await admin.query('SET session_replication_role = replica');
        await admin.query(
          `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
           SELECT 'DE-LU', start, $2, (start AT TIME ZONE 'Europe/Berlin')::date, amount, 'smard', 1
             FROM unnest($3::numeric[]) WITH ORDINALITY AS price (amount, number),
                  LATERAL (SELECT $1::timestamptz + (number - 1) * $2::integer * interval '1 minute' AS start) AS at
            WHERE amount IS NOT NULL`,
          [from, minutes, prices],
        );
      });
    },
    contract: async ({ id, meter, place }, input = {}) => {
      const states = await api.deps.database.inOrganization({ organization }, (connection) =>
        listMeterStates(connection, organization, meter),
      );
      return {
        ...{ organization, id, number: 'K7P2M9QX', customer: place.customer, customerType: 'person' },
        ...{ household: place.household, meter, type: 'consumption' },
        supply: { first: '2025-01-01', end: null },
        ...{ estimatedUsage: '2500', terms: [], planName: 'Strom', zip: '37073', modules: [] },
        meterParts: meterPartsOf(states),
        ...{ meteringOperators: [], plant: null, plants: [], yearlyKwh: [] },
        ...input,
      };
    },
    energy: async (
      contract,
      [from, until],
      { plan = planOf([from, until]), estimateGaps = false, freeze = true } = {},
    ) => {
      const documents = [{ contract, period: { from, until }, plan }];
      const nowMilliseconds = clock.nowMilliseconds();
      if (freeze) {
        await freezeMonths(api.deps.database, organization, documents, {
          nowMilliseconds,
          mayGoOn: () => {},
        });
      }
      const answer = await api.deps.database.inOrganization({ organization }, (connection) =>
        energiesOf(connection, organization, documents, { estimateGaps, nowMilliseconds }),
      );
      const energy = answer.get(contract.id);
      if (energy === undefined) throw new Error('Nothing came back');
      return energy;
    },
  };
}

export async function known(energy: Promise<PeriodEnergy | BillingRefused>): Promise<PeriodEnergy> {
  const answer = await energy;
  if (answer instanceof BillingRefused) throw answer;
  return answer;
}

export async function refusal(energy: Promise<PeriodEnergy | BillingRefused>): Promise<string> {
  const answer = await energy;
  if (!(answer instanceof BillingRefused)) throw new Error('It was not refused');
  return answer.message;
}
