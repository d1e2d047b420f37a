import type { ProcessGroup } from '../process/group/member.ts';
import type { GroupPart } from '../process/group/primary.ts';
import { type BucketNumbers, ProcessBuckets, type Tokens } from './token-bucket.ts';

/** Where tokens are counted while Redis is away. */
export interface LocalBuckets {
  take(bucket: string, numbers: BucketNumbers, count: number): Tokens | Promise<Tokens>;
}

interface BucketRequest {
  bucket: string;
  numbers: BucketNumbers;
  count: number;
}

const TAKE = 'take-tokens';

/**
 * Without Redis the primary counts for all processes of the group: else a client would have its limit once in each of
 * them. Who hears nothing from it counts in `own`.
 */
export function bucketsOfGroup({ channel }: ProcessGroup, own: ProcessBuckets): LocalBuckets {
  return {
    take: async (bucket, numbers, count) => {
      const request: BucketRequest = { bucket, numbers, count };
      return (await channel.ask<Tokens>(TAKE, request)) ?? own.take(bucket, numbers, count);
    },
  };
}

export function bucketsOfPrimary(entriesMax: number): GroupPart {
  const buckets = new ProcessBuckets(entriesMax);
  return {
    join: ({ channel }) => {
      channel.answer<BucketRequest>(TAKE, ({ bucket, numbers, count }) =>
        buckets.take(bucket, numbers, count),
      );
    },
  };
}
