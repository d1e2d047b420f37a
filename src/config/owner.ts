import { z } from 'zod';
import { databaseUrl, databaseUrls, redisUrl } from './kinds.ts';

/** For `npm run db`: what a database administrator has, and no service process. */
export const ownerVariables = z.object({
  DATABASE_ADMIN_URL: databaseUrl.optional(),
  /** Superusers' addresses of the workers of Citus; none for TimescaleDB. */
  DATABASE_WORKER_ADMIN_URLS: databaseUrls,
  DATABASE_OWNER_URL: databaseUrl.optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_MAINTENANCE_URL: databaseUrl.optional(),
  REDIS_URL: redisUrl.optional(),
});

/** For `npm run load -- scale-out`: superusers' addresses of a cluster of Citus that it may fill. */
export const loadVariables = z.object({
  LOAD_CITUS_ADMIN_URL: databaseUrl.optional(),
  LOAD_CITUS_WORKER_ADMIN_URLS: databaseUrls,
});

/** Servers for the tests to use instead of their own: they create roles and databases there. */
export const testVariables = z.object({
  TEST_DATABASE_ADMIN_URL: databaseUrl.optional(),
  TEST_DATABASE_WORKER_ADMIN_URLS: databaseUrls,
  TEST_REDIS_URL: redisUrl.optional(),
  /** Path of a Chromium to look at pages with, where none can be fetched from Debian. */
  TEST_CHROMIUM: z.string().optional(),
});
