import { Command, CommanderError } from 'commander';
import { type CommandIo, withCommandIo } from './io.ts';
import { runProgram } from './program.ts';
import { sentencesOf } from './sentences.ts';

/** 0: done. 1: refused or failed. 2: not understood. */
const EXIT_FAILED = 1;
const EXIT_NOT_UNDERSTOOD = 2;

/** Every noun, its sentence, and the file that knows its verbs. */
const NOUNS: readonly (readonly [name: string, sentence: string, load: () => Promise<Command>])[] = [
  [
    'organizations',
    'tenants: who the service works for',
    () => import('./identity/organizations.ts').then((file) => file.organizationsCommand()),
  ],
  [
    'issuers',
    'who bills for an organization: names, tax ids, bank account, days of dunning',
    () => import('./billing/issuers.ts').then((file) => file.issuersCommand()),
  ],
  [
    'clients',
    'OAuth clients: programs that may ask for tokens',
    () => import('./identity/clients.ts').then((file) => file.clientsCommand()),
  ],
  [
    'grants',
    'what clients were given: for themselves, or by a customer who consented',
    () => import('./identity/grants.ts').then((file) => file.grantsCommand()),
  ],
  [
    'analysts',
    'accounts of the database that read the views of one organization',
    () => import('./governance/analysts.ts').then((file) => file.analystsCommand()),
  ],
  [
    'export',
    'snapshots, energy, usage, invoices or prices as a CSV or Parquet file',
    () => import('./governance/export.ts').then((file) => file.exportCommand()),
  ],
  [
    'customers',
    'rights of persons: everything about one, and its erasure',
    () => import('./identity/customers.ts').then((file) => file.customersCommand()),
  ],
  [
    'households',
    'metering points of customers: what assets belong to',
    () => import('./identity/households.ts').then((file) => file.householdsCommand()),
  ],
  [
    'subscriptions',
    'contracts of customers: what the grid operator confirmed or refused, and how they end',
    () => import('./contracts/subscriptions.ts').then((file) => file.subscriptionsCommand()),
  ],
  [
    'grid-fee-reductions',
    'modules of section 14a EnWG: what the grid operator accepted, refused or stopped',
    () => import('./contracts/grid-fee-reductions.ts').then((file) => file.gridFeeReductionsCommand()),
  ],
  [
    'meters',
    'what meters are from which day on: exchanges, types, metering operators',
    () => import('./contracts/meters.ts').then((file) => file.metersCommand()),
  ],
  [
    'meter-orders',
    'orders of smart meters: how far they are, and what the metering partner reported',
    () => import('./contracts/meter-orders.ts').then((file) => file.meterOrdersCommand()),
  ],
  [
    'meter-readings',
    'readings and estimates of the metering operator, for analog meters',
    () => import('./contracts/meter-readings.ts').then((file) => file.meterReadingsCommand()),
  ],
  [
    'load-forecasts',
    'expected loads of contracts, by which electricity is bought',
    () => import('./contracts/load-forecasts.ts').then((file) => file.loadForecastsCommand()),
  ],
  [
    'usage',
    'metered usage of smart meters',
    () => import('./contracts/usage.ts').then((file) => file.usageCommand()),
  ],
  [
    'storage',
    'hypertables: sizes, compression, periods, and the sums by quarter hour',
    () => import('./governance/storage.ts').then((file) => file.storageCommand()),
  ],
  [
    'plans',
    'tariffs that an organization sells',
    () => import('./tariffs/plans.ts').then((file) => file.plansCommand()),
  ],
  [
    'quotes',
    'why a price or a saving is what it is',
    () => import('./tariffs/quotes/quotes.ts').then((file) => file.quotesCommand()),
  ],
  [
    'invoices',
    'bills of contracts: runs, what is missing and why, what became of each, and reminders',
    () => import('./billing/invoices/index.ts').then((file) => file.invoicesCommand()),
  ],
  [
    'payments',
    'what customers pay and are paid: files for the bank, and what it reports',
    () => import('./billing/payments.ts').then((file) => file.paymentsCommand()),
  ],
  [
    'leads',
    'people who were offered a plan',
    () => import('./contracts/leads.ts').then((file) => file.leadsCommand()),
  ],
  [
    'market-partners',
    'suppliers that customers come from; all organizations see them',
    () => import('./contracts/market-partners.ts').then((file) => file.marketPartnersCommand()),
  ],
  [
    'tariffs',
    'dated reference data: VAT, grid operators and their fees, served zips, load profiles',
    () => import('./tariffs/tariffs.ts').then((file) => file.tariffsCommand()),
  ],
  [
    'prices',
    'day-ahead prices: fill, look, decide, forecast',
    () => import('./prices/prices.ts').then((file) => file.pricesCommand()),
  ],
  [
    'webhooks',
    'receivers of what happens to contracts and orders: addresses, secrets, deliveries',
    () => import('./events/webhooks.ts').then((file) => file.webhooksCommand()),
  ],
  [
    'listen',
    'prints what happens as it happens, or forwards it to a receiver that you develop',
    () => import('./events/listen.ts').then((file) => file.listenCommand()),
  ],
  [
    'jobs',
    'work in the background that was given up: look, start anew',
    () => import('./jobs.ts').then((file) => file.jobsCommand()),
  ],
  [
    'audit',
    'whether the audit log is as it was written',
    () => import('./governance/audit.ts').then((file) => file.auditCommand()),
  ],
  [
    'keys',
    'keys that sign access tokens',
    () => import('./identity/keys.ts').then((file) => file.keysCommand()),
  ],
  [
    'env',
    'BASE, TOKEN, HOUSEHOLD, PLAN, ASSET, NOW, AUTHORIZE and the client of the demo organization, for eval in a shell',
    () => import('./env.ts').then((file) => file.environmentCommand()),
  ],
];

/** Runs one command as `npm run cli --` does, and returns its exit code. */
export async function runCommandLine(args: readonly string[], io: CommandIo): Promise<number> {
  try {
    return await withCommandIo(io, async () => runProgram(await programFor(args), args));
  } catch (error) {
    /* Commander has written its sentence, or the help that was asked for. */
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_NOT_UNDERSTOOD;
    io.stderr.write(`${sentencesOf(error)}\n`);
    return EXIT_FAILED;
  }
}

async function programFor(args: readonly string[]): Promise<Command> {
  const program = new Command('npm run cli --').description(
    "The operator's command line: organizations, clients, contracts, plans, quotes, tariffs, prices, keys.",
  );
  for (const [name, sentence, load] of NOUNS) {
    /* Only what is named is loaded: the files of all nouns take three times as long as those of one. */
    const noun = args.includes(name) ? await load() : new Command(name);
    program.addCommand(noun.description(sentence));
  }
  return program;
}
