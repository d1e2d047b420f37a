import { expect, test } from 'vitest';
import { Cleanup } from '../../load/surroundings/cleanup.ts';

test('what a run leaves behind is cleared up although one step fails, and the failure is told', async () => {
  const cleanup = new Cleanup();
  const done: string[] = [];
  cleanup.add(async () => void done.push('database'));
  cleanup.add(async () => {
    throw new Error('the node is away');
  });
  cleanup.add(async () => void done.push('service'));
  await expect(cleanup.run()).rejects.toThrow('the node is away');
  expect(done).toEqual(['service', 'database']);
});
