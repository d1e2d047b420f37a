import type { TestProject } from 'vitest/node';
import { startTestServers, type TestServers } from './servers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    servers: TestServers;
    /** Name of the database that test files clone. */
    template: string;
  }
}

/** Before the first test file: servers and a migrated template; after the last: what was started here is stopped. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { servers, template, stop } = await startTestServers((line) => process.stdout.write(`${line}\n`));
  project.provide('servers', servers);
  project.provide('template', template);
  return stop;
}
