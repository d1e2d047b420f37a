import type { Findings } from '../../platform/errors.ts';
import type { PlanWithTerms } from '../../tariffs/plans/queries.ts';
import { MISSING_MODULE_1, UNSUPPORTED_PRODUCT } from '../../tariffs/plans/service.ts';
import { DUPLICATE_GRID_REDUCTION, MISSING_SMART_METER } from '../grid-fee-reductions/service.ts';
import { DUPLICATE_METER_ORDER, UNSUPPORTED_METER_ORDER } from '../meter-orders/service.ts';
import type { NewSubscription } from './schema.ts';

const MODULES = [1, 2, 3] as const;
type Module = (typeof MODULES)[number];

/** What a sign-up orders beside the supply of electricity. */
export interface OrderedProducts {
  /** The plan's product; null where no meter is ordered. */
  smartMeter: string | null;
  modules: readonly Module[];
}

type SentOrders = Pick<NewSubscription, 'product_orders' | 'meter'>;

const NOT_OFFERED = 'The plan does not offer this product';

/** Looks at every item and says what is wrong with it, at its place. */
export function checkProducts(sent: SentOrders, plan: PlanWithTerms, findings: Findings): OrderedProducts {
  const items = sent.product_orders ?? [];
  const all = new Set(items.flatMap(modulesOf));
  const seen = new Set<Module | 'smart-meter'>();
  for (const [index, item] of items.entries()) {
    const field = `product_orders.${index}`;
    const at = `${field}.type`;
    if (plan.type === 'feed_in') {
      findings.badRequest(UNSUPPORTED_PRODUCT, at, NOT_OFFERED);
      continue;
    }
    if (item.type === 'smart-meter') {
      if (seen.has('smart-meter')) {
        findings.conflict(DUPLICATE_METER_ORDER, at, 'A meter order already exists');
      }
      seen.add('smart-meter');
      if (plan.smart_meter_product === null) findings.badRequest(UNSUPPORTED_PRODUCT, at, NOT_OFFERED);
      else if (sent.meter.type === 'smart') {
        findings.badRequest(UNSUPPORTED_METER_ORDER, at, 'A smart meter cannot be ordered here');
      }
      continue;
    }
    const modules = modulesOf(item);
    if (modules.some((module) => seen.has(module))) {
      findings.conflict(DUPLICATE_GRID_REDUCTION, at, 'This module is already ordered');
    }
    for (const module of modules) seen.add(module);
    const sold = modules.filter((module) => plan[`sells_module_${module}`]);
    if (sold.length < modules.length) findings.badRequest(UNSUPPORTED_PRODUCT, at, NOT_OFFERED);
    checkModules({ sold, all, isSmart: sent.meter.type === 'smart' }, `${field}.14a_enwg`, findings);
  }
  return {
    smartMeter: seen.has('smart-meter') ? plan.smart_meter_product : null,
    modules: MODULES.filter((module) => all.has(module)),
  };
}

interface Modules {
  /** Products of this item that the plan offers. */
  sold: readonly Module[];
  /** Products of all items together. */
  all: ReadonlySet<Module>;
  isSmart: boolean;
}

function checkModules({ sold, all, isSmart }: Modules, field: string, findings: Findings): void {
  if (sold.includes(2) && (all.has(1) || all.has(3))) {
    findings.badRequest(UNSUPPORTED_PRODUCT, `${field}.module_2`, NOT_OFFERED);
  }
  if (!sold.includes(3)) return;
  const at = `${field}.module_3`;
  if (!all.has(1)) findings.badRequest(MISSING_MODULE_1, at, 'Module 3 needs module 1');
  if (!isSmart) findings.badRequest(MISSING_SMART_METER, at, 'Module 3 needs a smart meter');
}

/** An item without a true module orders nothing. */
function modulesOf(item: NonNullable<SentOrders['product_orders']>[number]): Module[] {
  if (item.type === 'smart-meter') return [];
  const sent = item['14a_enwg'];
  return MODULES.filter((module) => sent[`module_${module}`]);
}
