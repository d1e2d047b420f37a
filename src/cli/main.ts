import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '../config.ts';
import { Failure } from '../platform/errors.ts';
import { clientsCommand } from './clients.ts';
import { environmentCommand } from './env.ts';
import { grantsCommand } from './grants.ts';
import { householdsCommand } from './households.ts';
import { keysCommand } from './keys.ts';
import { leadsCommand } from './leads.ts';
import { marketPartnersCommand } from './market-partners.ts';
import { meterReadingsCommand } from './meter-readings.ts';
import { organizationsCommand } from './organizations.ts';
import { plansCommand } from './plans.ts';
import { pricesCommand } from './prices.ts';
import { subscriptionsCommand } from './subscriptions.ts';
import { tariffsCommand } from './tariffs.ts';
import { usageCommand } from './usage.ts';

/** 0: done. 1: refused or failed. 2: not understood. */
const EXIT_FAILED = 1;
const EXIT_NOT_UNDERSTOOD = 2;

const program = new Command('npm run cli --')
  .description(
    "The operator's command line: organizations, clients, contracts, plans, tariffs, prices, keys.",
  )
  .addCommand(organizationsCommand())
  .addCommand(clientsCommand())
  .addCommand(grantsCommand())
  .addCommand(householdsCommand())
  .addCommand(subscriptionsCommand())
  .addCommand(meterReadingsCommand())
  .addCommand(usageCommand())
  .addCommand(plansCommand())
  .addCommand(leadsCommand())
  .addCommand(marketPartnersCommand())
  .addCommand(tariffsCommand())
  .addCommand(pricesCommand())
  .addCommand(keysCommand())
  .addCommand(environmentCommand());

/** Makes commander throw instead of ending the process by itself, also in the commands below. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const below of command.commands) throwInsteadOfExit(below);
}

/** One sentence for people, without a stack. */
function sentencesOf(error: unknown): string {
  if (error instanceof ConfigurationError) {
    return `${error.message}\nRun npm start in this folder once, or set these variables.`;
  }
  if (!(error instanceof Failure)) return error instanceof Error ? error.message : String(error);
  if (error.status === 503) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return `The database cannot be reached${cause}`;
  }
  if (error.entries.length === 0) return error.message;
  return error.entries.map((entry) => `${entry.field}: ${entry.message}`).join('\n');
}

/* `… | head` closes the pipe when it has seen enough. What the command does is done to its end all the same. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

throwInsteadOfExit(program);
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    /* Commander has written its sentence, or the help that was asked for. */
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_NOT_UNDERSTOOD;
  } else {
    process.stderr.write(`${sentencesOf(error)}\n`);
    process.exitCode = EXIT_FAILED;
  }
}
