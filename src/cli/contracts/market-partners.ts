import { Command } from 'commander';
import { importMarketPartners, marketPartners } from '../../contracts/market-partners/service.ts';
import { wholeNumber } from '../identity/client-options.ts';
import { printObject, printTable } from '../output.ts';
import { type ActOptions, inputFile, staffAct, withActOptions, withSession } from '../session.ts';

interface MarketPartnerOptions {
  json?: boolean;
}

export function marketPartnersCommand(): Command {
  return new Command('market-partners').addCommand(importCommand()).addCommand(list());
}

function importCommand(): Command {
  return withActOptions(new Command('import'), 'import of market partners')
    .description('from a CSV file with code, name and country, all of it or nothing; a known code is updated')
    .argument('<file>', 'one row per market partner')
    .option('--json', 'as one JSON object')
    .action((path: string, options: MarketPartnerOptions & ActOptions) =>
      withSession(async (session) => {
        const act = staffAct(session, options, 'market-partners import');
        const counts = await importMarketPartners(session.database, await inputFile(path), act);
        printObject({ ...counts }, options);
      }),
    );
}

function list(): Command {
  return new Command('list')
    .description('market partners, newest first')
    .option('--limit <number>', 'at most so many', wholeNumber, 100)
    .option('--json', 'as a list of JSON objects')
    .action((options: MarketPartnerOptions & { limit: number }) =>
      withSession(async ({ database }) => {
        const rows = await marketPartners(database, options.limit);
        printTable(
          rows.map((row) => ({ ...row })),
          ['id', 'code', 'country', 'created_at', 'name'],
          options,
        );
      }),
    );
}
