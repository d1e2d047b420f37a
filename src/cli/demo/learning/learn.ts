import type { StaffAct } from '../../../platform/staff-act.ts';
import type { PriceParts } from '../../../spot-prices/parts.ts';
import { importLearningPrices, type LearningPrices } from './prices.ts';
import { ensureLearningRecords } from './records.ts';
import { type SentSnapshots, sendLearningSnapshots } from './snapshots.ts';

interface LearnOptions {
  act: StaffAct;
  openFeed: Parameters<typeof importLearningPrices>[1];
  onSent?: (total: SentSnapshots) => void;
}

/**
 * Stores the learning data, or what is missing of them: interrupted or run again it sends everything once more, and rows
 * that are there with equal values stay as they are.
 */
export async function learn(
  parts: PriceParts,
  { act, openFeed, onSent = () => {} }: LearnOptions,
): Promise<{ snapshots: SentSnapshots; prices: LearningPrices }> {
  await ensureLearningRecords(parts.database, act);
  const prices = await importLearningPrices(parts, openFeed);
  return { prices, snapshots: await sendLearningSnapshots(parts, onSent) };
}
