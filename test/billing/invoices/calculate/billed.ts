import type {
  BilledContract,
  BilledPeriod,
  ReferenceOf,
} from '../../../../src/billing/invoices/calculate/contract.ts';
import { chargesOf } from '../../../../src/billing/invoices/calculate/draft.ts';
import type { PeriodEnergy, SlotEnergy } from '../../../../src/billing/invoices/calculate/energy.ts';
import type { GridLine } from '../../../../src/billing/invoices/calculate/module-1-cap.ts';
import { piecesOf } from '../../../../src/billing/invoices/calculate/pieces.ts';
import { slotPlanOf } from '../../../../src/billing/invoices/calculate/slot-plan.ts';
import type { Charges, InvoiceLine } from '../../../../src/billing/invoices/calculate/types.ts';
import { berlinMilliseconds } from '../../../../src/platform/time/berlin-calendar.ts';
import type { PlanTermsRow } from '../../../../src/tariffs/plans/queries.ts';
import type { Figure, GridFigures } from '../../../../src/tariffs/reference-data/figures.ts';
import type { ReferenceSet } from '../../../../src/tariffs/reference-data/reference-set.ts';
import { plainGrid, plainReference } from '../../../tariffs/quotes/plain-figures.ts';

/* Contracts, price lists and energy as the lines of bills take them, without a database. */

export const REFERENCE = plainReference();
export const GRID = plainGrid();

export function termsOf(given: Partial<PlanTermsRow> = {}): PlanTermsRow {
  return {
    ...{ valid_from: null, valid_to: null, base_fee_net: '5.00', margin_ct_net: '1.80' },
    ...{ optimization_rate: '0.1', sells_module_1: true, sells_module_2: true, sells_module_3: true },
    ...{ cancellation_months: 1, smart_meter_product: null },
    ...{ discount_name: null, discount_amount_off: null, discount_duration: null },
    ...{ discount_duration_in_months: null, feed_in_kind: null, feed_in_scope: null },
    ...{ feed_in_up_to_kw: null, feed_in_ct_net: null, feed_in_margin_ct_net: null },
    ...given,
  };
}

export function contractOf(given: Partial<BilledContract> = {}): BilledContract {
  return {
    ...{ organization: 'org_test', id: 'sub_test', number: 'K7P2M9QX', customer: 'cus_test' },
    ...{ customerType: 'person', household: 'hou_test', meter: 'met_test', type: 'consumption' },
    supply: { first: '2026-01-01', end: null },
    ...{ estimatedUsage: '2500', terms: [termsOf()], planName: 'Dynamisch', zip: '12345', modules: [] },
    meterParts: [meterPart('smart')],
    ...{ meteringOperators: [], plant: null, plants: [], yearlyKwh: [] },
    ...given,
  };
}

export function meterPart(
  type: 'smart' | 'analog',
  first = '0001-01-01',
  register = 1,
): BilledContract['meterParts'][number] {
  return { type, register, number: `1EMH000000000${register}`, first, end: '9999-12-31' };
}

export function moduleFrom(module: 1 | 2 | 3, day: string, until: string | null = null) {
  return { module, from: berlinMilliseconds(day), until: until === null ? null : berlinMilliseconds(until) };
}

/** A row that holds from a day on, or one that had ended by then and counts for quotes only. */
export function dated(figure: Figure, validFrom: string, isCarriedForward = false): Figure {
  const { origin } = figure;
  return { ...figure, origin: { ...origin, valid_from: validFrom, is_carried_forward: isCarriedForward } };
}

interface PriceLists {
  reference?: ReferenceSet;
  grid?: GridFigures | undefined;
}

/** The same price lists on all days, or others from some days on. */
export function listsFrom(always: PriceLists = {}, changes: Record<string, PriceLists> = {}): ReferenceOf {
  const steps = Object.entries(changes).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return (day) => {
    const begun = steps.flatMap(([from, change]) => (from <= day ? [change] : []));
    return Object.assign({ reference: REFERENCE, grid: GRID }, always, ...begun);
  };
}

export interface Measured {
  kwh: string;
  eur?: string;
  kwhAtNegativePrice?: string;
}

interface Billing {
  contract?: Partial<BilledContract>;
  period?: BilledPeriod;
  lists?: ReferenceOf;
  /** For each slot of the plan, or the same for all. */
  energy?: Measured | readonly Measured[];
  context?: { deducted?: string; earlierGridLines?: readonly GridLine[]; isFinal?: boolean };
}

const NO_ENERGY: PeriodEnergy = {
  ...{
    bySlot: [],
    kwh: '0',
    isEstimated: false,
    estimates: [],
    origin: 'metering_operator',
    byOrigin: [],
    readings: [],
  },
};

/** A bill, by default of January 2026 and 100 kWh for 10 EUR in each slot. */
export function billOf({
  contract: given,
  period = { from: '2026-01-01', until: '2026-02-01' },
  lists,
  energy,
  context = {},
}: Billing = {}): Charges {
  const contract = contractOf(given);
  const pieces = piecesOf(contract, period, lists ?? listsFrom());
  const plan = slotPlanOf(contract, pieces);
  const measured = energy ?? { kwh: '100', eur: '10' };
  const bySlot = plan.slots.flatMap((_, slot): SlotEnergy[] => {
    const of = Array.isArray(measured) ? measured[slot] : measured;
    return of === undefined ? [] : [{ slot, eur: '0', kwhAtNegativePrice: '0', ...of }];
  });
  const { deducted = '0', earlierGridLines = [], isFinal = false } = context;
  return chargesOf({
    ...{ contract, pieces, deducted, earlierGridLines },
    period: { ...period, type: 'usage', number: 1, instalment: null, isFinal, isClosing: false },
    usage: { plan, energy: { ...NO_ENERGY, bySlot } },
  });
}

/** `base_fee 5.00` */
export function shownLines(lines: readonly InvoiceLine[]): string[] {
  return lines.map(({ kind, net }) => `${kind} ${net}`);
}

export function linesOfKind({ lines }: { lines: readonly InvoiceLine[] }, kind: InvoiceLine['kind']) {
  return lines.filter((line) => line.kind === kind);
}

/** `2026-01-01 4.19` of the lines of one kind. */
export function amounts(draft: { lines: readonly InvoiceLine[] }, kind: InvoiceLine['kind']): string[] {
  return linesOfKind(draft, kind).map(({ from, net }) => `${from} ${net}`);
}
