import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { LocalServers } from '../../../src/cli/demo/start/environment.ts';
import { nextEnvironment } from '../../../src/cli/demo/start/running-service.ts';

const servers = { keys: {} } as LocalServers;
const more = {} as Parameters<typeof nextEnvironment>[1];
const portOf = async (shell: Record<string, string>) =>
  (await nextEnvironment(servers, more, shell)).BASE_URL.replace('http://127.0.0.1:', '');

test('a start serves at the port that PORT names, or says that it is not free', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const PORT = String((other.address() as AddressInfo).port);
  await expect(portOf({ PORT })).rejects.toThrow(
    `PORT: ${PORT} is not free on 127.0.0.1. Without PORT the start looks for a free one`,
  );
  other.close();
  await once(other, 'close');
  expect(await portOf({ PORT })).toBe(PORT);
});

test.each(['', '0'])('a start with PORT=%s looks for a free port', async (PORT) => {
  expect(Number(await portOf({ PORT }))).toBeGreaterThanOrEqual(4300);
});

test.each(['8o80', '-1', '80.5', '65535'])('PORT=%s is refused', async (PORT) => {
  await expect(portOf({ PORT })).rejects.toThrow('PORT: needs a whole number up to 65534');
});
