import { importMarketPartners, marketPartners } from '../../contracts/market-partners/service.ts';
import { command } from '../engine/command.ts';
import { act, JSON_LIST, JSON_OBJECT, LIMIT } from '../engine/fields.ts';
import { inputFile } from '../engine/session.ts';

export const commands = {
  import: command({
    words: 'from a CSV file with code, name and country, all of it or nothing; a known code is updated',
    examples: ['partners.csv', "partners.csv --reason 'list of October' --json"],
    arguments: { file: 'one row per market partner' },
    options: { ...act('import of market partners'), ...JSON_OBJECT },
    work: async ({ database, act }, { file }) => importMarketPartners(database, await inputFile(file), act),
  }),
  list: command({
    words: 'market partners, newest first',
    examples: ['', '--limit 1000 --json'],
    options: { ...LIMIT, ...JSON_LIST },
    work: ({ database }, { limit }) => marketPartners(database, limit),
    columns: ['id', 'code', 'country', 'created_at', 'name'],
    least: ['created_at', 'country'],
  }),
};
