import type { ProcessGroup } from '../process/group/member.ts';
import type { GroupPart } from '../process/group/primary.ts';
import { type BucketNumbers, ProcessBuckets, type Tokens } from './token-bucket.ts';

/** Where tokens are counted while Redis is away. */
export interface LocalBuckets {
  take(bucket: string, numbers: BucketNumbers, wanted: number): Tokens | Promise<Tokens>;
}

interface WantedTokens {
  bucket: string;
  numbers: BucketNumbers;
  wanted: number;
}

const TAKE = 'take-tokens';

/**
 * Without Redis the primary counts for all processes of the group: else a client would have its limit once in each of
 * them. Who hears nothing from it counts in `own`.
 */
export function bucketsOfGroup({ channel }: ProcessGroup, own: ProcessBuckets): LocalBuckets {
  return {
    take: async (bucket, numbers, wanted) => {
      const question: WantedTokens = { bucket, numbers, wanted };
      return (await channel.ask<Tokens>(TAKE, question)) ?? own.take(bucket, numbers, wanted);
    },
  };
}

export function bucketsOfPrimary(entriesMax: number): GroupPart {
  const buckets = new ProcessBuckets(entriesMax);
  return {
    join: ({ channel }) => {
      channel.answer<WantedTokens>(TAKE, ({ bucket, numbers, wanted }) =>
        buckets.take(bucket, numbers, wanted),
      );
    },
  };
}
