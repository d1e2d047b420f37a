import type { EntryCode, ErrorEntry } from '../../platform/errors.ts';
import type { PlanWithTerms } from '../plans/queries.ts';
import { MISSING_MODULE_1, UNSUPPORTED_PRODUCT } from '../plans/service.ts';
import type { GridFigures } from '../reference-data/figures.ts';
import { UNSERVICEABLE_ZIP } from '../reference-data/service.ts';
import type { AskedQuote } from './asked.ts';

type Refusal = readonly [code: EntryCode, field: string, message: string];

const NOT_OFFERED = 'The plan does not offer this product';

/** Whatever speaks against a quote, in this order; of one field the first. */
export function quoteRefusals(
  asked: Pick<AskedQuote, 'modules' | 'fields'>,
  plan: PlanWithTerms,
  grid: GridFigures | undefined,
): ErrorEntry[] {
  const ofPlan = plan.type === 'feed_in' ? feedInRefusals(asked) : moduleRefusals(asked, plan, grid);
  const entries = [...zipRefusals(grid), ...ofPlan].map(([code, field, message]) => ({
    code,
    field,
    message,
  }));
  return entries.filter(({ field }, index) => entries.findIndex((entry) => entry.field === field) === index);
}

export function zipRefusals(grid: GridFigures | undefined): Refusal[] {
  return grid === undefined ? [[UNSERVICEABLE_ZIP, 'zip_code', 'This ZIP code cannot be supplied']] : [];
}

function feedInRefusals({ fields }: Pick<AskedQuote, 'fields'>): Refusal[] {
  return fields.reductions.map((field) => [UNSUPPORTED_PRODUCT, field, NOT_OFFERED]);
}

function moduleRefusals(
  { modules, fields }: Pick<AskedQuote, 'modules' | 'fields'>,
  plan: PlanWithTerms,
  grid: GridFigures | undefined,
): Refusal[] {
  const { module1, module2, module3 } = modules;
  const refusals: Refusal[] = [];
  if (module1 && module2)
    refusals.push(['custom', fields.modules1And2, 'Module 2 cannot be combined with module 1']);
  if (module1 && !plan.sells_module_1) refusals.push([UNSUPPORTED_PRODUCT, fields.module1, NOT_OFFERED]);
  if (module2 && !plan.sells_module_2) refusals.push([UNSUPPORTED_PRODUCT, fields.module2, NOT_OFFERED]);
  if (module3 && !module1) refusals.push([MISSING_MODULE_1, fields.module3, 'Module 3 needs module 1']);
  /* Whether its operator has a schedule is no question about a place that nobody supplies. */
  if (module3 && (!plan.sells_module_3 || grid?.schedule === null))
    refusals.push([UNSUPPORTED_PRODUCT, fields.module3, NOT_OFFERED]);
  return refusals;
}
