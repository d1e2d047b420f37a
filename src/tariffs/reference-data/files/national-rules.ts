import { Decimal } from 'decimal.js';
import { ENERGY_SOURCES } from '../codes.ts';
import { haveDaysInCommon, type RuleContext, soundValues, type TableRule } from './rows.ts';

/** The caps of the law are rows without a metering operator; nobody may charge households more. */
export const legalCaps: TableRule = (rows, context) => {
  const caps = Map.groupBy(
    rows.filter((row) => row.values.metering_operator === null),
    (row) => row.values.case,
  );
  for (const row of rows) {
    const [, code, fee] = soundValues(row, 'metering_operator', 'case', 'eur_year_gross') ?? [];
    if (row.line === null || code === undefined || fee === undefined) continue;
    for (const cap of caps.get(code) ?? []) {
      const [most] = soundValues(cap, 'eur_year_gross') ?? [];
      if (most === undefined || !haveDaysInCommon(row, cap) || !new Decimal(fee).greaterThan(most)) continue;
      context.warning(row, 'eur_year_gross', `is above the legal cap, ${most}`);
      break;
    }
  }
};

/** A case with its bounds the wrong way round would fit nobody. */
export const soundBounds: TableRule = (rows, context) => {
  for (const row of rows) {
    if (row.line === null) continue;
    compareBounds(['over_kwh', 'up_to_kwh'], row, context);
    compareBounds(['over_pv_kw', 'up_to_pv_kw'], row, context);
  }
};

function compareBounds(
  [over, upTo]: readonly [string, string],
  row: Parameters<RuleContext['problem']>[0],
  context: RuleContext,
): void {
  const [least, most] = soundValues(row, over, upTo) ?? [];
  if (least === undefined || most === undefined || new Decimal(least).lessThan(most)) return;
  context.problem(row, upTo, `must be above ${over}, ${least}`);
}

/** These are parts of a whole: 45 in place of 0.45 would promise a household more than it pays. */
const PARTS = /^(flexible_share_[a-z]+|optimization_rate_max)$/;

export const partsOfWhole: TableRule = (rows, context) => {
  for (const row of rows) {
    const [code, value] = soundValues(row, 'code', 'value') ?? [];
    if (row.line === null || code === undefined || value === undefined || !PARTS.test(code)) continue;
    if (new Decimal(value).greaterThan(1)) context.problem(row, 'value', 'must be a part from 0 to 1: 0.45');
  }
};

/** Published shares are rounded. */
const MIX_TOLERANCE = '0.005';

export const wholeMix: TableRule = (rows, context) => {
  for (const row of rows) {
    const shares = soundValues(row, ...ENERGY_SOURCES);
    if (row.line === null || shares === undefined) continue;
    const sum = shares.reduce((before, share) => before.plus(share ?? 0), new Decimal(0));
    if (sum.minus(1).abs().greaterThan(MIX_TOLERANCE))
      context.problem(row, 'nuclear', `and the other shares must be 1 together, not ${sum.toFixed()}`);
  }
};
