import type { TestApi } from './api.ts';
import { testEnvironment } from './environment.ts';
import { type ServiceProcess, startService } from './service-process.ts';

/**
 * The API as a process of its own, or several at one port (`API_PROCESSES`), on the database and keys of the service inside
 * a test, which only makes tenants and tokens.
 */
export function startApiProcess(api: TestApi, changes: Record<string, string> = {}): ServiceProcess {
  const { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY, REDIS_URL } = api.deps.config;
  return startService('src/main.ts', {
    ...testEnvironment(api.database, REDIS_URL),
    SECRET_PEPPER,
    ENCRYPTION_KEY,
    CURSOR_KEY,
    BASE_URL: api.baseUrl,
    PORT: '0',
    LOG_LEVEL: 'info',
    ...changes,
  });
}

export async function addressOf(started: ServiceProcess): Promise<string> {
  return String((await started.line('API ready')).url);
}
