import { expect } from 'vitest';
import { basesOf } from '../../src/billing/invoices/basis/basis.ts';
import { contractsOf } from '../../src/billing/invoices/basis/contracts.ts';
import { chargesOf } from '../../src/billing/invoices/calculate/draft.ts';
import type { InvoiceLine } from '../../src/billing/invoices/calculate/types.ts';
import { BillingRefused } from '../../src/billing/invoices/refusal.ts';
import { later } from '../../src/platform/time/berlin-calendar.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import type { UsageBody } from '../contracts/usage/metered.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { PLANTS } from './life.ts';
import type { Living } from './living.ts';

/**
 * All documents of a contract come to what one bill over its whole life does; there is none where nothing was supplied. The
 * energy of that bill, and what the interface and analysts see of it, is what a smart meter counted.
 */
export async function isBilledRight(billed: Billed, living: Living): Promise<void> {
  expect(await billed.refusals(living.contract)).toEqual([]);
  const once = living.isNeverSupplied ? { nets: {}, kwh: 0, lines: [] } : await atOnce(billed, living);
  const cut = await linesCut(billed, living, once.lines);
  const nets = await inDocuments(billed, living);
  if (cut === 0) expect(nets).toEqual(once.nets);
  else expect(nets).toEqual(closeTo(once.nets, cut * ROUNDED_ONCE_MORE));
  if (living.counted === null || living.isNeverSupplied) return;
  isPricedRight(living, once.lines);
  const months = living.counted.months(living.first, living.end);
  const total = living.counted.total(living.first, living.end);
  expect(once.kwh).toBeCloseTo(total, 6);
  const [seen] = await storedRows<{ kwh: number }>(
    billed.api,
    'SELECT sum(kwh)::float8 AS kwh FROM analytics.usage_days WHERE contract = $1',
    [living.contract.id],
  );
  expect(seen?.kwh).toBeCloseTo(total, 6);
  const days = `start=${living.first}&end=${living.end}`;
  const { status, text, body } = await (await billed.client()).get<UsageBody>(
    `/subscriptions/${living.contract.id}/usage?resolution=month&${days}`,
  );
  expect(status, text).toBe(200);
  expect(body.data.map(({ usage, type }) => [type, usage])).toEqual(
    months.map((kwh) => ['final', expect.closeTo(kwh, 3)]),
  );
}

/** What one bill over the whole life comes to: EUR net by rate of VAT, and kWh. */
async function atOnce({ api, organization, clock }: Billed, { contract: { id }, first, end }: Living) {
  return await api.deps.database.inOrganization({ organization }, async (connection) => {
    const contracts = await contractsOf(connection, organization, [{ id, from: first }]);
    const contract = contracts.get(id);
    if (contract === undefined) throw new Error('It is not there');
    const period = {
      ...{ type: 'usage' as const, number: 1, from: first, until: end, instalment: null },
      ...{ isFinal: true, isClosing: false },
    };
    const document = { contract, period, deducted: '0', earlierGridLines: [] };
    const options = { estimateGaps: false, nowMilliseconds: clock.nowMilliseconds() };
    const basis = (await basesOf(connection, organization, [document], options)).get(id);
    if (basis === undefined || basis instanceof BillingRefused) throw new Error(String(basis));
    const { lines, sums, usageKwh } = chargesOf(basis);
    return { nets: byRate(sums.taxes), kwh: Number(usageKwh), lines };
  });
}

/** How many lines of the one bill end inside of a month with a closing bill of twelve months, and are rounded once more there. */
async function linesCut({ api }: Billed, { contract }: Living, lines: readonly InvoiceLine[]) {
  const ends = await storedRows<{ day: string }>(
    api,
    `SELECT DISTINCT (period_end AT TIME ZONE 'Europe/Berlin')::date::text AS day FROM invoices
      WHERE subscription_id = $1 AND type = 'usage'`,
    [contract.id],
  );
  const isCut = ({ from, until }: InvoiceLine) => ends.some(({ day }) => from < day && day < until);
  return lines.filter(isCut).length;
}

/** EUR: the rest of the month is rounded as well. */
const ROUNDED_ONCE_MORE = 0.01;
const closeTo = (nets: Record<string, number>, most: number) =>
  Object.fromEntries(
    Object.entries(nets).map(([rate, net]) => [
      rate,
      expect.toSatisfy((seen: number) => Math.abs(seen - net) < most, `${net} by ${most.toFixed(2)}`),
    ]),
  );

/** Of each line half a cent may be rounded. */
const ROUNDED = 0.005;
/** First day on which the plants of lives that are young enough are paid nothing at prices below zero (§51 EEG). */
const UNPAID_FROM = '2026-01-01';

/** ct/kWh for the first 10 kW of a plant on a roof, and for the next (§§48, 49 EEG). */
const VALUES = { '2024-05-01': [8.51, 7.43], '2025-06-01': [8.34, 7.28] } as const;
/** ct/kWh that the plan keeps of direct marketing. */
const MARGIN = 0.5;

/** Energy costs what the market asks for each quarter hour. What is fed in is paid by the plant, if it is paid. */
function isPricedRight({ counted, first, end, life, plantKw }: Living, all: readonly InvoiceLine[]): void {
  if (counted === null) return;
  const energy = all.filter(({ kind }) => kind === 'energy');
  const spot = energy.reduce((sum, { net }) => sum + Number(net), 0);
  if (energy.length > 0)
    expect(Math.abs(spot - counted.valued(first, end))).toBeLessThan(energy.length * ROUNDED + 1e-6);
  const paid = all.filter(({ kind }) => kind === 'feed_in');
  if (paid.length === 0) return;
  const unpaidFrom = later(first, UNPAID_FROM);
  const unpaid =
    life.plantSince === PLANTS[1] && unpaidFrom < end ? counted.atNegativePrice(unpaidFrom, end) : 0;
  const kwh = paid.reduce((sum, { quantity }) => sum + Number(quantity), 0);
  expect(kwh).toBeCloseTo(counted.total(first, end) - unpaid, 6);
  const [small, large] = VALUES[life.plantSince];
  const value = (Math.min(plantKw, 10) * small + Math.max(plantKw - 10, 0) * large) / plantKw;
  for (const { unitPrice, figures } of paid) {
    const solar = Number(figures.find(({ name }) => name === 'solar_market_value')?.value);
    const cents = life.sale === 'eeg' ? value - 0.4 : Math.max(value, solar) - MARGIN;
    expect(Number(unitPrice) * -100).toBeCloseTo(cents, 6);
  }
}

/** What all of its documents about what was used come to, in the same way. */
async function inDocuments({ api }: Billed, { contract }: Living): Promise<Record<string, number>> {
  const rows = await storedRows<{ rate: string; net: string }>(
    api,
    `SELECT l.vat_rate::text AS rate, sum(l.net)::text AS net FROM invoices AS i
       JOIN invoice_lines AS l ON l.organization_id = i.organization_id AND l.invoice_id = i.id
       LEFT JOIN invoices AS reversed ON reversed.organization_id = i.organization_id AND reversed.id = i.voids
      WHERE i.subscription_id = $1 AND coalesce(reversed.type, i.type) <> 'prepayment' GROUP BY 1`,
    [contract.id],
  );
  return byRate(rows);
}

/** Rates of which nothing is left are none. */
function byRate(sums: readonly { rate: string; net: string }[]): Record<string, number> {
  const left = sums.filter(({ net }) => Number(net) !== 0);
  return Object.fromEntries(left.map(({ rate, net }) => [Number(rate), Number(net)]));
}
