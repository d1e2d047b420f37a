import pg from 'pg';
import { Unreachable } from './failures.ts';

export async function connect(url: string, otherwise: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'voltstream-load',
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw new Unreachable(`${otherwise} (${error instanceof Error ? error.message : error})`);
  }
}
