import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whyNotDebian } from '../../../../scripts/debian.mjs';
import { startApi } from '../../../setup/api.ts';
import type { TestClient } from '../token-requests.ts';
import { clientWithCustomer, REDIRECT_URI, signIn, Visitor } from '../visitor.ts';
import { fetchPython, type Python } from './python.ts';

let api: Awaited<ReturnType<typeof startApi>>;
let python: Python;

interface LibraryRun {
  redirect_uri?: string;
  /** Of PKCE; null: the library sends the verifier itself as the challenge, and no method. */
  method?: 'S256' | null;
  /** What the customer does at the address; returns where the browser is led to. */
  customer?: (address: string) => Promise<string>;
}

async function runLibrary(client: TestClient, { customer, ...options }: LibraryRun): Promise<unknown> {
  const { program, environment: env } = python;
  const script = join(import.meta.dirname, 'requests-oauthlib.py');
  const child = spawn(program, [script], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const ended = once(child, 'close');
    child.stdin.on('error', () => {});
    const tell = (line: string) => child.stdin.write(`${line}\n`);
    const credentials = { client_id: client.id, client_secret: client.secret };
    tell(
      JSON.stringify({ issuer: api.baseUrl, ...credentials, redirect_uri: null, method: null, ...options }),
    );
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (line.startsWith('http')) tell((await customer?.(line)) ?? '');
    }
    expect(await ended).toEqual([0, null]);
    return JSON.parse(said.at(-1) ?? '');
  } finally {
    child.kill();
  }
}

const decides = (email: string, decision: 'allow' | 'deny') => async (address: string) => {
  const visitor = new Visitor();
  const consent = await signIn(api, visitor, address, email);
  return (await visitor.submit(consent, { decision })).headers.get('location') ?? '';
};

describe.skipIf(whyNotDebian() !== undefined)('requests-oauthlib of Python, unmodified', () => {
  beforeAll(async () => {
    [python, api] = await Promise.all([fetchPython(), startApi()]);
  });
  afterAll(() => api?.close());

  test.each([
    ['with a secret, by S256', false, 'S256'],
    ['with a secret, by a plain challenge', false, null],
    ['without a secret, by S256', true, 'S256'],
  ] as const)(
    'authorizes a client %s, calls, refreshes, revokes and reads refusals',
    async (_, isPublic, method) => {
      const { client, email } = await clientWithCustomer(api, { public: isPublic });
      const customer = decides(email, 'allow');
      expect(await runLibrary(client, { redirect_uri: REDIRECT_URI, method, customer })).toEqual({
        scope: ['read:*', 'write:*'],
        first: 200,
        second: 200,
        rotated: true,
        revoked: 200,
        refused: 'invalid_grant',
        replayed: 'invalid_grant',
      });
    },
  );

  test('reads that the customer does not consent', async () => {
    const { client, email } = await clientWithCustomer(api);
    const customer = decides(email, 'deny');
    const options = { redirect_uri: REDIRECT_URI, method: 'S256', customer } as const;
    expect(await runLibrary(client, options)).toEqual({ error: 'access_denied' });
  });

  test('gets a token for the client itself', async () => {
    const { client } = await clientWithCustomer(api);
    expect(await runLibrary(client, {})).toEqual({ scope: ['read:*', 'write:*'], first: 200 });
    const wrong = { ...client, secret: 'wrong' };
    expect(await runLibrary(wrong, {})).toEqual({ error: 'invalid_client' });
  });
});
