import { expect, test } from 'vitest';
import { createSignal } from '../../../src/platform/process/signals.ts';

test('every listener hears every value until its subscription ends', () => {
  const signal = createSignal<string>();
  const heard: string[] = [];
  const end = signal.subscribe((value) => heard.push(`first ${value}`));
  signal.subscribe((value) => heard.push(`second ${value}`));
  signal.emit('a');
  end();
  signal.emit('b');
  expect(heard).toEqual(['first a', 'second a', 'second b']);
});
