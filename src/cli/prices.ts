import { Command } from 'commander';
import { backfillCommand } from './prices-backfill.ts';
import { preferCommand, releaseCommand, resolveCommand } from './prices-choose.ts';
import { evaluateCommand } from './prices-evaluate.ts';
import { importCommand } from './prices-import.ts';
import { parseCommand } from './prices-parse.ts';
import { pullCommand } from './prices-pull.ts';
import { replayCommand } from './prices-replay.ts';
import { statusCommand } from './prices-status.ts';

export function pricesCommand(): Command {
  const command = new Command('prices');
  const parts = [
    statusCommand(),
    pullCommand(),
    backfillCommand(),
    importCommand(),
    parseCommand(),
    preferCommand(),
    releaseCommand(),
    resolveCommand(),
    evaluateCommand(),
    replayCommand(),
  ];
  for (const part of parts) command.addCommand(part);
  return command;
}
