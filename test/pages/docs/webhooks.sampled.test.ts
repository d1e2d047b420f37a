import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { whyNotDebian } from '../../../scripts/debian.mjs';
import { newSecret } from '../../../src/events/endpoints/secret.ts';
import { openWebhookRequests } from '../../../src/events/requests/send.ts';
import { HERE } from '../../events/requests/receiver.ts';
import { fetchPython } from '../../identity/oauth/libraries/python.ts';
import { freePort } from '../../setup/api.ts';
import { nodeEnvironment } from '../../setup/node-environment.ts';
import { isLongTier } from '../../setup/tier.ts';

/* The receivers of docs/webhooks.md are run as they stand there. */

const FETCHING_MILLISECONDS = 600_000;

let folder: string;
let page: string;
const requests = openWebhookRequests(HERE);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhooks-page-'));
  await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  page = await readFile(join(projectFolder, 'docs/webhooks.md'), 'utf8');
});
afterAll(async () => {
  await requests.close();
  await rm(folder, { recursive: true });
});

function lines(language: 'js' | 'python'): string {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? '';
}

const EVENT = 'evt_0123456789abcdefghijklmn';
const BODY = `{"id":"${EVENT}","topic":"test.event","timestamp":"2026-05-26T08:00:00.000Z","context":{}}`;

/** What it does with requests that are right, and with those that are not. */
async function tried(program: string, file: string, env: Record<string, string>): Promise<void> {
  const port = await freePort();
  const secret = newSecret();
  const child = spawn(program, [file], {
    env: { ...env, WEBHOOK_SECRET: secret.text, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const handled: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => handled.push(line));
  const ended = once(child, 'close');
  const now = () => Math.floor(Date.now() / 1000);
  const answered = async (secrets: readonly Buffer[], changes: { id?: string; atSeconds?: number } = {}) => {
    const message = { id: EVENT, body: BODY, atSeconds: now(), ...changes };
    const outcome = await requests.send({ url: `http://127.0.0.1:${port}/hook`, secrets }, message);
    return outcome.kind === 'answered' ? outcome.status : outcome.error;
  };
  const own = [secret.bytes];
  const foreign = [newSecret().bytes];
  try {
    await expect.poll(() => answered(foreign), { message: errors }).toBe(401);
    expect(await answered(own)).toBe(204);
    expect(await answered(own, { atSeconds: now() - 240 })).toBe(204);
    expect(await answered([...foreign, ...own])).toBe(204);
    expect(await answered(own, { atSeconds: now() - 360 })).toBe(401);
    expect(await answered(own, { atSeconds: now() + 360 })).toBe(401);
    await expect.poll(() => handled.length).toBe(1);
    expect(handled[0]).toContain('test.event');
  } finally {
    child.kill();
    await ended;
  }
  expect(handled).toHaveLength(1);
}

async function written(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

describe('the receivers of the page take what is signed, once, and refuse the rest', () => {
  test('Node with standardwebhooks', async () => {
    await tried(process.execPath, await written('standard.mjs', lines('js')), nodeEnvironment());
  });

  test('Node with svix', async () => {
    const text = lines('js').replace("from 'standardwebhooks'", "from 'svix'");
    expect(text).not.toBe(lines('js'));
    await tried(process.execPath, await written('svix.mjs', text), nodeEnvironment());
  });

  /* A new machine has to fetch its Python first. */
  test.skipIf(!isLongTier || whyNotDebian() !== undefined)(
    'Python without a package',
    async () => {
      const python = await fetchPython();
      await tried(python.program, await written('receiver.py', lines('python')), python.environment);
    },
    FETCHING_MILLISECONDS,
  );
});
