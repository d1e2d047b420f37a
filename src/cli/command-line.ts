import { Command, CommanderError } from 'commander';
import { batchCommand } from './batch.ts';
import { type Commands, command, commandOf, type DescribedCommand } from './engine/command.ts';
import { completionScript, SHELLS } from './engine/completion.ts';
import { argument, choice } from './engine/fields.ts';
import { asTyped, type CommandIo, commandIo, withCommandIo, withoutPager } from './engine/io.ts';
import { runProgram, withExamples } from './engine/program.ts';
import { sentencesOf } from './engine/sentences.ts';
import { withoutSession } from './engine/session.ts';
import { packageVersion } from './engine/version.ts';

/** 0: done. 1: refused or failed. 2: not understood. */
const EXIT_FAILED = 1;
const EXIT_NOT_UNDERSTOOD = 2;

interface NounFile {
  /** By their names, or the one command that the noun is. */
  readonly commands: Commands | DescribedCommand;
}

/** Every noun, its sentence, and the file that knows its commands. */
const NOUNS: Readonly<Record<string, readonly [words: string, load: () => Promise<NounFile>]>> = {
  organizations: ['tenants: who the service works for', () => import('./identity/organizations.ts')],
  issuers: [
    'who bills for an organization: names, tax ids, bank account, days of dunning',
    () => import('./billing/issuers.ts'),
  ],
  clients: ['OAuth clients: programs that may ask for tokens', () => import('./identity/clients.ts')],
  'console-users': [
    'people of an organization who may sign in to its console',
    () => import('./identity/console-users.ts'),
  ],
  grants: [
    'what clients were given: for themselves, or by a customer who consented',
    () => import('./identity/grants.ts'),
  ],
  analysts: [
    'accounts of the database that read the views of one organization',
    () => import('./governance/analysts.ts'),
  ],
  export: [
    'each view of analysts as a CSV or Parquet file: values, energy, cost, records, bills, prices, fees',
    () => import('./governance/export.ts'),
  ],
  customers: [
    'rights of persons: everything about one, and its erasure',
    () => import('./identity/customers.ts'),
  ],
  households: [
    'metering points of customers: what assets belong to',
    () => import('./identity/households.ts'),
  ],
  subscriptions: [
    'contracts of customers: what the grid operator confirmed or refused, and how they end',
    () => import('./contracts/subscriptions.ts'),
  ],
  'grid-fee-reductions': [
    'modules of section 14a EnWG: what the grid operator accepted, refused or stopped',
    () => import('./contracts/grid-fee-reductions.ts'),
  ],
  meters: [
    'what meters are from which day on: exchanges, types, metering operators',
    () => import('./contracts/meters.ts'),
  ],
  'meter-orders': [
    'orders of smart meters: how far they are, and what the metering partner reported',
    () => import('./contracts/meter-orders.ts'),
  ],
  'meter-readings': [
    'readings and estimates of the metering operator, for analog meters',
    () => import('./contracts/meter-readings.ts'),
  ],
  'load-forecasts': [
    'expected loads of contracts, by which electricity is bought',
    () => import('./contracts/load-forecasts.ts'),
  ],
  usage: ['metered usage of smart meters', () => import('./contracts/usage.ts')],
  storage: [
    'hypertables: sizes, compression, periods, and the sums by quarter hour',
    () => import('./governance/storage.ts'),
  ],
  plans: ['tariffs that an organization sells', () => import('./tariffs/plans.ts')],
  quotes: ['why a price or a saving is what it is', () => import('./tariffs/quotes.ts')],
  invoices: [
    'bills of contracts: runs, what is missing and why, what became of each, and reminders',
    () => import('./billing/invoices.ts'),
  ],
  payments: [
    'what customers pay and are paid: files for the bank, and what it reports',
    () => import('./billing/payments.ts'),
  ],
  leads: ['people who were offered a plan', () => import('./contracts/leads.ts')],
  'market-partners': [
    'suppliers that customers come from; all organizations see them',
    () => import('./contracts/market-partners.ts'),
  ],
  tariffs: [
    'dated reference data: VAT, grid operators and their fees, served zips, load profiles',
    () => import('./tariffs/tariffs.ts'),
  ],
  prices: ['day-ahead prices: fill, look, decide, forecast', () => import('./prices/prices.ts')],
  webhooks: [
    'receivers of what happens to contracts and orders: addresses, secrets, deliveries',
    () => import('./events/webhooks.ts'),
  ],
  listen: [
    'prints what happens as it happens, or forwards it to a receiver that you develop',
    () => import('./events/listen.ts'),
  ],
  jobs: ['work in the background that was given up: look, start anew', () => import('./jobs.ts')],
  doctor: [
    'what is wrong, and what to do about it: database, Redis, clock, disk, prices, jobs, receivers, keys',
    () => import('./doctor/doctor.ts'),
  ],
  audit: ['whether the audit log is as it was written', () => import('./governance/audit.ts')],
  keys: ['keys that sign access tokens', () => import('./identity/keys.ts')],
  env: [
    'BASE, TOKEN, HOUSEHOLD, PLAN, ASSET, NOW, AUTHORIZE and the client of the demo organization, for eval in a shell',
    () => import('./env.ts'),
  ],
  simulate: [
    'sends what the devices of a household could have measured, as its gateway would',
    () => import('./simulation/simulate.ts'),
  ],
  batch: [
    'runs the commands of a file in one process: the market messages of a day',
    async () => ({ commands: batchCommand({ run: runCommandLine, understand: understandCommand }) }),
  ],
  completion: [
    'what a shell needs to complete these commands with the tabulator key',
    async () => ({ commands: completion }),
  ],
};

const PROGRAM = 'npm run cli --';

const completion = command({
  words:
    'prints a script that makes the command voltstream, which is npm run cli --, and completes what is typed behind it',
  examples: ['bash >> ~/.bashrc', 'fish > ~/.config/fish/conf.d/voltstream.fish'],
  arguments: { shell: argument(choice('', 'whose script', SHELLS)) },
  session: withoutSession,
  work: async (_session, { shell }) => {
    commandIo().stdout.write(completionScript(shell, await wholeCommandLine()));
  },
});

/** Runs one command as `npm run cli --` does, and returns its exit code. */
export async function runCommandLine(args: readonly string[], io: CommandIo): Promise<number> {
  try {
    return await withCommandIo(io, async () => runProgram(await commandLine(args), args));
  } catch (error) {
    /* Commander has written its sentence, or the help that was asked for. */
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_NOT_UNDERSTOOD;
    io.stderr.write(`${asTyped(sentencesOf(error, io), io)}\n`);
    return EXIT_FAILED;
  }
}

/** Reads the words as `runCommandLine` does, whether they can be meant together as well, and does nothing. */
async function understandCommand(
  args: readonly string[],
  io: CommandIo,
): Promise<{ exitCode: number; hasDryRun: boolean }> {
  let hasDryRun = false;
  let isUnderstood = false;
  try {
    await withCommandIo(io, async () => {
      const program = await commandLine(args);
      for (const leaf of leavesBelow(program)) {
        leaf.action(() => {
          isUnderstood = true;
          hasDryRun = leaf.options.some(({ long }) => long === '--dry-run');
        });
      }
      await runProgram(program, args);
    });
  } catch (error) {
    if (!(error instanceof CommanderError)) io.stderr.write(`${asTyped(sentencesOf(error, io), io)}\n`);
  }
  return { exitCode: isUnderstood ? 0 : EXIT_NOT_UNDERSTOOD, hasDryRun };
}

function leavesBelow(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesBelow);
}

/** All commands. */
export function wholeCommandLine(): Promise<Command> {
  return commandLine(Object.keys(NOUNS));
}

/** The commands of these nouns, and the names of all others: the files of all take three times as long as those of one. */
async function commandLine(nouns: readonly string[]): Promise<Command> {
  const program = new Command(PROGRAM)
    .description(
      "The operator's command line: organizations, clients, contracts, plans, quotes, tariffs, prices, keys.",
    )
    .version(packageVersion(), '--version', 'the version of the service')
    .option('--no-pager', 'writes long lists at once, also to a terminal')
    .hook('preAction', () => {
      if (program.opts().pager === false) withoutPager();
    });
  for (const [name, [words, load]] of Object.entries(NOUNS)) {
    const noun = nouns.includes(name) ? nounOf(name, words, await load()) : new Command(name);
    program.addCommand(noun.description(words));
  }
  return withExamples(program, PROGRAM, ['organizations list', 'prices status --no-pager']);
}

function nounOf(name: string, words: string, { commands }: NounFile): Command {
  const isOne = typeof commands.run === 'function';
  return commandOf(
    name,
    isOne ? (commands as DescribedCommand) : { words, commands: commands as Commands },
    PROGRAM,
  );
}
