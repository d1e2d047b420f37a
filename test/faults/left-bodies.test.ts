import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../setup/api.ts';
import { createTenant } from '../setup/factories.ts';

/*
 * The room for bodies is given back with the answer, and not every request gets one: its caller may have left before the
 * body was read, while it was read, or right after it. What stays counted would fill the room of an organization, or of
 * all strangers, for as long as the process lives.
 */

let api: TestApi;
let token: string;

beforeAll(async () => {
  api = await startApi();
  ({ token } = await createTenant(api));
});
afterAll(() => api?.close());

/** A whole request in one packet, and `more` behind it; the connection ends after `milliseconds`, if not before. */
function leaveAfter(milliseconds: number, path: string, body: string, more: string): Promise<void> {
  const { hostname, port } = new URL(api.baseUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n` +
          `X-API-Version: 2026-09-08.gauss\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}${more}`,
      );
      setTimeout(() => socket.destroy(), milliseconds);
    });
    socket.on('error', () => {}).on('close', () => resolve());
  });
}

const bodies: readonly [title: string, path: string, body: string, more: string][] = [
  ['bytes behind the body that are no request', '/assets', '{', '}'],
  ['a small body', '/assets', '{"household":"x"}', ''],
  ['a large body that waits for its turn', '/assets', JSON.stringify({ name: 'x'.repeat(20_000) }), ''],
  ['a batch', '/asset-snapshots', '{"household":"x","snapshots":[]}', ''],
  ['a token request of a stranger', '/oauth/token', '{"grant_type":"client_credentials"}', ''],
];

test.each(bodies)(
  'after %s, however early its caller leaves, no room stays taken',
  async (_title, ...request) => {
    for (const milliseconds of [0, 1, 2, 3, 5, 8, 20]) {
      await Promise.all(Array.from({ length: 20 }, () => leaveAfter(milliseconds, ...request)));
    }
    await expect.poll(() => api.deps.bodyRoom.bytesTaken).toBe(0);
  },
);
