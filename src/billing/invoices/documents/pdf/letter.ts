import { berlinDayOf } from '../../../../platform/time/berlin-calendar.ts';
import type {
  DocumentFacts,
  IssuerFacts,
  PostalAddress,
  RecipientFacts,
} from '../../calculate/fact-types.ts';
import { filled, type Texts } from '../texts/texts.ts';
import { type Page, type PageLogo, SPACE } from './page.ts';
import { INK, MM, type Sheet, SIZE, TEXT, TEXT_WIDTH } from './sheet.ts';

/*
 * The first page as a letter in a window envelope, DIN 5008 form B, and what stands at the foot of all pages.
 */

const HEAD_TOP = 16 * MM;
const LOGO = { width: 50 * MM, height: 20 * MM, gap: 8 * MM } as const;
/** Address field: 45 to 90 mm from the top, the recipient in its lower 27.3 mm. */
const WINDOW = {
  top: 45 * MM,
  width: 80 * MM,
  senderEnd: 61 * MM,
  recipient: 63.5 * MM,
  end: 90 * MM,
} as const;
/** Smaller letters cannot be read. */
const LEAST = { head: 9, sender: 5, recipient: 7, info: 7, foot: 4.5 } as const;
const INFO = { left: 125 * MM, top: 50 * MM, label: 28 * MM, gap: 2 } as const;
const SUBJECT_TOP = 101 * MM;
const FOLDS = { first: 105 * MM, middle: 148.5 * MM, second: 210 * MM } as const;
const FOOT = { page: 260.5 * MM, top: 266.5 * MM, end: 292 * MM } as const;

export function drawLetterHead({ sheet, document, texts, format, logo }: Page): void {
  const { issuer, recipient, contract } = document.facts;
  drawIssuer(sheet, issuer, logo);
  drawRecipient(sheet, recipient);
  drawInfo(sheet, [
    [isCredit(document.facts) ? texts.info.creditNumber : texts.info.number, document.invoiceNumber],
    [texts.info.date, format.day(berlinDayOf(document.issuedAt))],
    [texts.info.contract, contract.number],
    [texts.info.period, format.span(document)],
  ]);
  const contact = [`${texts.info.questions} ${issuer.contactName}`, issuer.phone, issuer.email].join('\n');
  const place = {
    x: INFO.left,
    y: sheet.y + INFO.gap,
    width: TEXT.right - INFO.left,
    size: SIZE.table,
  } as const;
  sheet.element('P', () => {
    sheet.y = sheet.write(contact, place);
  });
  sheet.y = Math.max(SUBJECT_TOP, sheet.y + SPACE.section);
}

/** Above the window, beside the logo, and once more as the sender at its upper edge. */
function drawIssuer(sheet: Sheet, issuer: IssuerFacts, logo: PageLogo | null): void {
  const room = logo === null ? 0 : drawLogo(sheet, logo) + LOGO.gap;
  const head = { width: TEXT_WIDTH - room, height: WINDOW.top - HEAD_TOP - 2 * MM, least: LEAST.head };
  const name = sheet.fitted(issuer.name, { size: SIZE.title, font: 'bold', color: INK.dark }, head);
  sheet.element('P', () =>
    sheet.write(sheet.cut(issuer.name, name, head), { ...name, y: HEAD_TOP, width: head.width }),
  );
  const sender = [issuer.name, ...addressLines(issuer.address)].join(' · ');
  const strip = {
    width: WINDOW.width,
    height: WINDOW.senderEnd - WINDOW.top,
    least: LEAST.sender,
  };
  const small = sheet.fitted(sender, { size: SIZE.small, color: INK.soft }, strip);
  const shown = sheet.cut(sender, small, strip);
  const y = WINDOW.senderEnd - sheet.heightOf(shown, small, WINDOW.width);
  sheet.element('P', () => sheet.write(shown, { ...small, y, width: WINDOW.width }));
}

/** At the right edge; the name beside it says what it is, so that a screen reader leaves it out. Returns its width. */
function drawLogo(sheet: Sheet, { bytes, width, height }: PageLogo): number {
  const scale = Math.min(LOGO.width / width, LOGO.height / height);
  const shown = width * scale;
  sheet.artifact(() => {
    sheet.pdf.image(bytes, TEXT.right - shown, HEAD_TOP, { width: shown, height: height * scale });
  });
  return shown;
}

/** Street and city are always whole: a name gives way to them. */
function drawRecipient(sheet: Sheet, recipient: RecipientFacts): void {
  const [name, address] = [nameLines(recipient).join('\n'), addressLines(recipient.address).join('\n')];
  const room = {
    width: WINDOW.width,
    height: WINDOW.end - WINDOW.recipient,
    least: LEAST.recipient,
  };
  const style = sheet.fitted(`${name}\n${address}`, { size: SIZE.body + 0.5 }, room);
  const forName = room.height - sheet.heightOf(address, style, room.width);
  const lines = `${sheet.cut(name, style, { ...room, height: forName })}\n${address}`;
  sheet.element('P', () => sheet.write(lines, { ...style, y: WINDOW.recipient, width: room.width }));
}

export const isCredit = ({ contract }: DocumentFacts): boolean => contract.type === 'feed_in';

/** Numbers do not break, because people type them: long ones are smaller. */
function drawInfo(sheet: Sheet, rows: readonly (readonly [label: string, value: string])[]): void {
  let y: number = INFO.top;
  const width = TEXT.right - INFO.left - INFO.label;
  const style = { size: SIZE.table } as const;
  const line = { width, height: sheet.heightOf('0', style, width), least: LEAST.info };
  for (const [label, value] of rows) {
    let end = y;
    sheet.element('P', () => {
      sheet.write(label, { ...style, x: INFO.left, y, width: INFO.label, color: INK.soft });
      const fitting = value.includes(' ') ? style : sheet.fitted(value, style, line);
      end = sheet.write(value, { ...fitting, x: INFO.left + INFO.label, y, width });
    });
    y = end + INFO.gap;
  }
  sheet.y = y;
}

export function addressLines({ street, houseNumber, zip, city }: PostalAddress): string[] {
  return [`${street} ${houseNumber}`, `${zip} ${city}`];
}

export function nameLines({ companyName, firstName, lastName }: RecipientFacts): string[] {
  const person = `${firstName} ${lastName}`.trim();
  return companyName === null ? [person] : [companyName, person].filter((line) => line !== '');
}

/** The register, and who stands for the company (section 35a GmbHG). */
export function companyLines(
  { registerCourt, registerNumber, representedBy }: IssuerFacts,
  texts: Texts,
): string[] {
  const register = [registerCourt, registerNumber].filter((part) => part !== null).join(', ');
  const directors = representedBy === null ? '' : filled(texts.footer.directors, { names: representedBy });
  return [register, directors].filter((line) => line !== '');
}

export function taxIds(
  { vatId, taxNumber }: Pick<IssuerFacts, 'vatId' | 'taxNumber'>,
  texts: Texts,
): string[] {
  return [
    ...(vatId === null ? [] : [filled(texts.footer.vatId, { id: vatId })]),
    ...(taxNumber === null ? [] : [filled(texts.footer.taxNumber, { number: taxNumber })]),
  ];
}

/** Number of the page, the issuer once more, and on the first page the marks for folding and punching. */
export function drawFoot({ sheet, document, texts }: Page, page: number, count: number): void {
  const { issuer } = document.facts;
  const style = { size: SIZE.small, color: INK.soft } as const;
  const number = filled(texts.footer.page, { page: String(page), count: String(count) });
  sheet.write(`${document.invoiceNumber} · ${number}`, { ...style, y: FOOT.page, align: 'right' });
  const { pdf } = sheet;
  pdf.moveTo(TEXT.left, FOOT.top - 4).lineTo(TEXT.right, FOOT.top - 4);
  pdf.lineWidth(0.5).strokeColor(INK.rule).stroke();
  const columns = [
    [issuer.name, ...addressLines(issuer.address), ...companyLines(issuer, texts)],
    [issuer.phone, issuer.email, ...websiteOf(issuer), ...taxIds(issuer, texts)],
    [
      texts.footer.bank,
      issuer.accountHolder,
      spacedIban(issuer.iban),
      ...(issuer.bic === null ? [] : [issuer.bic]),
    ],
  ];
  const width = TEXT_WIDTH / columns.length;
  const room = { width: width - 6, height: FOOT.end - FOOT.top, least: LEAST.foot };
  const blocks = columns.map((lines) => lines.join('\n'));
  const size = Math.min(...blocks.map((text) => sheet.fitted(text, style, room).size ?? style.size));
  for (const [index, text] of blocks.entries()) {
    const shown = sheet.cut(text, { ...style, size }, room);
    sheet.write(shown, { ...style, size, x: TEXT.left + index * width, y: FOOT.top, width: room.width });
  }
  if (page > 1) return;
  for (const [y, end] of [
    [FOLDS.first, 8],
    [FOLDS.middle, 10],
    [FOLDS.second, 8],
  ] as const) {
    pdf
      .moveTo(4 * MM, y)
      .lineTo(end * MM, y)
      .lineWidth(0.4)
      .strokeColor(INK.rule)
      .stroke();
  }
}

/** Without what only programs need. */
export function websiteOf({ website }: IssuerFacts): string[] {
  return website === null ? [] : [website.replace('https://', '')];
}

/** In groups of four, as people read it. */
function spacedIban(iban: string): string {
  return iban.replace(/(.{4})(?=.)/g, '$1\u00a0');
}
