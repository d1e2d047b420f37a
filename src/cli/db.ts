import { runDatabaseCommandLine } from './database-command-line.ts';
import { processIo } from './engine/process-io.ts';

process.exitCode = await runDatabaseCommandLine(process.argv.slice(2), processIo());
