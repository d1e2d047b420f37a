import { Exact } from '../../platform/money.ts';
import type { SavingsCalculation, SavingsComponent } from './components.ts';
import type { Savings } from './schema.ts';

export function shownSavings({ described, costs, components }: SavingsCalculation): Savings {
  const { consumption, rate, module1, module3 } = described;
  const savings = components.reduce((sum, component) => sum.plus(component.savings), new Exact(0));
  return {
    object: 'savings',
    savings: savings.toNumber(),
    resolution: 'year',
    cost: { before: costs.before.cost.sum.toNumber(), after: costs.after.cost.sum.toNumber() },
    usage: { consumption: consumption.toNumber() },
    optimization_rate: rate.toNumber(),
    grid_fee_reductions: { '14a_module_1': module1, '14a_module_3': module3 },
    components: components.map(shownComponent),
  };
}

function shownComponent({ group, savings, lines }: SavingsComponent): Savings['components'][number] {
  return {
    group,
    savings: savings.toNumber(),
    subcomponents: lines.map((line) => ({ ...line, savings: line.savings.toNumber() })),
  };
}
