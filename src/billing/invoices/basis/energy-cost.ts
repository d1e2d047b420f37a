import type { Decimal } from 'decimal.js';
import { listKeptStarts } from '../../../contracts/usage/queries.ts';
import { partsWithin } from '../../../contracts/usage/service.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { Exact, withVat } from '../../../platform/money.ts';
import {
  addMonths,
  berlinDays,
  berlinMilliseconds,
  type CalendarDay,
  earlier,
  firstOfMonth,
  later,
} from '../../../platform/time/berlin-calendar.ts';
import { type CurvePoint, realizedQuarterHours } from '../../../spot-prices/service.ts';
import type { BilledContract, ReferenceOf } from '../calculate/contract.ts';
import { energyOfPieces, type SlotPlan } from '../calculate/energy.ts';
import { lineOf } from '../calculate/line.ts';
import { energyLines } from '../calculate/piece-lines.ts';
import { type Piece, piecesOf } from '../calculate/pieces.ts';
import { slotPlanOf } from '../calculate/slot-plan.ts';
import { sumsOf } from '../calculate/sums.ts';
import { BillingRefused } from '../refusal.ts';
import { contractsOf } from './contracts.ts';
import { EnergySum } from './energy/energy-sum.ts';
import type { DaySpan, PlannedQuarterHour } from './energy/quarter-hours.ts';
import { listKeptSums } from './energy/queries.ts';
import { References } from './references.ts';

/** What a smart meter counted in a quarter hour; `start` in milliseconds since 1970. */
interface CountedQuarterHour {
  readonly start: number;
  readonly kwh: Decimal.Value;
}

/** EUR with VAT, by `2026-11-20` or `2026-11`, where there is energy. Null: a price of that time is not known. */
export interface EnergyCosts {
  /** Not rounded. */
  readonly days: ReadonlyMap<string, Decimal | null>;
  /** As the lines of a bill of the calendar month come to: each of them is rounded. */
  readonly months: ReadonlyMap<string, Decimal | null>;
}

/**
 * What used energy costs by the lines of a bill that go by kWh: market price, margin, grid, concession fee and levies. Base prices,
 * metering and discounts are not in it. A row of the price lists that a bill would refuse is a price that is not known. What is
 * kept is added up by the database, as for a bill; `measured`: what is not kept yet. Months in which an analog meter counted are
 * left out, for it has no quarter hours.
 */
export async function energyCosts(
  connection: Connection,
  organization: string,
  id: string,
  span: DaySpan,
  measured: readonly CountedQuarterHour[],
): Promise<EnergyCosts> {
  const costs = { days: new Map<string, Decimal | null>(), months: new Map<string, Decimal | null>() };
  const contract = (await contractsOf(connection, organization, [{ id, from: span.first }])).get(id);
  if (contract === undefined) return costs;
  const from = later(span.first, contract.supply.first);
  const until = earlier(span.end, contract.supply.end ?? span.end);
  if (from >= until) return costs;
  const referenceOf = await new References().read(connection, contract, { from, until });
  const spans = [{ from: berlinMilliseconds(from), until: berlinMilliseconds(until) }];
  const owner = { organization, subscription: id };
  const kept = measured.length === 0 ? null : await listKeptStarts(connection, owner, spans);
  const open = new Map(measured.map(({ start, kwh }) => [start, kept?.has(start) ? null : kwh]));
  /* Month by month: the quarter hours of a year held the process for 0.4 s. */
  for (let first = from; first < until; first = addMonths(firstOfMonth(first), 1)) {
    const end = earlier(addMonths(firstOfMonth(first), 1), until);
    if (partsWithin(contract.meterParts, first, end).some(({ type }) => type === 'analog')) continue;
    const curve = await realizedQuarterHours(connection, first, end);
    const month = plannedMonth(contract, { first, end }, referenceOf, curve);
    const rows = await listKeptSums(connection, organization, [id], month.quarterHours);
    const sums = month.days.map(({ day, isPriced }, index) => {
      const sum = new EnergySum();
      const ofDay = rows.filter((row) => row.span === index);
      for (const row of ofDay)
        sum.add(row.slot, { kwh: row.kwh, kwhTimesPrice: row.kwh_times_price, kwhAtNegativePrice: 0 });
      return { day, isPriced, sum, isUsed: ofDay.length > 0 };
    });
    for (const { start, span: index, slot, price } of month.quarterHours) {
      const kwh = open.get(start) ?? null;
      const ofDay = sums[index];
      if (kwh === null || ofDay === undefined) continue;
      ofDay.isUsed = true;
      ofDay.sum.add(slot, { kwh, kwhTimesPrice: new Exact(kwh).times(price), kwhAtNegativePrice: 0 });
    }
    const used = sums.filter(({ isUsed }) => isUsed);
    for (const { day, sum, isPriced } of used)
      costs.days.set(day, isPriced ? exact(linesOf(month, [sum])) : null);
    const all = linesOf(
      month,
      used.map(({ sum }) => sum),
    );
    const isPriced = used.every((day) => day.isPriced);
    if (used.length > 0) costs.months.set(first.slice(0, 7), isPriced ? billed(all) : null);
  }
  return costs;
}

/** Days of one calendar month by the pieces of its bill. */
interface PlannedMonth {
  readonly pieces: readonly Piece[];
  /** Null: the price lists lack a row. */
  readonly plan: SlotPlan | null;
  /** `isPriced`: the price lists and the market have all of the day. */
  readonly days: readonly { readonly day: CalendarDay; readonly isPriced: boolean }[];
  /** `span`: the index of the day. */
  readonly quarterHours: readonly PlannedQuarterHour[];
}

function plannedMonth(
  contract: BilledContract,
  { first, end }: DaySpan,
  referenceOf: ReferenceOf,
  curve: readonly CurvePoint[],
): PlannedMonth {
  const pieces = piecesOrNone(contract, { from: first, until: end }, referenceOf);
  const plan = pieces.length === 0 ? null : slotPlanOf(contract, pieces);
  const quarterHours: PlannedQuarterHour[] = [];
  let [at, run] = [0, 0];
  const all = berlinDays(first, end);
  const days = all.map(({ day }, span) => {
    const ends = all[span + 1]?.begins ?? Number.POSITIVE_INFINITY;
    let isPriced = plan !== null;
    for (let point = curve[at]; point !== undefined && point.start < ends; point = curve[++at]) {
      const { start, eurMwh } = point;
      while ((plan?.runs[run]?.until ?? Number.POSITIVE_INFINITY) <= start) run += 1;
      isPriced &&= eurMwh !== null;
      quarterHours.push({ start, slot: plan?.runs[run]?.slot ?? 0, span, price: eurMwh ?? '0' });
    }
    return { day, isPriced };
  });
  return { pieces, plan, days, quarterHours };
}

/** None where the price lists lack a row that a bill of these days would need. */
function piecesOrNone(...given: Parameters<typeof piecesOf>): readonly Piece[] {
  try {
    return piecesOf(...given);
  } catch (error) {
    if (error instanceof BillingRefused) return [];
    throw error;
  }
}

function linesOf({ pieces, plan }: PlannedMonth, sums: readonly EnergySum[]) {
  if (plan === null) return [];
  const energies = energyOfPieces(pieces, plan, EnergySum.together(sums).energy());
  return pieces.flatMap((piece, index) => {
    const energy = energies[index];
    return energy === undefined
      ? []
      : energyLines(piece, energy).map(([kind, parts]) => ({ piece, kind, parts }));
  });
}

type ChargedLines = ReturnType<typeof linesOf>;

const exact = (lines: ChargedLines) =>
  lines.reduce((sum, { piece, parts }) => sum.plus(withVat(parts.net, piece.vatRate.value)), new Exact(0));

const billed = (lines: ChargedLines) =>
  new Exact(sumsOf(lines.map(({ piece, kind, parts }) => lineOf(piece, kind, parts))).total);
