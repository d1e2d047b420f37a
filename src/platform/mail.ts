import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { ServiceConfig } from '../config/config.ts';
import type { Clock } from './clock.ts';
import { COLORS, type Color } from './http/pages/look.ts';
import { renderMail } from './http/pages/render.ts';
import type { Logger } from './log/logger.ts';
import type { Metrics } from './metrics.ts';
import { unreachable } from './unreachable.ts';

export type { Letterhead, MailMessage };

export interface Mail {
  /** Off in production without a mail server. */
  readonly isOn: boolean;
  /**
   * Takes a message over and returns at once. The time of an answer must not tell its reader whether a message was sent. One
   * that cannot be delivered is logged and counted, not tried again: the reader asks for another.
   */
  send(message: MailMessage): void;
  /**
   * For a job, which comes again: rejects where the message cannot be delivered now, with `PerhapsSent` where nobody knows
   * whether it was. False where the mail server wants it neither now nor later, which is logged and counted.
   */
  deliver(message: MailMessage): Promise<boolean>;
  /** At a start: a mail server that cannot be used is said before the first message is lost. Never rejects. */
  check(): Promise<void>;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

interface MailParts {
  config: Pick<ServiceConfig, 'APP_ENV' | 'SMTP_URL' | 'MAIL_FROM' | 'MAIL_FOLDER'>;
  log: Logger;
  metrics: Metrics;
  clock: Clock;
}

/** The connection was lost between the message and the answer of the mail server. */
export class PerhapsSent extends Error {}

/** A mail server that hangs must not fill the memory. */
const PENDING_MAX = 500;
const CONNECTIONS_MAX = 4;
const CONNECT_MILLISECONDS_MAX = 5_000;
const SILENCE_MILLISECONDS_MAX = 10_000;

interface MailDelivery {
  deliver(message: Letter): Promise<void>;
  /** Signs in and sends nothing. Absent where there is no server. */
  verify?(): Promise<unknown>;
  close(): void;
}

export function createMail(parts: MailParts): Mail {
  const { config, log, metrics } = parts;
  const outcomes = ['sent', 'failed', 'dropped'].map((outcome) => ({ outcome }));
  const count = metrics.counter('mails_total', 'Messages by what became of them', ['outcome'], outcomes);
  const pending = new Set<Promise<unknown>>();
  const delivery = deliveryOf(parts);

  async function deliver(message: MailMessage): Promise<boolean> {
    try {
      if (delivery === null) throw new Error('No mail is sent here');
      await delivery.deliver(await letterOf(message, config.MAIL_FROM));
    } catch (error) {
      count.inc({ outcome: 'failed' });
      if (!isRefused(error)) throw error;
      tellUnsent(error);
      return false;
    }
    count.inc({ outcome: 'sent' });
    return true;
  }

  const tellUnsent = (error: unknown) => log.error({ err: error }, 'a message could not be sent');

  const send = (message: MailMessage) => {
    if (delivery === null || pending.size >= PENDING_MAX) {
      count.inc({ outcome: 'dropped' });
      log.error({ pending: pending.size }, 'a message was dropped');
      return;
    }
    const work: Promise<unknown> = deliver(message)
      .catch(tellUnsent)
      .finally(() => pending.delete(work));
    pending.add(work);
  };
  const idle = async () => {
    while (pending.size > 0) await Promise.all(pending);
  };
  if (delivery === null) {
    log.warn(
      `Without SMTP_URL ${config.APP_ENV} sends no mail: no one-time codes to sign in with, no receipts of terminations, no reminders of unpaid bills, no word about webhooks that fail`,
    );
  }
  return {
    isOn: delivery !== null,
    send,
    deliver,
    check: async () => {
      try {
        await delivery?.verify?.();
      } catch (error) {
        const where = unreachable('SMTP_URL', config.SMTP_URL ?? '', error);
        log.warn({ err: error }, `No mail can be sent. ${where}`);
      }
    },
    idle,
    close: async () => {
      await idle();
      delivery?.close();
    },
  };
}

/** The mail server answered, but does not take this message: it is about its recipient or itself, not about the server. */
export function isAboutMessage(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== SERVER_CLOSES;
}

const SERVER_CLOSES = 421;

function isRefused(error: unknown): boolean {
  return isAboutMessage(error) && ((error as { responseCode?: number }).responseCode ?? 0) >= 500;
}

function deliveryOf({ config, log, clock }: MailParts): MailDelivery | null {
  if (config.SMTP_URL !== undefined) return toServer(config.SMTP_URL);
  return config.APP_ENV === 'production' ? null : toFolder(config, log, clock);
}

function toServer(url: string): MailDelivery {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    connectionTimeout: CONNECT_MILLISECONDS_MAX,
    greetingTimeout: CONNECT_MILLISECONDS_MAX,
    socketTimeout: SILENCE_MILLISECONDS_MAX,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  transport.use('stream', ({ data, message }, done) => {
    message.processFunc((bytes) => {
      (data as SentBytes).handed.bytes = bytes;
      return bytes;
    });
    done();
  });
  return {
    deliver: async (message) => {
      const handed: SentBytes['handed'] = {};
      const followed: Letter & SentBytes = { ...message, handed };
      try {
        await transport.sendMail(followed);
      } catch (error) {
        const isAnswered = (error as { responseCode?: number }).responseCode !== undefined;
        if (isAnswered || handed.bytes?.readableDidRead !== true) throw error;
        throw new PerhapsSent('The mail server took the message and did not answer', { cause: error });
      }
    },
    verify: () => transport.verify(),
    close: () => transport.close(),
  };
}

/** The message as it goes to the server: once a byte of it was read, the server may have it all. */
interface SentBytes {
  handed: { bytes?: Readable };
}

/** For development and tests: what would have been sent, as a file that only its owner may read. */
function toFolder(config: MailParts['config'], log: Logger, clock: Clock): MailDelivery {
  const folder = resolve(config.MAIL_FOLDER);
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    deliver: async (message) => {
      const { message: bytes } = await transport.sendMail(message);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const instant = clock.now().toISOString().replaceAll(/[:.]/g, '-');
      const file = join(folder, `${instant}-${randomBytes(4).toString('hex')}.eml`);
      await writeFile(file, bytes as Buffer, { mode: 0o600, flag: 'wx' });
      log.info({ file }, 'mail written to a file');
    },
    close: () => transport.close(),
  };
}

interface MailMessage {
  to: string;
  subject: string;
  text: string;
  /** Of whose customer gets it; without one the message is its text alone. */
  letterhead?: () => Promise<Letterhead | null>;
}

/** Whose mail it is: shown above its text, and as its sender. */
interface Letterhead {
  name: string;
  color: Color;
  /** PNG. It goes along with the message, because mail programs load nothing from elsewhere. */
  logo: { bytes: Buffer; width: number; height: number } | null;
}

/** What a mail server is handed. */
interface Letter {
  from: string | { name: string; address: string };
  to: string;
  subject: string;
  text: string;
  html?: string;
  attachments?: { filename: string; content: Buffer; cid: string; contentDisposition: 'inline' }[];
}

const LOGO_ID = 'logo@letterhead';
/** Half of the height of a usual file: screens have two dots for each pixel. */
const LOGO_HEIGHT_MAX = 56;

/** The text is the message. With a letterhead the same text stands in a page as well. */
async function letterOf({ letterhead: find, ...message }: MailMessage, from: string): Promise<Letter> {
  /* A message that looks plain is better than none. */
  const letterhead = find === undefined ? null : await find().catch(() => null);
  if (letterhead === null) return { from, ...message };
  const { name, logo } = letterhead;
  return {
    ...message,
    from: { name, address: /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from },
    html: htmlOf(message.text, letterhead),
    ...(logo !== null && {
      attachments: [
        { filename: 'logo.png', content: logo.bytes, cid: LOGO_ID, contentDisposition: 'inline' },
      ],
    }),
  };
}

function htmlOf(text: string, { name, color, logo }: Letterhead): string {
  const [ink, ground, paper] = [COLORS.ink[0], COLORS.ground[0], COLORS.paper[0]];
  const height = Math.min(logo?.height ?? 0, LOGO_HEIGHT_MAX);
  return renderMail({
    ...{ ink, ground, paper, color, name },
    logo: logo && { id: LOGO_ID, height, width: Math.round((logo.width * height) / logo.height) },
    paragraphs: text
      .trimEnd()
      .split(/\n{2,}/)
      .map((paragraph) => paragraph.split('\n'))
      /* Lines that are moved in are figures and codes, one below the other. */
      .map((lines) => ({ lines, isMovedIn: lines.every((line) => line.startsWith('  ')) })),
  });
}
