import type { AuditEntry } from './audit.ts';

/** A change that a member of staff makes at the command line: who, why, by which command, and when. */
export interface StaffAct {
  staff: string;
  reason: string;
  /** As it is typed, without its values: `clients disable`. */
  command: string;
  /** The instant that is stored, in the form of the wire. */
  now: string;
}

/** The columns of the audit log that are the same for everything that one act does. */
export function staffOf(act: StaffAct, organization: string | null) {
  return {
    organization_id: organization,
    staff: act.staff,
    route: act.command,
    reason: act.reason,
    result: 'done',
  } satisfies Partial<AuditEntry>;
}
