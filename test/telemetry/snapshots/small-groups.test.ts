import { expect, test, vi } from 'vitest';
import { smallGroupsByCores } from '../../../src/config/processes.ts';
import { holdRow, untilBatchesWait, untilWaiting } from './held-rows.ts';
import { instant, startSnapshotApi } from './snapshot-api.ts';

test.each([
  [1, 'waits for the first'],
  [2, 'is written beside the first'],
])('with %i small groups at a time the second %s', async (most) => {
  const service = await startSnapshotApi({ INGEST_SMALL_GROUPS_MAX: String(most) });
  const home = await service.addHousehold();
  const send = (second: number) =>
    home.send([{ asset: home.assets.household_net.id, timestamp: instant(second), power_kw: 1 }]);
  await send(-1);
  const held = await holdRow(service, home, 0);
  /* A group that is held up stops counting after a while: here that while has no end. */
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const first = send(0);
    await untilWaiting(service, 1);
    const second = send(1);
    if (most === 1) await untilBatchesWait(service, 1);
    else expect((await second).status).toBe(200);
    await held.letGo();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  } finally {
    vi.useRealTimers();
    await service.close();
  }
});

test('as many small groups at a time as there are cores free for them', () => {
  expect([1, 2, 3, 64].map((cores) => smallGroupsByCores(cores, false))).toEqual([1, 1, 2, 2]);
  expect(smallGroupsByCores(64, true)).toBe(1);
});
