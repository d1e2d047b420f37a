import { expect } from 'vitest';
import { createConsoleUser } from '../../../src/identity/console-users/service.ts';
import { mailedCode, newEmail, type Page, Visitor } from '../../identity/oauth/visitor.ts';
import type { TestApi } from '../../setup/api.ts';

const ACT = { staff: 'ada', reason: 'test', command: 'console-users create' };

/** Somebody who may sign in to the console of an organization. */
export async function consoleUser(api: TestApi, organization: string, email = newEmail()): Promise<string> {
  const act = { ...ACT, now: api.deps.clock.now().toISOString() };
  await createConsoleUser(api.deps.database, organization, email, act);
  return email;
}

/** From the address to the page that asks for the code. */
export async function codePage(api: TestApi, visitor: Visitor, email: string, next = ''): Promise<Page> {
  const login = await visitor.open(`${api.baseUrl}/console/login${next}`);
  return await visitor.follow(await visitor.submit(login, { email }), api.baseUrl);
}

/** A browser of a new user of the organization, signed in. */
export async function signedIn(api: TestApi, organization: string, language = 'en'): Promise<Visitor> {
  const email = await consoleUser(api, organization);
  const visitor = new Visitor(language);
  const verify = await codePage(api, visitor, email);
  const entered = await visitor.submit(verify, { code: (await mailedCode(api, email)) ?? '' });
  expect([entered.status, entered.headers.get('location')]).toEqual([303, `${api.baseUrl}/console`]);
  return visitor;
}

/** Presses the button of a form of the page: of the one that leads to this address. */
export async function press(
  visitor: Visitor,
  page: Page,
  action: string,
  fields: Record<string, string> = {},
): Promise<Page> {
  const from = page.text.indexOf(`<form class="act" method="post" action="${action}"`);
  if (from < 0) throw new Error(`No form to ${action}: ${page.status} ${page.text}`);
  const form = page.text.slice(from, page.text.indexOf('</form>', from));
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value],
  );
  return await visitor.open(new URL(action, page.url).href, {
    method: 'POST',
    body: new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

/** Of the control of a form, as the page has it. */
export function attributesOf({ text }: Page, act: string, field: string): string {
  return new RegExp(`<(?:input|select) id="${act}-${field}"([^>]*)>`).exec(text)?.[1] ?? '';
}

/** What is wrong with a page that anybody meets: its weight, what it loads, its names. */
export function expectSoundPage({ status, headers, text }: Page): void {
  expect(status).toBe(200);
  expect(text.length).toBeLessThan(100_000);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; /);
  const loaded = [...text.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
  expect(loaded.filter((address) => !/^(\/console(\/|$|\?)|[?#])/.test(address))).toEqual([]);
  expect(text.match(/<h1>/g)).toHaveLength(1);
  /* A token may have any letters. */
  const withoutTokens = text.replaceAll(/(name="_csrf" value=)"[^"]*"/g, '$1""');
  expect(withoutTokens).not.toMatch(/undefined|\[object|NaN|<th(?!ead| scope)/);
  const ids = [...text.matchAll(/<(?:input|select)(?! type="hidden")[^>]* id="([^"]+)"/g)].map(
    ([, id]) => id,
  );
  for (const id of ids) expect(text).toContain(`<label for="${id}"`);
}
