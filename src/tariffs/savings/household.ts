import type { Decimal } from 'decimal.js';
import { Exact, roundHalfUp } from '../../platform/money.ts';
import { YEARLY_KWH } from '../quotes/rows.ts';
import type { Figure } from '../reference-data/figures.ts';
import type { ReferenceSet, SavingsParameterCode } from '../reference-data/reference-set.ts';
import type { SavingsRequest } from './schema.ts';

/*
 * The description of a household, as figures that a quote can be asked for. Energies are kWh a year. Nothing is rounded but
 * the consumption (whole kWh) and the rate (4 decimals).
 */

/** The parts of plan and grid operator by which a household could earn. */
export interface Offer {
  /** Null: the plan has no optimization. */
  readonly optimizationRate: string | null;
  readonly sellsModule1: boolean;
  readonly sellsModule3: boolean;
  readonly operatorHasSchedule: boolean;
}

export interface HouseholdEnergy {
  readonly household: Decimal;
  readonly ev: Decimal;
  readonly heatpump: Decimal;
  /** The three of them. */
  readonly load: Decimal;
  /** Of the load, what the solar plant covers. */
  readonly covered: Decimal;
  /** What the battery shifts from dear hours to cheap ones. */
  readonly shifted: Decimal;
}

/** As a quote is asked for it. */
export interface DescribedHousehold {
  readonly energy: HouseholdEnergy;
  readonly consumption: Decimal;
  readonly rate: Decimal;
  readonly module1: boolean;
  readonly module3: boolean;
  readonly meter: 'analog' | 'smart';
  /** The savings parameters that counted, each with its row. */
  readonly parameters: readonly Figure[];
}

/** Gives a savings parameter. */
type Parameter = (code: SavingsParameterCode) => string;
type Description = Pick<SavingsRequest, 'household' | 'assets'>;

const CONSUMPTION_DECIMALS = 0;
const RATE_DECIMALS = 4;

export function describedHousehold(
  description: Description,
  offer: Offer,
  reference: Pick<ReferenceSet, 'savingsParameter'>,
): DescribedHousehold {
  const parameters = new Map<SavingsParameterCode, Figure>();
  const parameter: Parameter = (code) => {
    const figure = reference.savingsParameter(code);
    parameters.set(code, figure);
    return figure.value;
  };
  const energy = energyOf(description, parameter);
  const rate = rateOf(energy, offer, parameter);
  const module1 = offer.sellsModule1 && isControllable(description, parameter);
  return {
    energy,
    consumption: quotable(roundHalfUp(energy.load.minus(energy.covered), CONSUMPTION_DECIMALS)),
    rate,
    module1,
    /* Module 3 is sold beside module 1 only (BK8-22/010-A). */
    module3: module1 && offer.sellsModule3 && offer.operatorHasSchedule,
    /* What is shifted has to be measured by the quarter hour. */
    meter: rate.isZero() ? 'analog' : 'smart',
    parameters: [...parameters.values()],
  };
}

function energyOf({ household, assets }: Description, parameter: Parameter): HouseholdEnergy {
  const ofHousehold = new Exact(household.usage);
  const ev = evEnergy(assets.ev, parameter);
  const heatpump = new Exact(assets.heatpump?.usage ?? 0);
  const load = ofHousehold.plus(ev).plus(heatpump);
  return {
    household: ofHousehold,
    ev,
    heatpump,
    load,
    covered: coveredEnergy(load, assets.pv, parameter),
    shifted: shiftedEnergy(ofHousehold, assets.battery, parameter),
  };
}

/** The car's energy at home; its energy from elsewhere is on no bill of the household. */
function evEnergy(ev: Description['assets']['ev'], parameter: Parameter): Decimal {
  if (ev === undefined) return new Exact(0);
  return new Exact(ev.distance)
    .dividedBy(100)
    .times(parameter('ev_kwh_per_100_km'))
    .times(ev.home_charging_share);
}

/** Never more than the plant yields in a year. */
function coveredEnergy(load: Decimal, pv: Description['assets']['pv'], parameter: Parameter): Decimal {
  if (pv === undefined) return new Exact(0);
  const wished = load.times(pv.self_sufficiency);
  return Exact.min(wished, new Exact(pv.capacity).times(parameter('pv_kwh_per_kwp')));
}

/** A full cycle moves the capacity, or what the power moves in the hours of a cycle; never more than the household uses. */
function shiftedEnergy(
  ofHousehold: Decimal,
  battery: Description['assets']['battery'],
  parameter: Parameter,
): Decimal {
  if (battery === undefined) return new Exact(0);
  const ofCycle = Exact.min(battery.capacity, new Exact(battery.power).times(parameter('battery_hours')));
  return Exact.min(ofHousehold, new Exact(parameter('battery_cycles_per_year')).times(ofCycle));
}

/**
 * The part of the energy price that the assets save. It is a property of their mix alone: what the solar plant covers
 * does not count. A plan that has no optimization of its own saves nothing by it.
 */
function rateOf(energy: HouseholdEnergy, { optimizationRate }: Offer, parameter: Parameter): Decimal {
  if (optimizationRate === null || new Exact(optimizationRate).isZero()) return new Exact(0);
  const flexible = new Exact(parameter('flexible_share_ev'))
    .times(energy.ev)
    .plus(new Exact(parameter('flexible_share_heatpump')).times(energy.heatpump))
    .plus(new Exact(parameter('flexible_share_battery')).times(energy.shifted));
  const rate = roundHalfUp(flexible.dividedBy(energy.load), RATE_DECIMALS);
  return Exact.min(rate, parameter('optimization_rate_max'));
}

/** A device that the grid operator may dim (§14a EnWG). Of a car and a heat pump the size is not asked. */
function isControllable({ assets }: Description, parameter: Parameter): boolean {
  if (assets.ev !== undefined || assets.heatpump !== undefined) return true;
  if (assets.battery === undefined) return false;
  return new Exact(assets.battery.power).greaterThan(parameter('controllable_power_over_kw'));
}

/** Into the bounds of a quote, so that the answer can be sent there as it is. */
function quotable(consumption: Decimal): Decimal {
  return Exact.min(YEARLY_KWH.max, Exact.max(YEARLY_KWH.min, consumption));
}
