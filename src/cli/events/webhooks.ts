import { Command } from 'commander';
import { attemptsCommand, deliveriesCommand, resendCommand } from './deliveries.ts';
import { changeCommand, createCommand, listCommand, showCommand } from './endpoints.ts';
import { deleteCommand, disableCommand, enableCommand, rotateCommand } from './switches.ts';
import { testCommand } from './test-event.ts';

export function webhooksCommand(): Command {
  const command = new Command('webhooks');
  const parts = [
    ...[createCommand(), listCommand(), showCommand(), changeCommand(), rotateCommand()],
    ...[disableCommand(), enableCommand(), deleteCommand(), testCommand()],
    ...[deliveriesCommand(), attemptsCommand(), resendCommand()],
  ];
  for (const part of parts) command.addCommand(part);
  return command;
}
