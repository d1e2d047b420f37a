import type { TestProject } from 'vitest/node';
import type { Engine } from '../../src/platform/database/engine.ts';
import { startTestServers, type TestServers } from './servers.ts';
import type { Templates } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    servers: TestServers;
    /** Name of this run: its databases carry it. */
    run: string;
    /** Of this run: what its services mailed. */
    mailFolder: string;
    /** The file has its process to itself. */
    isAlone: boolean;
    /** What the servers have loaded. */
    engine: Engine;
    /** What test files clone. */
    templates: Templates;
    /** Which files run, and how much the sampled ones try: `npm test` or `npm run test:long`. */
    tier: 'short' | 'long';
  }
}

/** Before the first test file: servers and a migrated template; after the last: what was started here is stopped. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { name, mailFolder, servers, engine, templates, stop } = await startTestServers((line) =>
    process.stdout.write(`${line}\n`),
  );
  project.provide('servers', servers);
  project.provide('run', name);
  project.provide('mailFolder', mailFolder);
  project.provide('engine', engine);
  project.provide('templates', templates);
  return stop;
}
