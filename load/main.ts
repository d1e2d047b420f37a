import { CommanderError } from 'commander';
import { type BillingOptions, billing } from './billing/billing.ts';
import {
  againstOthers,
  cleanup,
  listOption,
  measurement,
  numberFrom,
  program,
  report,
  say,
  takingAddresses,
} from './command-line.ts';
import { compare } from './compare.ts';
import { type EnduranceOptions, endurance } from './endurance/endurance.ts';
import { FAULTS } from './endurance/faults.ts';
import { type CookbookGrowthOptions, cookbookGrowth } from './growth/cookbook-growth.ts';
import { type GrowthOptions, growth } from './growth/growth.ts';
import { type AuthenticationOptions, authentication } from './ingest/authentication.ts';
import { type IngestOptions, ingest } from './ingest/ingest.ts';
import { type RepeatsOptions, repeats } from './ingest/repeats.ts';
import { type SaturateOptions, saturate } from './ingest/saturate.ts';
import { type SmallBatchesOptions, smallBatches } from './ingest/small-batches.ts';
import { type GreedyCallersOptions, greedyCallers } from './reads/greedy-callers.ts';
import { type ListsOptions, lists } from './reads/lists.ts';
import { type LongPeriodsOptions, longPeriods } from './reads/long-periods.ts';
import { type QuotesOptions, quotes } from './reads/quotes.ts';
import { type ReadSeriesOptions, readSeries } from './reads/read-series.ts';
import { type ScaleOutFaultsOptions, scaleOutFaults } from './scale-out/faults.ts';
import { type ScaleOutOptions, scaleOut } from './scale-out/scale-out.ts';
import { EXIT_CODES, Unreachable, WrongUse } from './surroundings/failures.ts';
import { type WebhooksOptions, webhooks } from './webhooks/webhooks.ts';

takingAddresses(againstOthers(measurement('ingest')))
  .description('large batches: against psql \\copy of the same rows, sent again, bad, and for minutes')
  .option('--households <number>', 'households that report, one batch each in turn', numberFrom(1, 5000), 60)
  .option('--rows <number>', 'rows of a batch, a multiple of 10', numberFrom(10, 10_000), 10_000)
  .option('--batches <number>', 'batches of one round', numberFrom(1, 10_000), 100)
  .option('--connections <number>', 'batches in flight', numberFrom(1, 64), 4)
  .option(
    '--minutes <number>',
    'load without a break, for memory; 0 leaves it out',
    numberFrom(0, 600, false),
    1,
  )
  .option('--gzip', 'also rounds with compressed bodies', false)
  .option('--sums', 'also rounds beside the job that sums by quarter hour', false)
  .option(
    '--open-loop <rate>',
    'also so many batches a second, answered or not',
    numberFrom(0.1, 10_000, false),
  )
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .action((options: IngestOptions & { json: boolean }) =>
    report(options.json, () => ingest(options, cleanup, say)),
  );

againstOthers(measurement('small-batches'))
  .description('small batches of many gateways, for each number of rows and of gateways')
  .addOption(
    listOption(['--gateways <numbers>', 'gateways that send at once, up to 1000'], [1, 1000], [32, 1000]),
  )
  .addOption(
    listOption(['--rows <numbers>', 'rows of a batch, multiples of 10 up to 600'], [10, 600], [10, 100]),
  )
  .option('--requests <number>', 'requests of one round, all gateways together', numberFrom(1, 1e6), 10_000)
  .option('--days-back <number>', 'how old the rows are; 0: of the last minutes', numberFrom(0, 365), 0)
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .action((options: SmallBatchesOptions & { json: boolean }) =>
    report(options.json, () => smallBatches(options, cleanup, say)),
  );

takingAddresses(program.command('saturate'))
  .description(
    'the rate of new batches at which p99 leaves its bound: closed loop, then one rate after the other',
  )
  .option('--rows <number>', 'rows of a batch, a multiple of 10', numberFrom(10, 10_000), 100)
  .option('--gateways <number>', 'households that report in turn', numberFrom(1, 1000), 32)
  .option(
    '--bound-milliseconds <number>',
    'p99 at most, from the intended send time',
    numberFrom(1, 60_000),
    250,
  )
  .option('--seconds <number>', 'at each rate', numberFrom(1, 600), 10)
  .option('--steps <number>', 'rates that are tried at most', numberFrom(1, 30), 10)
  .option('--processes <number>', 'API processes of the service', numberFrom(1, 64), 1)
  .option(
    '--quiet-seconds <number>',
    'wait so long for a machine that is busy otherwise',
    numberFrom(0, 600),
    20,
  )
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .option('--json', 'print the result as JSON', false)
  .action((options: SaturateOptions & { json: boolean }) =>
    report(options.json, () => saturate(options, cleanup, say)),
  );

measurement('repeats')
  .description('batches of which 0, 1, 5 and 100 % were sent before: what one costs, for each number of rows')
  .option('--gateways <number>', 'gateways that send at once', numberFrom(1, 1000), 32)
  .addOption(
    listOption(['--rows <numbers>', 'rows of a batch, multiples of 10'], [10, 10_000], [10, 100, 10_000]),
  )
  .option('--round-rows <number>', 'rows of one round, all gateways together', numberFrom(10, 1e8), 1_000_000)
  .option('--requests <number>', 'requests of one round at most', numberFrom(1, 1e6), 5_000)
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .action((options: RepeatsOptions & { json: boolean }) =>
    report(options.json, () => repeats(options, cleanup, say)),
  );

measurement('scale-out')
  .description(
    'the same service on one node of TimescaleDB and on Citus, through the coordinator and to the nodes',
  )
  .addOption(
    listOption(['--rows <numbers>', 'rows of a batch, multiples of 10'], [10, 10_000], [10, 100, 10_000]),
  )
  .option('--requests <number>', 'requests of one round, up to a million rows', numberFrom(1, 1e6), 10_000)
  .option('--citus-admin-url <url>', "a superuser's address of the coordinator; else LOAD_CITUS_ADMIN_URL")
  .option('--citus-worker-admin-urls <urls>', 'of the workers; else LOAD_CITUS_WORKER_ADMIN_URLS')
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .action((options: ScaleOutOptions & { json: boolean }) =>
    report(options.json, () => scaleOut(options, cleanup, say)),
  );

program
  .command('scale-out-faults')
  .description('nodes of Citus killed under load and shards moved: all that was acknowledged is compared')
  .requiredOption(
    '--nodes <file>',
    'the cluster: a list of name, adminUrl, data and start, coordinator first',
  )
  .option('--writes-to <ways>', 'coordinator, nodes', (text) => text.split(','), ['coordinator', 'nodes'])
  .option('--households <number>', 'households that report', numberFrom(2, 1_000), 16)
  .option('--writers <number>', 'batches in flight', numberFrom(1, 64), 8)
  .option('--rate <number>', 'batches a second at most', numberFrom(1, 100_000), 100)
  .option('--outage-seconds <number>', 'from the kill of a node to its start', numberFrom(0, 600, false), 4)
  .option('--between-seconds <number>', 'from its return to the next kill', numberFrom(0, 600, false), 4)
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .option('--json', 'print the result as JSON', false)
  .action((options: ScaleOutFaultsOptions & { json: boolean }) =>
    report(options.json, () => scaleOutFaults(options, cleanup, say)),
  );

measurement('authentication')
  .description('what it costs to know the sender and to count the request, in small and in large batches')
  .option('--gateways <number>', 'gateways that send small batches at once', numberFrom(1, 1000), 32)
  .option('--requests <number>', 'small batches of each gateway in one round', numberFrom(1, 5000), 100)
  .option('--batches <number>', 'batches of 10,000 rows in one round', numberFrom(1, 1000), 100)
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .action((options: AuthenticationOptions & { json: boolean }) =>
    report(options.json, () => authentication(options, cleanup, say)),
  );

measurement('read-series')
  .description('two days of prices: against Fastify that answers the same bytes from memory')
  .option('--connections <number>', 'readers at once', numberFrom(1, 1000), 32)
  .option('--requests <number>', 'requests of each reader in one round', numberFrom(1, 10_000), 400)
  .action((options: ReadSeriesOptions & { json: boolean }) =>
    report(options.json, () => readSeries(options, cleanup, say)),
  );

measurement('quotes')
  .description(
    'prices of a plan: for each core of the service process; beside it Fastify with the same bytes',
  )
  .option('--connections <number>', 'requests at once', numberFrom(1, 1000), 16)
  .option('--requests <number>', 'requests of each connection in one round', numberFrom(1, 10_000), 1_000)
  .option('--different <number>', 'different requests, sent in turn', numberFrom(1, 100_000), 2_000)
  .option('--seed <text>', 'the same seed is the same requests', 'voltstream')
  .action((options: QuotesOptions & { json: boolean }) =>
    report(options.json, () => quotes(options, cleanup, say)),
  );

measurement('lists')
  .description('pages of a list of a million customers, at any depth and by filters, and all of it at once')
  .option('--customers <number>', 'customers of the organization', numberFrom(1_000, 10_000_000), 1_000_000)
  .option(
    '--pages <number>',
    'pages that each reader reads at each depth in one round',
    numberFrom(10, 100_000),
    500,
  )
  .option('--readers <number>', 'readers at once', numberFrom(1, 1000), 1)
  .option('--whole-lists <number>', 'readers of the whole list at once', numberFrom(1, 64), 1)
  .action((options: ListsOptions & { json: boolean }) =>
    report(options.json, () => lists(options, cleanup, say)),
  );

measurement('growth')
  .description('a store that grows: bytes of a row, what one costs, newest lists, questions of analysts')
  .option(
    '--assets <number>',
    'assets, ten of a household, that send once a minute; a multiple of 10',
    numberFrom(10, 50_000),
    10_000,
  )
  .option('--from <number>', 'how many snapshots at first', numberFrom(1e6, 1e9), 1_000_000)
  .option('--rows <number>', 'up to how many snapshots, in tenfold steps', numberFrom(1e6, 1e9), 10_000_000)
  .addOption(
    listOption(
      ['--checkpoint-minutes <numbers>', 'minutes of the fleet between two checkpoints, in turn'],
      [1, 1_440],
      [5, 30],
    ),
  )
  .option('--no-questions', 'sums, compresses and asks nothing: only what a row and a newest list cost')
  .option(
    '--exports',
    'also cli export of the largest store, killed once; takes 200 bytes a snapshot of disk',
    false,
  )
  .option(
    '--lists <number>',
    'newest lists that are read at each size in each round',
    numberFrom(100, 100_000),
    1_000,
  )
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .action((options: GrowthOptions & { json: boolean }) =>
    report(options.json, () => growth(options, cleanup, say)),
  );

measurement('cookbook')
  .description(
    'each question of the cookbook about the same days, of a store whose past grows; then 100 and more',
  )
  .option(
    '--households <number>',
    'with ten assets; one in eight sends once a minute',
    numberFrom(1, 5_000),
    46,
  )
  .addOption(
    listOption(
      ['--sizes <numbers>', 'how many snapshots are stored, in turn'],
      [10_000, 1e9],
      [1_000_000, 50_000_000],
    ),
  )
  .option('--days <number>', 'days before today that are asked about', numberFrom(1, 366), 7)
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .action((options: CookbookGrowthOptions & { json: boolean }) =>
    report(options.json, () => cookbookGrowth(options, cleanup, say)),
  );

measurement('long-periods', 1)
  .description(
    'years of usage and prices: processor time of a call, and what one client can take from another',
  )
  .option('--calls <number>', 'calls of each kind whose processor time is counted', numberFrom(5, 10_000), 30)
  .option(
    '--seconds <number>',
    'how long each kind is asked for beside another organization',
    numberFrom(2, 600),
    8,
  )
  .action((options: LongPeriodsOptions & { json: boolean }) =>
    report(options.json, () => longPeriods(options, cleanup, say)),
  );

measurement('greedy-callers', 1)
  .description(
    'the costliest requests of one caller, beside another organization and another client of his own',
  )
  .option(
    '--connections <number>',
    'connections of the caller, one request after the other',
    numberFrom(1, 64),
    8,
  )
  .option('--seconds <number>', 'how long each kind is sent', numberFrom(2, 600), 8)
  .option('--only <text>', 'only the kinds whose name has this text')
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .action((options: GreedyCallersOptions & { json: boolean }) =>
    report(options.json, () => greedyCallers(options, cleanup, say)),
  );

measurement('webhooks', 1)
  .description('events to endpoints of which some are dead, with kill -9 of the worker and of Redis')
  .option('--events <number>', 'events in all', numberFrom(10, 1_000_000), 10_000)
  .option('--endpoints <number>', 'endpoints of all organizations', numberFrom(1, 5_000), 50)
  .option('--dead <number>', 'of which so many refuse, hang or answer 500', numberFrom(0, 5_000), 10)
  .option(
    '--organizations <number>',
    'an event goes to the endpoints of its own; 1: every event to every endpoint',
    numberFrom(1, 1_000),
    10,
  )
  .option(
    '--per-second <number>',
    'events a second, but for those at once',
    numberFrom(0.1, 10_000, false),
    30,
  )
  .option('--no-kills', 'kills nothing')
  .option('--minutes <number>', 'gives up what has not arrived by then', numberFrom(1, 600), 30)
  .action((options: WebhooksOptions & { json: boolean }) =>
    report(options.json, () => webhooks(options, cleanup, say)),
  );

measurement('billing', 1)
  .description(
    'a month of many contracts: bills a second, memory, and each exactly once with kill -9 of the worker',
  )
  .option('--contracts <number>', 'contracts with a smart meter', numberFrom(100, 1_000_000), 100_000)
  .option('--wave <number>', 'whose quarter hours are stored at a time', numberFrom(100, 100_000), 10_000)
  .option('--no-kills', 'kills nothing')
  .option('--minutes <number>', 'gives up what is not billed by then', numberFrom(1, 600), 120)
  .action((options: BillingOptions & { json: boolean }) =>
    report(options.json, () => billing(options, cleanup, say)),
  );

measurement('endurance', 1)
  .description(
    'everything at once for some minutes, with a fault in each of them; then all that was acknowledged is compared',
  )
  .option('--minutes <number>', 'so many faults, in turn', numberFrom(1, 50), FAULTS.length)
  .option('--households <number>', 'households that report', numberFrom(2, 10_000), 60)
  .option('--writers <number>', 'gateways that send at once', numberFrom(1, 64), 4)
  .option('--rate <number>', 'batches a second at most', numberFrom(1, 1_000), 20)
  .option('--contracts <number>', 'contracts that are billed in each minute', numberFrom(1, 1_000), 20)
  .option('--only <text>', 'only faults whose name has this text')
  .option('--seed <text>', 'the same seed is the same fleet', 'voltstream')
  .action((options: EnduranceOptions & { json: boolean }) =>
    report(options.json, () => endurance(options, cleanup, say)),
  );

program
  .command('compare')
  .description('two results of load/results: what differs around them, each figure of both, and the ratio')
  .argument('<one>', 'a path, or a name in load/results')
  .argument('<other>', 'a path, or a name in load/results')
  .action(async (a: string, b: string) => void process.stdout.write(`${await compare(a, b)}\n`));

/** Codes of a connection that could not be made or broke. */
const CONNECTION_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EHOSTUNREACH', '57P01'];

function exitOf(error: unknown): { code: number; meaning: string } {
  if (error instanceof WrongUse) return EXIT_CODES.wrongUse;
  if (error instanceof Unreachable) return EXIT_CODES.unreachable;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return CONNECTION_CODES.includes(code) ? EXIT_CODES.unreachable : EXIT_CODES.missed;
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_CODES.wrongUse.code;
  } else {
    const { code, meaning } = exitOf(error);
    const text = error instanceof Error ? error.message || error.name : String(error);
    process.stderr.write(`${text}\nExit code ${code}: ${meaning}\n`);
    process.exitCode = code;
  }
} finally {
  await cleanup.run();
}
