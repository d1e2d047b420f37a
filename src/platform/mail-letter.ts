import { COLORS, type Color } from './http/pages/look.ts';
import { renderMail } from './http/pages/render.ts';

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
  /** Of whose customer gets it; without one the message is its text alone. */
  letterhead?: () => Promise<Letterhead | null>;
}

/** Whose mail it is: shown above its text, and as its sender. */
export interface Letterhead {
  name: string;
  color: Color;
  /** PNG. It goes along with the message, because mail programs load nothing from elsewhere. */
  logo: { bytes: Buffer; width: number; height: number } | null;
}

/** What a mail server is handed. */
export interface Letter {
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
export async function letterOf({ letterhead: find, ...message }: MailMessage, from: string): Promise<Letter> {
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
