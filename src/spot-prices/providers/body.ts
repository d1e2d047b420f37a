import { createHash } from 'node:crypto';
import type { WireAnswer } from '../series.ts';

/** A sentence may name a part of the body, and that part may be as long as the body. */
const REASON_LENGTH_MAX = 500;

/** Why a whole body yields nothing. */
export class BodyProblem extends Error {
  readonly status: 'failed' | 'rejected';

  constructor(status: 'failed' | 'rejected', reason: string) {
    super(reason.slice(0, REASON_LENGTH_MAX));
    this.status = status;
  }
}

/** Not what the source sends when it is well: another try may help. */
export function failed(reason: string): BodyProblem {
  return new BodyProblem('failed', reason);
}

/** Whole, and not what we may believe: another try gives the same. */
export function rejected(reason: string): BodyProblem {
  return new BodyProblem('rejected', reason);
}

/** Runs a reader and turns what stopped it into its answer. */
export function answerOf<Answer>(
  read: () => Answer,
): Answer | Extract<WireAnswer, { status: 'failed' | 'rejected' }> {
  try {
    return read();
  } catch (error) {
    if (error instanceof BodyProblem) return { status: error.status, reason: error.message };
    throw error;
  }
}

/** Strict UTF-8; one byte order mark at the beginning is dropped. */
export function bodyText(body: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw failed('The body is not valid UTF-8');
  }
  if (/^\s*$/.test(text)) throw failed('The body is empty');
  if (/^\s*<(?:!doctype\s+html|html)\b/i.test(text)) throw failed('The body is an HTML page');
  return text;
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

const QUOTED_LENGTH_MAX = 80;

/** A value of the body inside a sentence. */
export function quoted(value: string): string {
  const shown = value.length > QUOTED_LENGTH_MAX ? `${value.slice(0, QUOTED_LENGTH_MAX)}…` : value;
  return JSON.stringify(shown);
}
