import { runCommandLine } from './command-line.ts';
import { processIo } from './engine/process-io.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), processIo());
