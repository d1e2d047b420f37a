import { type AuditEntry, audit } from './audit.ts';
import type { Connection } from './database/db.ts';
import { BIDI_OVERRIDES, VISIBLE } from './interface/wire-schemas.ts';

/** A change that a member of staff makes at the command line, or a user of the console: who, why, how, and when. */
export interface StaffAct {
  /** The name at the command line; the id of a user of the console. */
  staff: string;
  reason: string;
  /** As it is typed, without its values: `clients disable`; of a form its route. */
  command: string;
  /** The instant that is stored, in the form of the wire. */
  now: string;
  /** Of a form. */
  trace?: Required<Pick<AuditEntry, 'request_id' | 'address'>>;
  /** Told each result that the audit log keeps of the act. */
  heard?: AuditEntry['heard'];
}

/** Of the reason of an act. */
export const REASON_CHARACTERS_MAX = 500;

/** Something that can be read, as it stands there, without line ends. */
export function isOneLine(text: string, charactersMax: number): boolean {
  const isPlain = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u.test(text) && !BIDI_OVERRIDES.test(text);
  return isPlain && VISIBLE.test(text) && text.length <= charactersMax;
}

/** The columns of the audit log that are the same for everything that one act does. */
export function staffOf(act: StaffAct, organization: string | null) {
  return {
    organization_id: organization,
    staff: act.staff,
    route: act.command,
    reason: act.reason,
    result: 'done',
    heard: act.heard,
    ...act.trace,
  } satisfies Partial<AuditEntry>;
}

/** Keeps who looked at whose data at the command line, in the transaction that read them. */
export async function auditLook(
  connection: Connection,
  act: StaffAct,
  organization: string,
  shown: readonly string[],
): Promise<void> {
  const object_id = [...new Set(shown)].join(' ') || null;
  await audit(connection, { ...staffOf(act, organization), act: 'personal_data.read', object_id });
}
