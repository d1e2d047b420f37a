import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type Environment, VARIABLE_NAMES } from '../config/config.ts';
import { commandIo } from './engine/io.ts';
import { startFiles } from './local/folder.ts';

const DATABASE_ADDRESSES = VARIABLE_NAMES.filter((name) => /^DATABASE_\w*URLS?$/.test(name));

/**
 * The variables of the shell. Those that it leaves out come from the last `npm start` in this folder, so that the commands
 * reach its service without any setting; but not where the shell names a database of another service, which has other keys.
 */
export function commandLineEnvironment(
  given: Environment = commandIo().environment,
  file: string = startFiles.environment,
): Environment {
  const present = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== ''),
  );
  const started = variablesOf(file);
  const isElsewhere = DATABASE_ADDRESSES.some((name) => name in present && present[name] !== started[name]);
  return isElsewhere ? present : { ...started, ...present };
}

/** Lines of NAME=value; everything behind the first equals sign is the value. */
function variablesOf(file: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const line of textOf(file).split('\n')) {
    const equals = line.indexOf('=');
    if (equals > 0 && !line.startsWith('#')) variables[line.slice(0, equals)] = line.slice(equals + 1);
  }
  return variables;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The service of these commands is that of `npm start`. */
export function isLocalStart(): boolean {
  return commandLineEnvironment().APP_ENV === 'local';
}

export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    /* A user without an entry in the system's list, as in many containers. */
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
