import { expect } from 'vitest';
import type { Billed } from '../billing/invoices/billing.ts';
import { storedRows } from '../setup/stored-rows.ts';

const LINES =
  'invoices AS i JOIN invoice_lines AS l ON l.organization_id = i.organization_id AND l.invoice_id = i.id';
const bills = (condition: string, from = 'invoices AS i') =>
  `SELECT count(DISTINCT i.subscription_id) FROM ${from} WHERE i.organization_id = $1 AND ${condition}`;
const acts = (act: string, least = 1) =>
  `SELECT count(*) FROM (SELECT FROM audit_log WHERE organization_id = $1 AND act = '${act}' AND result = 'done'
                          GROUP BY object_id HAVING count(*) >= ${least}) AS done`;
const payments = (condition: string) =>
  bills(
    condition,
    'payments AS p JOIN invoices AS i ON i.organization_id = p.organization_id AND i.id = p.invoice_id',
  );

/** What happens in lives: of how many of a hundred at least, and how the database says it. */
const KINDS: readonly (readonly [what: string, least: number, query: string])[] = [
  ['billed with module 1', 20, bills("l.kind = 'module_1'", LINES)],
  ['billed by the three prices of module 3', 20, bills(`l.figures @> '[{"name": "grid_price_low"}]'`, LINES)],
  ['billed with module 2', 8, bills(`l.figures @> '[{"name": "grid_price_module_2"}]'`, LINES)],
  ['billed by what the household measured', 8, bills(usageOf('own_measurement'))],
  [
    'billed in part by it, in part by the metering operator',
    3,
    bills(`i.facts #>> '{usage,origin}' = 'mixed'`),
  ],
  ['paid for feed-in', 3, bills("l.kind = 'feed_in' AND l.net < 0", LINES)],
  ['paid by direct marketing', 1, bills(`l.figures @> '[{"name": "solar_market_value"}]'`, LINES)],
  [
    'paid nothing at prices below zero',
    1,
    bills(`l.figures @> '[{"name": "kwh_unpaid_at_negative_price"}]'`, LINES),
  ],
  ['another VAT', 20, bills('l.vat_rate NOT IN (0, 0.19)', LINES)],
  ['corrected by a new bill', 20, bills("i.type = 'void'")],
  ['corrected by a closing document', 3, bills("i.type = 'exit_summary'")],
  ['paid in advance', 10, bills("i.type = 'prepayment'")],
  ['a debit came back', 7, payments("p.status = 'returned'")],
  [
    'what was paid was disputed',
    3,
    payments("p.status = 'returned' AND p.return_reason = 'MD01' AND i.paid_at IS NOT NULL"),
  ],
  ['a payment was assigned to the wrong bill', 3, payments("p.return_reason = 'NARR'")],
  [
    'a final value was replaced',
    1,
    'SELECT count(DISTINCT subscription_id) FROM replaced_usage WHERE organization_id = $1',
  ],
  ['the meter was exchanged', 7, acts('meter.exchange')],
  ['an exchange was corrected', 1, acts('meter.correct_exchange')],
  ['the plant got another size', 1, acts('subscription.set_plant', 2)],
  ['a contract was terminated', 50, acts('subscription.terminate')],
  ['a device died', 5, acts('asset.decommission')],
  ['a person was erased', 10, acts('customer.erase')],
];

function usageOf(origin: string): string {
  return `i.facts #> '{usage,byOrigin}' @> '[{"origin": "${origin}"}]'`;
}

/** How often each happened in some lives. */
export type Happened = ReadonlyMap<string, number>;

export async function whatHappened({ api, organization }: Billed): Promise<Happened> {
  const counted = new Map<string, number>();
  for (const [what, , query] of KINDS) {
    const [row] = await storedRows<{ count: string }>(api, query, [organization]);
    counted.set(what, Number(row?.count));
  }
  return counted;
}

/** How often all of it happened in all of them. */
export function allOf(all: readonly Happened[]): Happened {
  const sums = new Map<string, number>();
  for (const happened of all) {
    for (const [what, count] of happened) sums.set(what, (sums.get(what) ?? 0) + count);
  }
  return sums;
}

/** What is drawn too seldom shows nothing. */
export function happensOften(happened: Happened, lives: number): void {
  const rare = KINDS.flatMap(([what, least]) => {
    const count = happened.get(what) ?? 0;
    return count * 100 < least * lives ? [`${what}: ${count} of ${lives} lives, ${least} % at least`] : [];
  });
  expect(rare).toEqual([]);
}
