import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longer than ten seconds on two cores, by what they wait for more than by what they compute: begun
 * last in its group, each of them would run alone at the end. A new machine has no durations to order by.
 */
const LONG = [
  'cli/start/start.long',
  'faults/process-group.long',
  'faults/webhooks.long',
  'scenarios/spot-price-week.long',
  'cli/start/terminal.long',
  'faults/ledger.long',
  'bad-input/described-routes.sampled',
  'browser/pages.long',
  'bad-input/whole-bodies.sampled',
  'faults/one-caller.long',
  'workers/jobs-on-demand.long',
  'scale-out/cadence.long',
  'scenarios/billing-year.long',
  'lives/lives.sampled',
  'scale-out/service.long',
  'isolation/routes.sampled',
  'contracts/meter-orders/moves.sampled',
  'billing/invoices/commands/commands',
  'lists/cost',
  'governance/personal-data/export-and-erase',
  'platform/database/migrate',
];

const testFolder = join(import.meta.dirname, '..');

/** With `TEST_ORDER_SEED` the files of each group come in an order that is drawn by it. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONG.filter((name) => !existsSync(join(testFolder, `${name}.test.ts`)));
    if (gone.length > 0) throw new Error(`test/setup/longest-first.ts names files that are gone: ${gone}`);
    // Group by group: a process that files share ends where a file of another group is next.
    const groups = this.ctx.projects.map(({ name }) => name);
    const place = ({ moduleId, project }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return groups.indexOf(project.name) * (LONG.length + 1) + (at === -1 ? LONG.length : at);
    };
    const seed = process.env.TEST_ORDER_SEED;
    if (seed === undefined)
      return (await super.sort(files)).toSorted((left, right) => place(left) - place(right));
    const drawn = ({ moduleId, project }: TestSpecification) =>
      `${groups.indexOf(project.name)} ${createHash('sha256').update(`${seed} ${moduleId}`).digest('hex')}`;
    return files.toSorted((left, right) => (drawn(left) < drawn(right) ? -1 : 1));
  }
}
