import { Command } from 'commander';
import { backfillCommand } from './backfill.ts';
import { preferCommand, releaseCommand, resolveCommand } from './choose.ts';
import { evaluateCommand } from './evaluate.ts';
import { importCommand } from './import.ts';
import { meanCommand } from './mean.ts';
import { parseCommand } from './parse.ts';
import { pullCommand } from './pull.ts';
import { replayCommand } from './replay.ts';
import { statusCommand } from './status.ts';

export function pricesCommand(): Command {
  const command = new Command('prices');
  const parts = [
    statusCommand(),
    meanCommand(),
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
