// npm run services -- status|stop|reset: the servers that starts of this project brought up.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { dataFolder, projectFolder } from './data-folder.mjs';
import { stateFile } from './local-services/state.ts';
import {
  dataOfLocalServices,
  resetLocalServices,
  type ServerStatus,
  statusOfLocalServices,
  stopLocalServices,
} from './local-services.ts';

/** One folder of servers, or all of this clone: those of `npm start` and those of the tests. */
async function findFolders(name: string | undefined): Promise<string[]> {
  const names = name ? [name] : await readdir(dataFolder).catch(() => []);
  return names
    .map((each) => join(dataFolder, each))
    .filter((folder) => existsSync(stateFile(folder)) || dataOfLocalServices(folder).length > 0);
}

function describe(name: string, server: ServerStatus): string {
  if (!server.running) return `${name} stopped`;
  const where = server.kind === 'compose' ? 'container' : `process ${server.pid}, log ${server.logFile}`;
  return `${name} 127.0.0.1:${server.port} (${where})`;
}

async function status(name: string | undefined): Promise<void> {
  const folders = await findFolders(name);
  if (folders.length === 0) console.log('No servers have been started in this project.');
  for (const folder of folders) {
    const servers = await statusOfLocalServices(folder);
    console.log(relative(dataFolder, folder));
    if (servers) {
      console.log(`  ${describe('PostgreSQL', servers.postgres)}`);
      console.log(`  ${describe('Valkey', servers.redis)}`);
    }
  }
}

async function stop(name: string | undefined): Promise<void> {
  const folders = await findFolders(name);
  if (folders.length === 0) console.log(`${name ?? 'all'}: nothing was started there.`);
  for (const folder of folders) {
    const stopped = await stopLocalServices(folder);
    const names = [stopped.postgres && 'PostgreSQL', stopped.redis && 'Valkey'].filter(Boolean);
    console.log(
      `${relative(dataFolder, folder)}: ${names.length ? `${names.join(' and ')} stopped` : 'nothing ran'}`,
    );
  }
}

async function confirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new Error('Nothing was deleted: there is no terminal to ask on, say --yes.');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Delete this data? Type yes: ').finally(() => terminal.close());
  return answer.trim().toLowerCase() === 'yes';
}

async function reset(name: string, options: { yes?: boolean }): Promise<void> {
  const folders = await findFolders(name);
  if (folders.length === 0) {
    console.log('There is nothing to delete.');
    return;
  }
  console.log('A reset stops these servers and deletes their data, passwords and logs:');
  for (const path of folders.flatMap(dataOfLocalServices)) console.log(`  ${relative(projectFolder, path)}`);
  if (!options.yes && !(await confirmed())) {
    console.log('Nothing was deleted.');
    return;
  }
  for (const folder of folders) await resetLocalServices(folder);
  console.log('Deleted.');
}

const program = new Command('npm run services --')
  .description('the servers brought up by npm start (local) and npm test (test)')
  .addHelpText('after', '\nExamples:\n  npm run services -- status\n  npm run services -- stop local')
  .showHelpAfterError();
program
  .command('status')
  .argument('[name]', 'the folder in .data; without it: all')
  .description('what runs, and where')
  .action(status);
program
  .command('stop')
  .argument('[name]', 'the folder in .data; without it: all')
  .description('end the servers; data stays')
  .action(stop);
program
  .command('reset')
  .argument('[name]', 'the folder in .data', 'local')
  .option('--yes', 'delete without asking')
  .description('end the servers and delete their data')
  .action(reset);

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
