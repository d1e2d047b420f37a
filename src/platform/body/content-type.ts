import type { IncomingHttpHeaders } from 'node:http';
import { quoted } from '../errors.ts';
import { bodyFailure } from './failures.ts';

/** A body is announced by its length or by its transfer coding, never by the method. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && Number(headers['content-length']) > 0;
}

/**
 * The media type of the body, one of `accepted`; null where no body is sent. A charset other than UTF-8 is refused:
 * JSON has no other (RFC 8259, 8.1).
 */
export function checkContentType<MediaType extends string>(
  headers: IncomingHttpHeaders,
  accepted: readonly MediaType[],
): MediaType | null {
  if (!hasBody(headers)) return null;
  const sent = headers['content-type'] ?? '';
  const { name, charset } = contentTypeOf(sent);
  const mediaType = accepted.find((candidate) => candidate === name);
  if (mediaType !== undefined && (charset === null || charset === 'utf-8')) return mediaType;
  const said = sent === '' ? 'it came without a Content-Type' : `its Content-Type was ${quoted(sent)}`;
  throw bodyFailure(`Send the body as ${accepted.join(' or ')} in UTF-8; ${said}`, {
    status: 415,
    headers: { accept: accepted.join(', ') },
  });
}

const NAME = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/;
const PARAMETER = /^([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"([^"\\]*)")$/;

interface ContentType {
  /** In small letters; empty where the header is not well-formed. */
  name: string;
  charset: string | null;
}

const UNREADABLE: ContentType = { name: '', charset: null };

/** RFC 9110, 8.3.1: a type, then parameters, with white space around each of them. Its parts are matched one by one. */
function contentTypeOf(header: string): ContentType {
  const [type = '', ...parameters] = outsideQuotes(header).map((part) => part.trim());
  if (!NAME.test(type)) return UNREADABLE;
  if (parameters.at(-1) === '') parameters.pop();
  let charset: string | null = null;
  for (const parameter of parameters) {
    const [whole, name = '', token, quoted = ''] = PARAMETER.exec(parameter) ?? [];
    if (whole === undefined) return UNREADABLE;
    if (name.toLowerCase() === 'charset') charset ??= (token ?? quoted).toLowerCase();
  }
  return { name: type.toLowerCase(), charset };
}

/** The parts between semicolons, but for those inside a quoted text. */
function outsideQuotes(text: string): string[] {
  if (!text.includes('"')) return text.split(';');
  const parts: string[] = [];
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    if (character !== ';' || isQuoted) continue;
    parts.push(text.slice(begin, at));
    begin = at + 1;
  }
  parts.push(text.slice(begin));
  return parts;
}
