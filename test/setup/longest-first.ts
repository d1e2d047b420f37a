import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longer than twenty seconds on two cores, by what they wait for more than by what they compute: begun
 * last, each of them would run alone at the end. A new machine has no durations to order by.
 */
const LONG = [
  'start/start',
  'spot-prices/run/commands',
  'faults/ledger',
  'scenarios/spot-price-week',
  'browser/pages',
  'bad-input/mutations',
  'bad-input/whole-bodies',
  'load/command',
  'cli/clients',
  'faults/lost-connections',
  'platform/db',
  'subscriptions/cli',
  'cli/tariffs',
  'cli/organizations',
  'isolation/words-and-time',
  'spot-prices/store/operator-commands',
  'faults/api-process',
  'spot-prices/wire/parse-command',
  'bad-input/fields',
  'bad-input/transport',
  'isolation/routes',
  'meter-readings/record',
  'subscriptions/sign-up-random',
];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return at === -1 ? LONG.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}
