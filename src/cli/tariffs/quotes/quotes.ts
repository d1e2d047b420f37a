import { Command } from 'commander';
import { pino } from 'pino';
import { createLogger } from '../../../platform/log/logger.ts';
import { berlinDayAt } from '../../../platform/time/berlin-calendar.ts';
import { quotablePlan } from '../../../tariffs/plans/service.ts';
import { planForStaff } from '../../../tariffs/plans/staff-read.ts';
import { askedByBody } from '../../../tariffs/quotes/asked.ts';
import { priceQuote } from '../../../tariffs/quotes/price.ts';
import { calculatedSavings } from '../../../tariffs/savings/service.ts';
import { known, withSession } from '../../session.ts';
import { askedBy, type ShowOptions, withShowOptions } from './options.ts';
import { printQuote } from './quote-table.ts';
import { printSavings } from './savings-table.ts';

export function quotesCommand(): Command {
  return new Command('quotes').addCommand(show());
}

function show(): Command {
  const command = new Command('show')
    .description('why a price or a saving is what it is: every row, and the rows of reference data behind it')
    .argument('<plan>', 'pln_… or its slug')
    .argument('<zip>', 'five digits');
  return withShowOptions(command).action((idOrSlug: string, zip: string, options: ShowOptions) => {
    const asked = askedBy(zip, options);
    return withSession(async ({ config, database, clock }) => {
      /* Warnings of rows that ran out go to standard error. */
      const destination = pino.destination({ dest: 2, sync: true });
      const log = createLogger({ level: config.LOG_LEVEL, name: 'cli', destination });
      const {
        organization,
        plan: { id },
      } = await known(`plan ${idOrSlug}`, planForStaff(database, idOrSlug, options.organization));
      const on = options.date ?? berlinDayAt(clock.nowMilliseconds());
      const plan = await quotablePlan(database, organization, id, on);
      if (plan === undefined) throw new Error(`There is no plan ${idOrSlug}`);
      const head = { plan: plan.id, slug: plan.slug, organization, zip_code: zip, price_date: on };
      const deps = { database, log };
      if (asked.kind === 'quote') {
        const priced = await priceQuote(deps, plan, askedByBody(asked.body), on);
        const operator = priced.grid.name;
        printQuote({ head: { ...head, operator }, plan, body: asked.body, priced }, options);
      } else {
        const calculation = await calculatedSavings(deps, plan, asked.body, on);
        printSavings({ head, plan, body: asked.body, calculation }, options);
      }
    });
  });
}
