import { expect, test } from 'vitest';
import { startBlock } from '../../../src/cli/demo/start/block.ts';
import { fleetLine } from '../../../src/cli/demo/start/fleet.ts';
import { createScreen } from '../../../src/cli/demo/start/screen.ts';
import type { StartFacts } from '../../../src/cli/local/facts.ts';
import { shownScreen } from './shown-screen.ts';

const COLUMNS = 80;
const ROWS = 24;

function recorded(terminal: { isTTY: boolean; columns: number }) {
  let written = '';
  let now = 0;
  const write = (text: string | Uint8Array) => {
    /* A terminal begins each line at its left edge. */
    written += terminal.isTTY ? String(text).replaceAll('\n', '\r\n') : String(text);
    return true;
  };
  const screen = createScreen({ ...terminal, write }, false, () => now);
  return {
    screen,
    written: () => written,
    wait: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

const busy = (rowsStored: number) =>
  fleetLine({
    phase: 'live',
    rowsStored,
    rowsDuplicate: 1_234_567,
    batches: 1,
    rowsPerSecond: 216_580,
    rowsPerSecondMax: 349_860,
    errors: 12_345,
    lastError: 'POST /asset-snapshots answered 503: The service is busy or restarting; try again shortly',
  });

const id = (prefix: string) => `${prefix}_${'x'.repeat(24)}`;

test('the first screen keeps key and lines to try on 24 lines of 80, however long the fleet runs', () => {
  const facts: StartFacts = {
    base_url: 'http://127.0.0.1:4300',
    database_url: '',
    analyst_url: 'postgres://voltstream_analyst_demo_x:y@127.0.0.1:5432/voltstream',
    redis_url: '',
    organization: id('org'),
    client_id: id('oac'),
    client_secret: `ocs_${'x'.repeat(43)}`,
    redirect_uri: 'http://127.0.0.1:4399/callback',
    household: id('dom'),
    assets: [{ id: id('ast'), type: 'solar', external_id: null }],
    snapshot_table: 'asset_snapshots',
    prices: 'synthetic',
    feed_url: 'http://127.0.0.1:41873',
    fleet_households: [],
    api_pid: 1_234_567,
    worker_pid: 1_234_568,
  };
  const { screen, written } = recorded({ isTTY: true, columns: COLUMNS });
  screen.done('API and worker ready');
  screen.say(startBlock(facts));
  for (let round = 0; round < 600; round += 1) {
    screen.live(busy(round * 1_000_000));
    if (round === 50) screen.say('  prices: 600 days of history are there');
  }
  screen.endLive();
  screen.say(
    `  ${fleetLine({ phase: 'ended', rowsStored: 599_000_000, rowsDuplicate: 0, batches: 1, rowsPerSecond: 216_580, rowsPerSecondMax: 349_860, errors: 0 })}`,
  );
  screen.say('           the fleet has finished, the service goes on');
  const shown = shownScreen(written(), COLUMNS).slice(-ROWS).join('\n');
  for (const words of [
    facts.client_id,
    facts.client_secret,
    '  Try',
    'TOKEN=$(curl',
    'API      http',
    'Console  http://127.0.0.1:4300/console as demo@example.org',
    'Ctrl-C stops all of this; data stays; npm run services -- reset deletes it',
  ]) {
    expect(shown).toContain(words);
  }
});

test('the live line takes one line of the terminal, below what is said', () => {
  const { screen, written } = recorded({ isTTY: true, columns: 40 });
  screen.live(busy(1));
  screen.say('said');
  screen.live(busy(2));
  const shown = shownScreen(written(), 40);
  expect(shown).toHaveLength(2);
  expect(shown[0]).toBe('said');
  expect(shown[1]).toMatch(/^ {2}Fleet {4}2 rows stored .{1,30}…$/);
  expect(shown[1]?.length).toBeLessThan(40);
});

test('where there is no terminal the live line is printed once a minute, whole', () => {
  const { screen, written, wait } = recorded({ isTTY: false, columns: 0 });
  for (let second = 0; second < 150; second += 1) {
    screen.live(busy(second));
    wait(1);
  }
  const lines = written().trimEnd().split('\n');
  expect(lines).toEqual([0, 60, 120].map((second) => `  ${busy(second)}`));
});
