import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NEWEST_VERSION } from '../../src/config/versions.ts';
import { CHANGING, type DemoService, startDemoService } from '../pages/docs/demo-service.ts';
import { FETCHING_MILLISECONDS, openBrowser } from './browser.ts';
import { look } from './looking.ts';

let service: DemoService | undefined;
let browser: Browser | undefined;
beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startDemoService()]);
}, FETCHING_MILLISECONDS);
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

interface Described {
  paths: Record<string, Record<string, { tags: string[] }>>;
}

async function statusOf(curl: string): Promise<string> {
  const line = curl.replace(/^curl/, "curl -s -w '\\n%{http_code}'");
  const { stdout } = await promisify(execFile)('sh', ['-c', line]);
  const status = stdout.split('\n').at(-1) ?? '';
  return ['200', '302'].includes(status) ? 'good' : `${status}: ${stdout}`;
}

test('the curl of each call in the reference of a demo works as it is pasted', async () => {
  if (browser === undefined || service === undefined) throw new Error('No browser');
  const { baseUrl } = service.demo;
  const file = `/docs/reference/${NEWEST_VERSION}.json`;
  const { paths } = (await (await fetch(`${baseUrl}${file}`)).json()) as Described;
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      place: `tag/${tags[0]?.toLowerCase().replaceAll(' ', '-')}/${method.toUpperCase()}${path}`,
    })),
  );
  const { page, problems, close } = await look(browser, `${baseUrl}/docs/reference`);
  await page.getByText('/asset-snapshots').first().waitFor();
  const answers: string[][] = [];
  for (const { name, place } of calls.filter((call) => !CHANGING.includes(call.name))) {
    await page.evaluate(`location.hash = '#${NEWEST_VERSION.replace('.', '-')}/${place}'`);
    const block = page.locator(`section[id$="${place}"] pre`).first();
    answers.push([name, await statusOf((await block.textContent()) ?? '')]);
  }
  await close();
  expect(answers.filter(([, answer]) => answer !== 'good')).toEqual([]);
  expect(answers.length).toBeGreaterThan(30);
  expect(problems).toEqual([]);
});
