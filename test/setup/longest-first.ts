import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longer than twenty seconds on two cores, by what they wait for more than by what they compute: begun
 * last, each of them would run alone at the end. A new machine has no durations to order by.
 */
const LONG = [
  'cli/start/start',
  'spot-prices/upkeep/commands',
  'faults/ledger',
  'scenarios/spot-price-week',
  'browser/pages',
  'bad-input/mutations',
  'bad-input/whole-bodies',
  'load/command',
  'cli/clients',
  'faults/lost-connections',
  'platform/database/db',
  'contracts/subscriptions/cli',
  'cli/tariffs',
  'cli/organizations',
  'isolation/words-and-time',
  'spot-prices/store/operator-commands',
  'faults/api-process',
  'spot-prices/providers/parse-command',
  'bad-input/fields',
  'bad-input/transport',
  'isolation/routes',
  'contracts/meter-readings/record',
  'contracts/subscriptions/sign-up-random',
];

const testFolder = join(import.meta.dirname, '..');

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONG.filter((name) => !existsSync(join(testFolder, `${name}.test.ts`)));
    if (gone.length > 0) throw new Error(`test/setup/longest-first.ts names files that are gone: ${gone}`);
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return at === -1 ? LONG.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}
