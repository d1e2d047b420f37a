import { between, seedOf, unitAt } from '../../src/cli/simulation/seeded.ts';

/** A zip that is supplied. */
export interface QuotedZip {
  zip: string;
  /** Its grid operator publishes prices of module 3. */
  hasSchedule: boolean;
}

interface QuoteRequest {
  zip_code: string;
  usage: { consumption: number };
  optimization_rate?: number;
  grid_fee_reductions?: Partial<Record<'14a_module_1' | '14a_module_2' | '14a_module_3', boolean>>;
}

const KWH_MIN = 100;
const KWH_MAX = 50_000;

/**
 * Requests of households, as bodies that are ready to be sent. They have every zip, and usages across all classes of
 * metering fees, with and without fractions. They have the rate of the plan, another one and none, and the modules in each
 * combination that is allowed. The same seed gives the same bodies.
 */
export function quoteBodies(seed: string, count: number, zips: readonly QuotedZip[]): Buffer[] {
  if (zips.length === 0) throw new Error('No zip is supplied');
  return Array.from({ length: count }, (_, index) => {
    const zip = zips[index % zips.length] as QuotedZip;
    return Buffer.from(JSON.stringify(quoteRequest(seedOf(`${seed}/${index}`), zip)));
  });
}

function quoteRequest(seed: number, { zip, hasSchedule }: QuotedZip): QuoteRequest {
  return {
    zip_code: zip,
    usage: { consumption: consumptionOf(seed) },
    ...rateOf(seed),
    ...modulesOf(unitAt(seed, 5), hasSchedule),
  };
}

/** As many small households as large ones: the logarithm is spread evenly. */
function consumptionOf(seed: number): number {
  const kwh = KWH_MIN * (KWH_MAX / KWH_MIN) ** unitAt(seed, 1);
  return unitAt(seed, 2) < 0.8 ? Math.round(kwh) : Math.round(kwh * 100) / 100;
}

function rateOf(seed: number): Pick<QuoteRequest, 'optimization_rate'> {
  const kind = unitAt(seed, 3);
  if (kind < 0.5) return {};
  return { optimization_rate: kind < 0.6 ? 0 : Math.round(between(seed, 4, 0, 1) * 10_000) / 10_000 };
}

function modulesOf(share: number, hasSchedule: boolean): Pick<QuoteRequest, 'grid_fee_reductions'> {
  if (share < 0.4) return {};
  if (share < 0.6) return { grid_fee_reductions: { '14a_module_1': true } };
  if (share < 0.8) return { grid_fee_reductions: { '14a_module_2': true } };
  return { grid_fee_reductions: { '14a_module_1': true, '14a_module_3': hasSchedule } };
}

/** Somebody signs up for a plan. `unique`: twelve characters, which nobody else has in the e-mail address and the meter. */
export function signUpBody(plan: string, zip: string | undefined, unique: string): string {
  return JSON.stringify({
    plan,
    customer: { first_name: 'Käthe', last_name: 'Voß', email: `load.${unique}@example.org` },
    address: { street: 'Lastgang', house_number: '1', zip, city: 'Hamburg' },
    payment_method: {
      type: 'sepa_debit',
      sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Käthe Voß' },
    },
    meter: { number: `1EMH${unique}`, type: 'analog', estimated_usage: 2500 },
    next_possible_start: true,
  });
}
