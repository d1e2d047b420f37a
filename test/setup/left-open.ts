import { afterAll, expect, vi } from 'vitest';
import { lasting } from './administrator.ts';

/* Runs around every file. The next one runs in the same process: a server that is left would go on beside it. */
const openServers = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length - lasting.servers;

const before = openServers();

/** What was closed a moment ago is still there for a turn of the loop or two. */
afterAll(() =>
  vi.waitFor(() => expect(openServers(), 'servers that this file left open').toBeLessThanOrEqual(before), {
    timeout: 30_000,
    interval: 5,
  }),
);
