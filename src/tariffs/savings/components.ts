import type { Decimal } from 'decimal.js';
import { Exact } from '../../platform/money.ts';
import type { MeanFigure } from '../day-ahead-means/service.ts';
import type { GridFigures } from '../reference-data/figures.ts';
import type { SavingsCosts } from './cost.ts';
import type { DescribedHousehold } from './household.ts';
import type { Savings } from './schema.ts';

type Group = Savings['components'][number]['group'];
type Subgroup = Savings['components'][number]['subcomponents'][number]['subgroup'];

export interface SavingsLine {
  readonly subgroup: Subgroup;
  /** As the bill names it. */
  readonly name: string;
  readonly savings: Decimal;
}

export interface SavingsComponent {
  readonly group: Group;
  readonly savings: Decimal;
  readonly lines: readonly SavingsLine[];
}

/** How a saving came about: for the answer, and for who asks why a figure is what it is. */
export interface SavingsCalculation {
  readonly described: DescribedHousehold;
  readonly costs: SavingsCosts;
  readonly components: readonly SavingsComponent[];
  readonly dayAheadMean: MeanFigure;
  /** Who runs the grid of the place. */
  readonly grid: GridFigures;
}

/**
 * Each line is what one step saves against the step before it, in whole cents: together they are the cost before less the
 * cost after. Module 3 may cost more than it saves; it is shown all the same.
 */
export function savingsComponents(costs: SavingsCosts): readonly SavingsComponent[] {
  const { before, plain, withModule1, withModule3, after } = costs;
  return [
    component('tariff', [
      line('base', 'Grundpreis', before.cost.base.minus(plain.cost.base)),
      line('variable', 'Arbeitspreis', before.cost.variable.minus(plain.cost.variable)),
    ]),
    component('grid_fee_reductions', [
      line(
        '14a_module_1',
        'Pauschale Netzentgeltreduktion (§14a EnWG Modul 1)',
        plain.cost.sum.minus(withModule1.cost.sum),
      ),
      line(
        '14a_module_3',
        'Zeitvariables Netzentgelt (§14a EnWG Modul 3)',
        withModule1.cost.sum.minus(withModule3.cost.sum),
      ),
    ]),
    component('optimization', [
      line('variable', 'Optimierung (Lastverschiebung)', withModule3.cost.sum.minus(after.cost.sum)),
    ]),
  ];
}

function line(subgroup: Subgroup, name: string, savings: Decimal): SavingsLine {
  return { subgroup, name, savings };
}

function component(group: Group, lines: readonly SavingsLine[]): SavingsComponent {
  return { group, lines, savings: lines.reduce((sum, { savings }) => sum.plus(savings), new Exact(0)) };
}
