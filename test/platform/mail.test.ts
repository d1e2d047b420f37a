import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { type Environment, readServiceConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/platform/log/logger.ts';
import { createMail, type Mail, PerhapsSent } from '../../src/platform/mail.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { testEnvironment } from '../setup/api.ts';
import { fakeClock } from '../setup/clock.ts';

const message = {
  to: 'kunde@example.org',
  subject: 'Ihr Code für die Anmeldung',
  text: 'Grüße\n\n    123456\n',
};
const URLS = { appUrl: 'postgres://localhost/x', maintenanceUrl: 'postgres://localhost/x' };

let lines = '';
let mail: Mail | undefined;
let folder: string | undefined;
let server: Server | undefined;

afterEach(async () => {
  await mail?.close();
  server?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  [mail, server, folder, lines] = [undefined, undefined, undefined, ''];
});

function config(environment: Environment = {}) {
  const all = Object.entries(testEnvironment(URLS, 'redis://localhost'));
  /* The feeds of the tests are refused in production. */
  const base = Object.fromEntries(all.filter(([name]) => !name.startsWith('PRICES_')));
  return readServiceConfig({ ...base, BASE_URL: 'https://energy.example', ...environment });
}

function opened(environment: Environment) {
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines += String(chunk);
      done();
    },
  });
  const log = createLogger({ level: 'trace', name: 'api', destination });
  const metrics = createMetrics({ runtime: false });
  mail = createMail({ config: config(environment), log, metrics, clock: fakeClock('2026-11-20T10:00:00Z') });
  return { mail, outcome: () => metrics.text() };
}

/** As much of a mail server as it takes; keeps what it was given. */
async function mailServer(
  answerToData: string | null = '250 taken',
): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  server = createServer((socket) => {
    socket.write('220 test\r\n');
    let inData = false;
    createInterface({ input: socket }).on('line', (line) => {
      received.push(line);
      if (inData && line !== '.') return;
      if (inData) inData = false;
      else if (line === 'DATA') inData = true;
      if (line === '.' && answerToData === null) {
        socket.destroy();
        return;
      }
      const answer = inData
        ? '354 go on'
        : line === '.'
          ? answerToData
          : line === 'QUIT'
            ? '221 bye'
            : '250 ok';
      socket.write(`${answer}\r\n`);
    });
    socket.on('error', () => {});
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

describe('mail', () => {
  test('without a mail server becomes a file, and the log names it and not what is in it', async () => {
    folder = await mkdtemp(join(tmpdir(), 'voltstream-mail-'));
    const { mail, outcome } = opened({ MAIL_FOLDER: join(folder, 'new', 'mail') });
    expect(mail.isOn).toBe(true);
    mail.send(message);
    await mail.idle();
    const [file = ''] = await readdir(join(folder, 'new', 'mail'));
    const text = await readFile(join(folder, 'new', 'mail', file), 'utf8');
    expect(text).toContain('To: kunde@example.org');
    expect(text).toContain('From: Voltstream <voltstream@localhost>');
    expect(text).toMatch(/^ {4}123456$/m);
    expect(lines).toContain(file);
    expect(lines).not.toContain('123456');
    expect(lines).not.toContain('kunde');
    expect(await outcome()).toContain('voltstream_mails_total{outcome="sent"} 1');
  });

  test('has a series of each outcome before the first message, so that the alarm sees the first failure grow', async () => {
    const { outcome } = opened({});
    for (const name of ['sent', 'failed', 'dropped'])
      expect(await outcome()).toContain(`voltstream_mails_total{outcome="${name}"} 0`);
  });

  test('goes to the mail server, from the sender that is set', async () => {
    const { url, received } = await mailServer();
    const { mail } = opened({ SMTP_URL: url, MAIL_FROM: 'Werke <werke@energy.example>' });
    mail.send(message);
    await mail.idle();
    expect(received).toContain('MAIL FROM:<werke@energy.example>');
    expect(received).toContain('RCPT TO:<kunde@example.org>');
    expect(received).toContain('    123456');
  });

  test.each(['550 kunde@example.org is unknown here', '554 no'])(
    'that is refused (%s) is logged without the address, and counted',
    async (refusal) => {
      const { url } = await mailServer(refusal);
      const { mail, outcome } = opened({ SMTP_URL: url });
      mail.send(message);
      await mail.idle();
      expect(lines).toContain('a message could not be sent');
      expect(lines).not.toContain('kunde@');
      expect(lines).not.toContain('123456');
      expect(await outcome()).toContain('voltstream_mails_total{outcome="failed"} 1');
    },
  );

  test('of a job is told whether the mail server will never want it, or not now', async () => {
    const { url } = await mailServer('550 kunde@example.org is unknown here');
    const never = opened({ SMTP_URL: url });
    expect(await never.mail.deliver(message)).toBe(false);
    expect(lines).toContain('a message could not be sent');
    await never.mail.close();
    server?.close();
    const later = await mailServer('451 come again');
    const busy = opened({ SMTP_URL: later.url });
    await expect(busy.mail.deliver(message)).rejects.toThrow('451');
    await expect(busy.mail.deliver(message)).rejects.not.toBeInstanceOf(PerhapsSent);
    await busy.mail.close();
    server?.close();
    const away = opened({ SMTP_URL: later.url });
    await expect(away.mail.deliver(message)).rejects.not.toBeInstanceOf(PerhapsSent);
    expect(await away.outcome()).toContain('voltstream_mails_total{outcome="failed"} 1');
  });

  test('of a job is perhaps sent where the mail server took all of it and did not answer', async () => {
    const { url } = await mailServer(null);
    const { mail } = opened({ SMTP_URL: url });
    await expect(mail.deliver(message)).rejects.toBeInstanceOf(PerhapsSent);
  });

  test('that could not be sent is said at the start, with variable, host and port and without the password', async () => {
    const away = opened({ SMTP_URL: 'smtp://user:canary-password@127.0.0.1:1' });
    await away.mail.check();
    expect(lines).toContain('No mail can be sent. SMTP_URL leads to 127.0.0.1:1, which cannot be used (');
    expect(lines).toContain('ECONNREFUSED');
    expect(lines).not.toContain('canary');
    await away.mail.close();
    lines = '';
    const { url } = await mailServer();
    const { mail } = opened({ SMTP_URL: url });
    await mail.check();
    expect(lines).toBe('');
  });

  test('in production never becomes a file', async () => {
    folder = await mkdtemp(join(tmpdir(), 'voltstream-mail-'));
    const { mail, outcome } = opened({ APP_ENV: 'production', MAIL_FOLDER: folder });
    expect(mail.isOn).toBe(false);
    mail.send(message);
    await mail.idle();
    expect(await readdir(folder)).toEqual([]);
    expect(lines).toContain('SMTP_URL');
    expect(lines).toMatch(/receipts.*reminders.*webhooks/);
    expect(await outcome()).toContain('voltstream_mails_total{outcome="dropped"} 1');
  });
});

describe('configuration of mail and screens', () => {
  test('the screens are below the base address unless they have one of their own', () => {
    expect(config().authUrl).toBe('https://energy.example/auth');
    expect(config({ AUTH_URL: 'https://login.example' }).authUrl).toBe('https://login.example');
  });

  test.each<[Environment, RegExp]>([
    [{ AUTH_URL: 'https://login.example/' }, /AUTH_URL/],
    [{ AUTH_URL: 'login' }, /AUTH_URL/],
    [{ SMTP_URL: 'https://mail.example' }, /SMTP_URL/],
    [{ MAIL_FROM: 'nobody' }, /MAIL_FROM/],
    [{ APP_ENV: 'production', AUTH_URL: 'https://login.example' }, /SMTP_URL is missing/],
    [
      { APP_ENV: 'production', AUTH_URL: 'http://login.example', SMTP_URL: 'smtp://m', MAIL_FROM: 'a@b' },
      /https/,
    ],
    [{ APP_ENV: 'production', SMTP_URL: 'smtps://mail.example' }, /MAIL_FROM is missing/],
  ])('%j is refused', (environment, problem) => {
    expect(() => config(environment)).toThrow(problem);
  });

  test('production starts without a mail server, with nobody signing in', () => {
    expect(config({ APP_ENV: 'production' }).SMTP_URL).toBeUndefined();
  });
});
