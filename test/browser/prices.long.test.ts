import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takePriceApi } from '../spot-prices/serve/price-api.ts';
import { FETCHING_MILLISECONDS, openBrowser } from './browser.ts';
import { type Look, look } from './looking.ts';

/* Prices of a Sunday in spring with negative hours, seen on the day before after the auction. */

const NOW = '2026-05-16T14:05:00+02:00';
const prices = await takePriceApi(NOW, { PRICES_PAGE_FORECASTS: 'true' });
let browser: Browser | undefined;

beforeAll(async () => {
  browser = await openBrowser();
  await prices.captureAt('2026-05-16T05:40:00+02:00');
  await showAt(NOW, '2026-05-15', '2026-05-16', '2026-05-17');
}, FETCHING_MILLISECONDS);

afterAll(async () => {
  await browser?.close();
  await prices.close();
});

async function showAt(now: string, ...days: string[]): Promise<void> {
  prices.clock.set(now);
  await prices.pull(...days);
}

/** Opens the page, waits until the curve is drawn, and holds against it what no page may do. */
async function looking(expectations: (seen: Look) => Promise<void>, path = '/prices'): Promise<void> {
  if (browser === undefined) throw new Error('No browser');
  const seen = await look(browser, `${prices.api.baseUrl}${path}`);
  try {
    await expectations(seen);
    expect(seen.problems).toEqual([]);
    expect(seen.foreign).toEqual([]);
  } finally {
    await seen.close();
  }
}

async function drawn({ page }: Look): Promise<void> {
  await page.locator('#chart[data-points] canvas').waitFor();
}

/** Share of the canvas that has this colour of the page, nearly. */
async function shareOf({ page }: Look, variable: string): Promise<number> {
  return await page.evaluate<number>(`(() => {
    const canvas = document.querySelector('#chart canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const painter = document.createElement('canvas').getContext('2d');
    painter.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('${variable}').trim();
    painter.fillRect(0, 0, 1, 1);
    const wanted = painter.getImageData(0, 0, 1, 1).data;
    let found = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] > 200 && [0, 1, 2].every((part) => Math.abs(data[at + part] - wanted[part]) < 24)) found += 1;
    }
    return found / (data.length / 4);
  })()`);
}

/** How far to the right the page goes, in pixels. */
const reach = ({ page }: Look) =>
  page.evaluate<number>('(scrollTo(10_000, 0), scrollX + document.documentElement.clientWidth)');

interface Marker {
  left: number;
  width: number;
  chart: number;
  start: string;
}

async function markerOf({ page }: Look): Promise<Marker> {
  return await page.evaluate<Marker>(`(() => {
    const marker = document.querySelector('.marker');
    const [box, over] = [marker.getBoundingClientRect(), marker.parentElement.getBoundingClientRect()];
    return { left: box.left - over.left, width: box.width, chart: over.width, start: marker.dataset.start };
  })()`);
}

/** Pixels between the names below the curve that stand beside each other; below zero they overlap. */
async function labelGaps({ page }: Look): Promise<number[]> {
  return await page.evaluate<number[]>(`(async () => {
    const curve = await (await fetch('/prices/curve.json')).json();
    const names = document.querySelector('#chart').dataset.labels.split('|');
    const [first, end] = document.querySelector('#chart').dataset.span.split('|').map(Number);
    const width = document.querySelector('#chart .u-over').clientWidth;
    const painter = document.createElement('canvas').getContext('2d');
    painter.font = '12px system-ui, sans-serif';
    const places = [];
    let from = curve.marks.findIndex((mark) => mark.at === first);
    for (const name of names) {
      from += curve.marks.slice(from).findIndex((mark) => mark.label === name);
      const at = ((curve.marks[from].at - first) / (end - first)) * width;
      const half = painter.measureText(name).width / 2;
      places.push({ left: at - half, right: at + half });
      from += 1;
    }
    return places.slice(1).map((place, index) => place.left - places[index].right);
  })()`);
}

const rowsOf = ({ page }: Look, day: string) => page.locator(`#day-${day} tbody tr`).count();

describe('the curve', () => {
  test('every price of three days is drawn, the marker stands on the interval of this moment', () =>
    looking(async (seen) => {
      await drawn(seen);
      /* One point more at the end of the last step. */
      expect(await seen.page.locator('#chart').getAttribute('data-points')).toBe('289');
      const { start, left, width, chart } = await markerOf(seen);
      expect(start).toBe('2026-05-16T12:00:00.000Z');
      expect(left / chart).toBeCloseTo((24 + 14) / 72, 2);
      expect(width / chart).toBeCloseTo(0.25 / 72, 2);
    }));

  test('prices below zero have a colour of their own below the zero line; light and dark follow the visitor', () =>
    looking(async (seen) => {
      await drawn(seen);
      const colors = new Set<string | null>();
      for (const colorScheme of ['light', 'dark'] as const) {
        await seen.page.emulateMedia({ colorScheme });
        const chart = seen.page.locator('#chart');
        await expect.poll(async () => colors.has(await chart.getAttribute('data-scheme'))).toBe(false);
        colors.add(await chart.getAttribute('data-scheme'));
        for (const variable of ['--realized', '--negative', '--forecast', '--zero']) {
          expect(await shareOf(seen, variable), `${colorScheme} ${variable}`).toBeGreaterThan(0.0005);
        }
        await expect.poll(() => seen.unreadable()).toEqual([]);
      }
      expect(colors.size).toBe(2);
    }));

  test('pointed at, it says day, time, price and forecast', () =>
    looking(async (seen) => {
      await drawn(seen);
      const box = await seen.page.locator('#chart .u-over').boundingBox();
      if (box === null) throw new Error('No chart');
      await seen.page.mouse.move(box.x + box.width * ((48 + 12.6) / 72), box.y + 50);
      const readout = await seen.page.locator('#readout').textContent();
      expect(readout).toMatch(/^Sun 17 May, 12:30 to 12:45: -\d+\.\d+ ct\/kWh, forecast -\d+\.\d+ ct\/kWh$/);
    }));

  test('it fits on a phone and is drawn anew when the window changes', () =>
    looking(async (seen) => {
      await drawn(seen);
      await seen.page.setViewportSize({ width: 360, height: 740 });
      const width = () => seen.page.evaluate<number>("document.querySelector('#chart .u-over').clientWidth");
      await expect.poll(width).toBeLessThan(330);
      expect(await width()).toBeGreaterThan(220);
      await expect.poll(() => reach(seen)).toBe(360);
      const span = () => seen.page.evaluate<string>("document.querySelector('#chart').dataset.span");
      const ends = ['2026-05-16T00:00:00+02:00', '2026-05-18T00:00:00+02:00'];
      await expect.poll(span).toBe(ends.map((end) => Date.parse(end) / 1000).join('|'));
    }));

  test('names below the curve never overlap, from the narrowest phone to a wide screen', () =>
    looking(async (seen) => {
      await drawn(seen);
      for (const width of [360, 320, 375, 393, 412, 480, 600, 768, 1100]) {
        await seen.page.setViewportSize({ width, height: 740 });
        const chart = () =>
          seen.page.evaluate<number[]>(
            "['#chart', '#chart canvas'].map((name) => document.querySelector(name).clientWidth)",
          );
        await expect.poll(async () => new Set(await chart()).size).toBe(1);
        const gaps = await labelGaps(seen);
        expect(gaps.length, `${width} pixels`).toBeGreaterThan(0);
        expect(Math.min(...gaps), `${width} pixels`).toBeGreaterThanOrEqual(0);
      }
    }));

  test('before the auction, tomorrow has its forecast only, and the real curve ends with today', async () => {
    await prices.captureAt('2026-05-17T05:40:00+02:00');
    prices.clock.set('2026-05-17T09:00:00+02:00');
    await looking(async (seen) => {
      await drawn(seen);
      expect(await seen.page.locator('#chart').getAttribute('data-points')).toBe('193');
      expect(await seen.page.locator('#publication').textContent()).toBe(
        'Tomorrow, Monday 18 May 2026, is expected about 13:00.',
      );
      expect(await seen.page.locator('#day-2026-05-18 .missing').count()).toBe(96);
    });
    prices.clock.set(NOW);
  });
});

describe('days on which the clock changes', () => {
  test.each([
    { now: '2026-03-29T12:10:00+02:00', day: '2026-03-29', rows: 92, twice: 0, marker: 24 + 11 },
    { now: '2026-10-25T12:10:00+01:00', day: '2026-10-25', rows: 100, twice: 8, marker: 24 + 13 },
    { now: '2026-11-20T12:10:00+01:00', day: '2026-11-20', rows: 96, twice: 0, marker: 24 + 12 },
  ])('$day has $rows rows, and noon stands where it belongs', async ({ now, day, rows, twice, marker }) => {
    await showAt(now, day);
    await looking(async (seen) => {
      await drawn(seen);
      expect(await rowsOf(seen, day)).toBe(rows);
      const times = await seen.page.locator(`#day-${day} tbody th`).allInnerTexts();
      expect(new Set(times).size).toBe(rows);
      expect(times.filter((time) => /\+0[12]:00/.test(time)).length).toBe(twice);
      const { left, chart } = await markerOf(seen);
      expect(left / chart).toBeCloseTo(marker / (48 + rows / 4), 2);
      expect(await seen.page.locator('tr.current th').allInnerTexts()).toEqual(['12:00 to 12:15']);
    });
    prices.clock.set(NOW);
  });
});

test('without a script the tables say everything, and the space of the curve is not there', async () => {
  const context = await browser?.newContext({ javaScriptEnabled: false });
  const page = await context?.newPage();
  await page?.goto(`${prices.api.baseUrl}/prices`);
  expect(await page?.locator('#curve').isVisible()).toBe(false);
  expect(await page?.locator('details[open] tbody tr').count()).toBe(96);
  expect(await page?.locator('tr[aria-current]').textContent()).toMatch(/^14:00 to 14:15\s*-3\.325/);
  await context?.close();
});

test('the sources stand on a page of their own, readable and without errors', () =>
  looking(async (seen) => {
    expect(await seen.page.locator('h1').textContent()).toBe('Data sources');
    expect(await seen.page.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringContaining('energyforecast.de'),
      expect.stringContaining('ENTSO-E Transparency Platform'),
    ]);
    await expect.poll(() => seen.unreadable()).toEqual([]);
  }, '/docs/data-sources'));

test('in German it says the same, reads out in German, is readable and fits on a phone', () =>
  looking(async (seen) => {
    await drawn(seen);
    expect(await seen.page.locator('h1').textContent()).toBe('Day-Ahead-Preise');
    const box = await seen.page.locator('#chart .u-over').boundingBox();
    if (box === null) throw new Error('No chart');
    await seen.page.mouse.move(box.x + box.width * ((48 + 12.6) / 72), box.y + 50);
    expect(await seen.page.locator('#readout').textContent()).toMatch(
      /^So\.? 17\. Mai, 12:30 bis 12:45: -\d+,\d+ ct\/kWh, Prognose -\d+,\d+ ct\/kWh$/,
    );
    for (const colorScheme of ['light', 'dark'] as const) {
      await seen.page.emulateMedia({ colorScheme });
      await expect.poll(() => seen.unreadable()).toEqual([]);
    }
    await seen.page.setViewportSize({ width: 360, height: 740 });
    /* The chart takes the width a moment later. */
    await expect.poll(() => reach(seen)).toBe(360);
    await seen.page.getByRole('link', { name: 'English' }).click();
    await seen.page.getByRole('heading', { name: 'Day-ahead prices', level: 1 }).waitFor();
  }, '/prices?lang=de'));
