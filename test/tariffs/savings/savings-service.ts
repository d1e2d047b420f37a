import type { Answer } from '../../setup/client.ts';
import { type QuoteService, startQuoteService } from '../quotes/quote-service.ts';

export interface SavingsBody {
  object: string;
  savings: number;
  cost: { before: number; after: number };
  usage: { consumption: number };
  optimization_rate: number;
  grid_fee_reductions: Record<'14a_module_1' | '14a_module_3', boolean>;
  components: {
    group: string;
    savings: number;
    subcomponents: { subgroup: string; name: string; savings: number }[];
  }[];
  code: string;
  message: string;
  errors?: { code: string; field: string; message: string }[];
}

/** The service that quotes are asked of, and its savings. */
export interface SavingsService extends QuoteService {
  savings(plan: string, body: object): Promise<Answer<SavingsBody>>;
}

export async function startSavingsService(): Promise<SavingsService> {
  const service = await startQuoteService();
  return {
    ...service,
    savings: (plan, body) => service.client().post<SavingsBody>(`/plans/${plan}/savings`, body),
  };
}

/** The amounts of the lines, in their order. */
export function linesOf({ components }: SavingsBody): number[] {
  return components.flatMap(({ subcomponents }) => subcomponents.map(({ savings }) => savings));
}
