import { ConfigurationError, type OwnerConfig } from '../config/config.ts';
import { type RolePasswords, withDatabaseClient } from '../platform/database/setup.ts';

/** The addresses of the three roles that may be set, and whose they are. */
export const ROLE_VARIABLES = {
  owner: 'DATABASE_OWNER_URL',
  app: 'DATABASE_URL',
  maintenance: 'DATABASE_MAINTENANCE_URL',
} as const satisfies Record<keyof RolePasswords, keyof OwnerConfig>;

const ROLES = ['owner', 'app', 'maintenance'] as const;

/** Read from addresses that are set already: the passwords of the roles, and the name of the database. */
export interface GivenRoles {
  /** Undefined where no address is set. */
  database: string | undefined;
  passwords: Partial<RolePasswords>;
}

/** Addresses of another role, without a database or of different databases are refused before anything is changed. */
export function givenRoles(config: OwnerConfig): GivenRoles {
  const passwords: Partial<RolePasswords> = {};
  let first: { variable: string; database: string } | undefined;
  for (const role of ROLES) {
    const variable = ROLE_VARIABLES[role];
    const address = config[variable];
    if (address === undefined) continue;
    const { username, password, pathname } = new URL(address);
    if (username !== `voltstream_${role}`) {
      throw new ConfigurationError(
        `${variable}: An address for the role voltstream_${role} names ${username || 'no role'}`,
      );
    }
    const database = decodeURIComponent(pathname.slice(1));
    if (database === '') throw new ConfigurationError(`${variable} names no database`);
    first ??= { variable, database };
    if (database !== first.database) {
      throw new ConfigurationError(
        `${variable} names the database ${database}, ${first.variable} names ${first.database}: all three are one`,
      );
    }
    if (password !== '') passwords[role] = decodeURIComponent(password);
  }
  return { database: first?.database, passwords };
}

/** Each given address with a password opens a connection; the first that does not is named. */
export async function proveGivenRoles(config: OwnerConfig): Promise<void> {
  for (const variable of Object.values(ROLE_VARIABLES)) {
    const address = config[variable];
    if (address === undefined || new URL(address).password === '') continue;
    try {
      await withDatabaseClient(address, (client) => client.query('SELECT'));
    } catch (error) {
      throw new Error(
        `${variable} does not lead to this database: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}
