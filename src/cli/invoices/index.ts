import { Command } from 'commander';
import { deadlinesCommand, reportCommand, runCommand } from './billing.ts';
import { listCommand } from './list.ts';
import { instalmentCommand, modeCommand } from './terms.ts';

export function invoicesCommand(): Command {
  const command = new Command('invoices');
  const parts = [
    ...[runCommand(), reportCommand(), deadlinesCommand(), listCommand()],
    ...[modeCommand(), instalmentCommand()],
  ];
  for (const part of parts) command.addCommand(part);
  return command;
}
