import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setStanding } from '../../../../src/identity/organizations/service.ts';
import { startApi } from '../../../setup/api.ts';
import { auditRows, storedRows } from '../../../setup/stored-rows.ts';
import { Bills, type Payer } from '../bills.ts';

const HOUR = 3_600_000;

let bills: Bills;
let payer: Payer;
beforeAll(async () => {
  bills = await Bills.start();
  payer = await bills.payer();
});
afterAll(() => bills?.close());

async function linkTo(id: string): Promise<string> {
  const answer = await bills.client().get(`/invoices/${id}/file`);
  if (answer.status !== 302) throw new Error(answer.text);
  return answer.headers.get('location') ?? '';
}

async function open(link: string, init: RequestInit = {}) {
  const answer = await fetch(link, init);
  const { status, headers } = answer;
  return { status, headers, text: await answer.text() };
}

describe('GET /invoices/{id}/file', () => {
  test('leads to a link below the address of the service, with nothing in its body', async () => {
    const id = await bills.issued(payer);
    const { status, headers, text } = await bills.client().get(`/invoices/${id}/file`);
    expect([status, text]).toEqual([302, '']);
    expect(headers.get('location')?.startsWith(`${bills.api.baseUrl}/files/`)).toBe(true);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBeNull();
  });

  test('is not found until the document is made', async () => {
    const id = await bills.issued(payer, { document: null });
    const answer = await bills.client().get(`/invoices/${id}/file`);
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
    expect(answer.headers.get('location')).toBeNull();
  });
});

describe('the link', () => {
  test('opens the PDF without a token, by the number of the invoice, and is kept nowhere', async () => {
    const id = await bills.issued(payer, { document: '%PDF-1.7 of this one' });
    const { body } = await bills.client().get(`/invoices/${id}`);
    const { status, headers, text } = await open(await linkTo(id));
    expect([status, text]).toEqual([200, '%PDF-1.7 of this one']);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toBe(`inline; filename="${body.invoice_number}.pdf"`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-encoding')).toBeNull();
  });

  test('works for an hour and not a moment longer', async () => {
    const link = await linkTo(await bills.issued(payer));
    bills.clock.advance(HOUR - 1);
    expect((await open(link)).status).toBe(200);
    bills.clock.advance(1);
    const over = await open(link);
    bills.clock.advance(-HOUR);
    expect(over.status).toBe(404);
    expect(JSON.parse(over.text)).toMatchObject({ code: 'NOT_FOUND', message: 'Resource not found' });
  });

  test('is not found with one letter altered, at any place, and no such name reaches the database', async () => {
    const link = await linkTo(await bills.issued(payer));
    const [before, name = ''] = [link.slice(0, link.lastIndexOf('/') + 1), link.split('/').at(-1)];
    const altered = [...name].map((letter, place) => {
      const other = letter === '1' ? '2' : letter === 'A' ? 'B' : /[0-9]/.test(letter) ? '1' : 'A';
      return name.slice(0, place) + other + name.slice(place + 1);
    });
    const last = name.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    /* The last letter of the signature: three others stand for the same bytes. */
    const twins = [...alphabet]
      .filter((letter) => letter !== last)
      .map((letter) => name.slice(0, -1) + letter);
    const strange = ['x', `${name}.`, `${name}A`, name.slice(1), 'x'.repeat(10_000), '%00', `${name}%0a`];
    const { pool } = bills.api.deps.database;
    const connectionsTaken = async () => {
      let taken = 0;
      const count = () => {
        taken += 1;
      };
      pool.on('acquire', count);
      for (const name of new Set([...altered, ...twins, ...strange])) {
        expect([name, (await open(before + name)).status]).toEqual([name, 404]);
      }
      pool.off('acquire', count);
      return taken;
    };
    /* The log of earlier requests takes one within a second: of two rounds one at least is free of it. */
    await expect.poll(connectionsTaken).toBe(0);
    expect((await open(link)).status).toBe(200);
  });

  test('stops working when the invoice is restricted to the finance role', async () => {
    const id = await bills.issued(await bills.payer());
    const link = await linkTo(id);
    expect((await open(link)).status).toBe(200);
    await storedRows(bills.api, 'UPDATE invoices SET restricted_at = now() WHERE id = $1', [id]);
    expect((await open(link)).status).toBe(404);
  });

  test('opens nothing while its organization is suspended or deleted', async () => {
    const link = await linkTo(await bills.issued(payer));
    for (const [standing, status] of [
      ['past_due', 200],
      ['suspended', 404],
      ['deleted', 404],
      ['in_order', 200],
    ] as const) {
      const act = { staff: 'tests', reason: 'asked', command: 'test', now: bills.clock.now().toISOString() };
      await setStanding(bills.api.deps.database, bills.organization, standing, act);
      expect([standing, (await open(link)).status]).toEqual([standing, status]);
    }
  });

  test('is opened by every process of the service, and by none with another secret', async () => {
    const link = await linkTo(await bills.issued(payer));
    const { database } = bills.api;
    const name = link.split('/').at(-1);
    const { SECRET_PEPPER } = bills.api.deps.config;
    const second = await startApi({ database, clock: bills.clock, environment: { SECRET_PEPPER } });
    const stranger = await startApi({
      database,
      clock: bills.clock,
      environment: { SECRET_PEPPER: Buffer.alloc(32, 7).toString('base64url') },
    });
    try {
      expect((await open(`${second.baseUrl}/files/${name}`)).status).toBe(200);
      expect((await open(`${stranger.baseUrl}/files/${name}`)).status).toBe(404);
    } finally {
      await second.close();
      await stranger.close();
    }
  });

  test('leaves a line in the audit log each time it is opened', async () => {
    const id = await bills.issued(payer);
    const link = await linkTo(id);
    await open(link);
    await open(link);
    const rows = await auditRows(bills.api, bills.organization, 'personal_data.read');
    const opened = rows.filter(({ route, object_id }) => route === 'GET /files/{name}' && object_id === id);
    expect(opened).toHaveLength(2);
    expect(opened[0]).toMatchObject({ client_id: null, address: '127.0.0.0/24', result: 'done' });
  });

  test('that is opened without end is told to slow down', async () => {
    const link = await linkTo(await bills.issued(payer));
    const other = await linkTo(await bills.issued(payer));
    const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await open(link)).status));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await open(other)).status).toBe(200);
  });

  test('answers HEAD as GET, and no other method', async () => {
    const link = await linkTo(await bills.issued(payer));
    const head = await open(link, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([200, 'application/pdf', '']);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await open(link, { method })).status).toBeGreaterThanOrEqual(400);
    }
  });
});
