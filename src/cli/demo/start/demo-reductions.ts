import {
  acceptReduction,
  endReduction,
  rejectReduction,
} from '../../../contracts/grid-fee-reductions/move.ts';
import type { GridFeeReduction, ReductionType } from '../../../contracts/grid-fee-reductions/schema.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/db.ts';
import type { StaffAct } from '../../../platform/staff-act.ts';
import { addMonths, berlinDayOf, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { DemoApi } from './demo-api.ts';

/* A grid fee reduction in every status. Those of sign-ups are intended, and ordered where the contract is confirmed. */

interface ReductionParts {
  api: DemoApi;
  database: Database;
  clock: Clock;
  organization: string;
  today: CalendarDay;
  act: StaffAct;
}

interface DemoReduction {
  contract: string;
  type: ReductionType;
  answered: 'accepted' | 'rejected' | 'ended';
}

const REDUCTIONS: readonly DemoReduction[] = [
  { contract: 'demo-analog', type: 'enwg-14a-module-2', answered: 'accepted' },
  { contract: 'demo-terminated', type: 'enwg-14a-module-1', answered: 'ended' },
  { contract: 'demo-terminated', type: 'enwg-14a-module-2', answered: 'rejected' },
];

/** `contracts`: by their keys. */
export async function ensureReductions(
  parts: ReductionParts,
  contracts: ReadonlyMap<string, { id: string; start_at: string | null }>,
): Promise<void> {
  const { api } = parts;
  const { items } = await api.call<{ items: GridFeeReduction[] }>('GET', '/grid-fee-reductions?limit=100');
  for (const { contract, type, answered } of REDUCTIONS) {
    const { id: subscription, start_at } = contracts.get(contract) ?? {};
    if (subscription === undefined || start_at === null || start_at === undefined) continue;
    const known = items.find((item) => item.subscription === subscription && item.type === type);
    const reduction =
      known ?? (await api.call<GridFeeReduction>('POST', '/grid-fee-reductions', { subscription, type }));
    await answer(parts, reduction, answered, berlinDayOf(start_at));
  }
}

/** What the grid operator said; a start that was cut off in between goes on here. */
async function answer(
  { database, clock, organization, today, act }: ReductionParts,
  { id, status }: GridFeeReduction,
  answered: DemoReduction['answered'],
  valid_from: CalendarDay,
): Promise<void> {
  const deps = { database, clock };
  if (answered === 'rejected') {
    if (status === 'ordered') await rejectReduction(deps, organization, id, act);
    return;
  }
  if (status === 'ordered') await acceptReduction(deps, organization, id, { valid_from }, act);
  const isOver = status === 'ended' || status === 'rejected';
  if (answered !== 'ended' || isOver) return;
  await endReduction(deps, organization, id, { valid_until: addMonths(today, -1) }, act);
}
