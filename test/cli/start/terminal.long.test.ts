import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { dataFolder } from '../../../scripts/data-folder.mjs';
import { waitUntilGone } from '../../../scripts/local-services/server-processes.ts';
import type { StartFacts } from '../../../src/cli/local/facts.ts';
import { Visitor } from '../../identity/oauth/visitor.ts';
import { type Clone, makeClone, type RunningStart } from './clone.ts';
import { shownScreen } from './shown-screen.ts';

/* The tests of this file tell one story: a newcomer in a terminal, who looks, signs in as the customer and leaves. */

const hasPrograms = ['script', 'stty', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0);
const isPrivate = existsSync(join(dataFolder, 'servers')) && inject('servers').arePrivate && hasPrograms;
const PATIENCE_MILLISECONDS = 600_000;

let clone: Clone;
let running: RunningStart;
let facts: StartFacts;

const story = (name: string, work: () => Promise<void>) =>
  test.skipIf(!isPrivate)(name, { timeout: PATIENCE_MILLISECONDS }, work);

beforeAll(async () => {
  if (isPrivate) clone = await makeClone();
}, PATIENCE_MILLISECONDS);

afterAll(async () => {
  if (isPrivate) await clone.remove();
}, PATIENCE_MILLISECONDS);

story('on a terminal of 24 lines of 80 the key and the lines to try stay in sight', async () => {
  running = clone.startInTerminal('--minutes', '0.2');
  await running.printed(/prices: 600 days of history are there/);
  await running.printed(/the fleet has finished/);
  facts = await clone.facts();
  const shown = shownScreen(running.output(), 80).slice(-24).join('\n');
  expect(shown).toContain(facts.client_secret);
  expect(shown).toContain('  Try');
  expect(shown).toMatch(/Fleet {4}[\d,]+ rows stored/);
});

/** The folder comes with the first mail. */
const mails = () => readdir(join(clone.folder, '.data/mail')).catch((): string[] => []);

/** Of the mail that came behind these: the page is there before it is. */
async function mailedCode(before: readonly string[]): Promise<string> {
  let code: string | undefined;
  for (let tries = 0; code === undefined && tries < 100; tries += 1) {
    if (tries > 0) await wait(100);
    for (const name of (await mails()).filter((each) => !before.includes(each))) {
      const text = await readFile(join(clone.folder, '.data/mail', name), 'utf8');
      code ??= /^ {4}(\d{6})$/m.exec(text)?.[1];
    }
  }
  return code ?? 'no mail with a code came';
}

story(
  'who signs in as the customer comes back to a page whose lines give that customer’s token',
  async () => {
    const { stdout } = clone.shell('eval "$(npm run -s cli -- env)"; printf %s "$AUTHORIZE"');
    const visitor = new Visitor();
    const login = await visitor.follow(await visitor.open(stdout), facts.base_url);
    const before = await mails();
    const verify = await visitor.follow(
      await visitor.submit(login, { email: 'demo@example.org' }),
      facts.base_url,
    );
    const consent = await visitor.follow(
      await visitor.submit(verify, { code: await mailedCode(before) }),
      facts.base_url,
    );
    const back = await visitor.submit(consent, { decision: 'allow' });
    const address = back.headers.get('location') ?? '';
    expect(address.startsWith(`${facts.redirect_uri}?`)).toBe(true);
    const page = await (await fetch(address)).text();
    const lines = (/<pre>([\s\S]*?)<\/pre>/.exec(page)?.[1] ?? '')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
    const answer = clone.shell(lines);
    expect(answer.stderr).toBe('');
    expect(JSON.parse(answer.stdout)).toMatchObject({
      token_type: 'Bearer',
      access_token: expect.any(String),
    });
  },
);

story('links of leads lead to a page of this start', async () => {
  const line = `eval "$(npm run -s cli -- env)"; curl -s "$BASE/leads?limit=1" -H "Authorization: Bearer $TOKEN"`;
  const { items } = JSON.parse(clone.shell(line).stdout) as { items: { id: string; link: string }[] };
  const link = new URL(items[0]?.link ?? '');
  const port = new URL(facts.redirect_uri).port;
  expect([link.protocol, link.port]).toEqual(['http:', port]);
  expect(link.hostname).toMatch(/^[a-z0-9-]+\.checkout\.localhost$/);
  const { stdout } = clone.shell(`curl -s --resolve ${link.hostname}:${port}:127.0.0.1 '${link.href}'`);
  expect(stdout).toContain(`leads visited ${items[0]?.id}`);
});

story('a terminal that is closed leaves nothing running', async () => {
  const pids = clone.processes();
  expect(pids.length).toBeGreaterThan(5);
  running.process.kill('SIGKILL');
  expect(await waitUntilGone(pids, 40)).toBe(true);
  expect(clone.processes()).toEqual([]);
});

story('servers that a killed start left are ended by the next one', async () => {
  const killed = clone.start('--no-demo');
  await killed.printed(/Ctrl-C stops all of this/);
  killed.signal('SIGKILL');
  await killed.ended();
  const left = clone.processes();
  expect(left.length).toBeGreaterThan(1);
  const next = clone.start('--no-demo');
  await next.printed(/Ctrl-C stops all of this/);
  next.signal('SIGTERM');
  expect(await next.ended()).toBe(0);
  expect(await waitUntilGone(left, 30)).toBe(true);
  expect(clone.processes()).toEqual([]);
});
