import { Command } from 'commander';
import { deadlinesCommand, reportCommand, runCommand } from './billing.ts';
import { correctCommand, exitSummaryCommand } from './corrections.ts';
import { dunningCommand } from './dunning.ts';
import { eInvoiceCommand } from './e-invoice.ts';
import { listCommand } from './list.ts';
import { payCommands } from './pay.ts';
import { showCommand } from './show.ts';
import { instalmentCommand, modeCommand } from './terms.ts';
import { voidCommand } from './void.ts';

export function invoicesCommand(): Command {
  const command = new Command('invoices');
  const parts = [
    ...[runCommand(), reportCommand(), deadlinesCommand(), listCommand()],
    ...[showCommand(), voidCommand(), eInvoiceCommand()],
    ...[...payCommands(), dunningCommand()],
    ...[modeCommand(), instalmentCommand(), correctCommand(), exitSummaryCommand()],
  ];
  for (const part of parts) command.addCommand(part);
  return command;
}
