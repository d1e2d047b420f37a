import { unavailable } from '../../errors.ts';
import {
  countsTogether,
  createMetrics,
  type Metrics,
  type MetricValues,
  metricsTogether,
} from '../../metrics.ts';
import type { ProcessGroup } from './member.ts';
import type { GroupPart, Member } from './primary.ts';

const PAGE = 'metrics-page';
const VALUES = 'metrics-values';
/** It waits for every process, and one of them may be stuck. */
const PAGE_MILLISECONDS_MAX = 3_000;

/**
 * One page of `/metrics` for the whole group, whichever process is asked. None where the primary does not answer: the
 * counts of one process would look as if all had begun anew.
 */
export function metricsOfGroup(
  { channel }: ProcessGroup,
  own: Metrics,
): Pick<Metrics, 'contentType' | 'text'> {
  channel.answer(VALUES, () => own.values());
  return {
    contentType: own.contentType,
    text: async () => {
      const page = await channel.ask<string>(PAGE, null, PAGE_MILLISECONDS_MAX);
      if (page === undefined) throw unavailable();
      return page;
    },
  };
}

/** Counts of a process that has ended stay in the sum, as they were when they were last asked for. */
export function metricsOfPrimary(): GroupPart {
  const own = createMetrics({ runtime: false });
  const ends = own.counter('api_process_ends_total', 'API processes that ended while the service went on');
  const lastValues = new Map<number, MetricValues>();
  let ended: MetricValues = [];
  /* One after the other: two ends at the same moment would lose one of the sums. */
  let adding = Promise.resolve();

  async function valuesOf({ pid, channel }: Member): Promise<MetricValues> {
    const values = await channel.ask<MetricValues>(VALUES, null);
    if (values !== undefined) lastValues.set(pid, values);
    return values ?? lastValues.get(pid) ?? [];
  }

  return {
    join: ({ channel }, members) => {
      own.measured('api_processes', 'API processes that run', () => members().length);
      channel.answer(PAGE, async () => {
        const all = await Promise.all(members().map(valuesOf));
        await adding;
        return await metricsTogether([await own.values(), ended, ...all]);
      });
    },
    leave: ({ pid }) => {
      ends.inc();
      const last = lastValues.get(pid);
      lastValues.delete(pid);
      if (last === undefined) return;
      adding = adding.then(async () => {
        ended = await countsTogether([ended, last]);
      });
    },
  };
}
