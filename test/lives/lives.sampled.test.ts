import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderInvoices } from '../../src/billing/invoices/documents/render.ts';
import { renderInvoicesJob } from '../../src/billing/invoices/jobs.ts';
import { worker } from '../../src/platform/jobs/jobs.ts';
import { addDays, addMonths } from '../../src/platform/time/berlin-calendar.ts';
import { jobWorkers } from '../../workers/index.ts';
import { startBilled } from '../billing/invoices/billing.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { isLongTier } from '../setup/tier.ts';
import { LivesBank } from './bank.ts';
import { type Act, anyLife, FIRST, type Life, MONTHS, storyOf } from './life.ts';
import { Living } from './living.ts';
import { Looks } from './looks.ts';

/*
 * Whole lives of contracts, month by month, with everything that comes late. At the end the documents of each come to what
 * one bill over all of its days comes to, by what is known then; after each month every door shows the same.
 */

/** So many live side by side in one organization, with a service and a database to themselves. */
const BATCH = 30;
/** What takes a few minutes. `LIVES=10000 LIVES_SEED=7` draws others. */
const LIVES = Number(process.env.LIVES ?? (isLongTier ? 10 * BATCH : BATCH));
/** The short tier has always the same lives: a new mistake of the product must not fail a change that has nothing to do with it. */
const SEED = Number(process.env.LIVES_SEED ?? (isLongTier ? randomInt(2 ** 31) : 28));

/** Of the worker process. Of ten documents one gets its file: to draw all would take as long as everything else. */
const WORKERS = [
  ...jobWorkers.filter(({ definition }) => definition.name !== renderInvoicesJob.name),
  worker(renderInvoicesJob, (deps: Parameters<typeof renderInvoices>[0], { payload, ...run }) => {
    const invoices = payload.invoices.filter((id) => /[0-3]$/.test(id));
    return renderInvoices(deps, { ...run, payload: { invoices } });
  }),
];

async function live(lives: readonly Life[]): Promise<void> {
  const billed = await startBilled(`${FIRST}T05:30:00.000Z`, WORKERS);
  try {
    await billed.price(FIRST, addMonths(FIRST, MONTHS), 80);
    await billed.issuer();
    await storedRows(
      billed.api,
      `INSERT INTO zip_areas (zip, operator, concession_class, share, valid_from, valid_to, source)
       VALUES ('20354', 'netz-leipzig', 'T4', 1, '2025-01-01', '2026-01-01', 'tests')`,
    );
    const all = lives.map((life) => new Living(billed, life));
    const bank = new LivesBank(billed);
    const looks = new Looks(billed, bank);
    for (const living of all) await living.begin();
    for (let month = 1; month <= MONTHS + 3; month += 1) {
      const today = addDays(addMonths(FIRST, month), 19);
      billed.clock.set(`${today}T05:30:00.000Z`);
      const due = (what: (act: Act) => boolean) => (living: Living) =>
        living.life.acts.filter((act) => act.month === month && what(act));
      for (const living of all) for (const act of due(() => true)(living)) await living.act(act, today);
      await billed.bill();
      const bouncing = all.filter((living) => due(({ what }) => what === 'bounces')(living).length > 0);
      const paying = all.flatMap((living) =>
        due(({ what }) => what === 'pays')(living).map(({ amount }) => [living, amount / 20] as const),
      );
      await bank.month(new Set(bouncing.map(({ contract }) => contract.id)), new Map(paying));
      await looks.look();
    }
    for (const living of all) {
      expect(await billed.refusals(living.contract)).toEqual([]);
      expect(await living.inDocuments()).toBe(await living.atOnce());
    }
  } finally {
    await billed.close();
  }
}

/** One after the other, to name the one that fails, and then a shorter one that fails as well. */
async function tellStory(lives: readonly Life[]): Promise<never> {
  for (const life of lives) {
    await fc.assert(
      fc.asyncProperty(fc.subarray(life.acts), (acts) => live([{ ...life, acts }])),
      {
        numRuns: 1,
        examples: [[life.acts]],
        reporter: ({ failed, counterexample, errorInstance }) => {
          if (!failed) return;
          const [acts = life.acts] = counterexample ?? [];
          throw new Error(storyOf({ ...life, acts }), { cause: errorInstance });
        },
      },
    );
  }
  throw new Error(['Only together they fail:', ...lives.map(storyOf)].join('\n'));
}

test('all documents of a contract come to what one bill over its whole life does, and every door shows them', {
  timeout: 6 * 3_600_000,
}, async () => {
  const drawn = fc.sample(anyLife, { seed: SEED, numRuns: LIVES });
  for (let first = 0; first < LIVES; first += BATCH) {
    const lives = drawn.slice(first, first + BATCH);
    await live(lives).catch((error: unknown) =>
      tellStory(lives).catch((story: unknown) => {
        const which = `LIVES=${LIVES} LIVES_SEED=${SEED}, from life ${first + 1} on:`;
        throw new Error(`${which} ${String(story)}`, { cause: error });
      }),
    );
  }
});
