import { importPlans } from '../../tariffs/plans/import.ts';
import { plansOf, replacedTermsOf } from '../../tariffs/plans/service.ts';
import { command } from '../engine/command.ts';
import { act, OF_ORGANIZATION } from '../engine/fields.ts';
import { type OutputRow, table } from '../engine/output.ts';
import { inputFile } from '../engine/session.ts';

export const commands = {
  import: command({
    words: 'plans and their terms from a CSV file, all of it or nothing',
    examples: ['plans.csv', "plans.csv --reason 'prices of 2027' --json"],
    arguments: { file: 'one row per plan and period of its terms' },
    options: { ...act('import of plans'), ...OF_ORGANIZATION },
    work: async ({ database, organization, act }, { file }) =>
      importPlans(database, organization, await inputFile(file), act),
    columns: ['id', 'slug', 'state'],
  }),
  list: command({
    words: 'plans of an organization with the terms of today, newest first',
    examples: ['', '--organization org_… --json'],
    options: OF_ORGANIZATION,
    work: ({ organization, ...session }) => plansOf(session, organization),
    columns: ['id', 'slug', 'type', 'status', 'price', 'valid_from', 'valid_to', 'name'],
    least: ['valid_to', 'valid_from', 'type'],
  }),
  history: command({
    words: 'terms of a plan that imports replaced, newest first',
    examples: ['pln_…', 'pln_… --json'],
    arguments: { plan: 'pln_…' },
    options: OF_ORGANIZATION,
    thing: 'plan',
    work: ({ database, organization }, { plan }) => replacedTermsOf(database, organization, plan),
    /* The terms are kept as they were, whatever fields they had. */
    print: (rows: readonly OutputRow[]) => [
      table(rows, ['replaced_at', 'valid_from', 'valid_to', 'base_fee_net', 'margin_ct_net']),
    ],
  }),
};
