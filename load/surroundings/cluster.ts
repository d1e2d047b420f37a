import { ConfigurationError, processEnvironment, readLoadConfig } from '../../src/config/config.ts';
import type { DatabaseServers } from './drop-database.ts';
import { WrongUse } from './failures.ts';

export interface ClusterOptions {
  citusAdminUrl?: string;
  citusWorkerAdminUrls?: string;
}

/** A cluster of Citus that was there before: by options, else by the environment, where no list of processes shows passwords. */
export function clusterOf({ citusAdminUrl, citusWorkerAdminUrls }: ClusterOptions): DatabaseServers {
  try {
    const config = readLoadConfig({
      ...processEnvironment(),
      ...(citusAdminUrl === undefined ? {} : { LOAD_CITUS_ADMIN_URL: citusAdminUrl }),
      ...(citusWorkerAdminUrls === undefined ? {} : { LOAD_CITUS_WORKER_ADMIN_URLS: citusWorkerAdminUrls }),
    });
    const [adminUrl, workerAdminUrls] = [config.LOAD_CITUS_ADMIN_URL, config.LOAD_CITUS_WORKER_ADMIN_URLS];
    if (adminUrl !== undefined && workerAdminUrls.length > 0) return { adminUrl, workerAdminUrls };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new WrongUse(error.message);
  }
  throw new WrongUse(
    'Which cluster of Citus? LOAD_CITUS_ADMIN_URL and LOAD_CITUS_WORKER_ADMIN_URLS, or --citus-admin-url and --citus-worker-admin-urls',
  );
}
