import { setTimeout as wait } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import { type AuditEntry, audit } from '../../platform/audit.ts';
import { CommitUnknown, type Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Deps } from '../../platform/deps.ts';
import { badRequest, type Failure } from '../../platform/errors.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { isOneLine, REASON_CHARACTERS_MAX, type StaffAct } from '../../platform/staff-act.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { ConsoleFailure, type Visit } from './pages.ts';

/** As the pages give them: version 4. */
const FORM_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A page is answered within 20 s. */
const WAIT_MILLISECONDS = 15_000;
const PAUSE_MILLISECONDS = 100;

/**
 * Does what a form asks for once, however often its button is pressed: pressed again, it waits for the first time until that
 * is over, or is refused as that was. One press of a form waits, each further one is told at once that it is under way: whoever
 * presses a thousand times asks the database no more than who presses twice. What was refused may be sent again, but not what
 * may have been done. The row of the form is written before the work, and one that says so behind it: where the process dies
 * in between, the form was sent and did nothing, and its page shows that. `waitedFor`: forms that a press waits for.
 */
export async function onceForForm<Result>(
  { database, clock, waitedFor }: Pick<Deps, 'database' | 'clock'> & { waitedFor: Set<string> },
  { visitor: { organization, user }, body }: Visit,
  work: () => Promise<Result>,
): Promise<{ result: Result } | 'over' | 'under way'> {
  const id = textOf(body, '_form');
  if (!FORM_ID.test(id)) throw new ConsoleFailure('forgery', 400);
  const row = { organization_id: organization, user_id: user, created_at: clock.now().toISOString() };
  const end = `${id.slice(0, 14)}8${id.slice(15)}`;
  const look = () =>
    database.inOrganization({ organization }, async (connection): Promise<'first' | 'over' | 'under way'> => {
      if (await insertForm(connection, { ...row, id })) return 'first';
      return (await hasForm(connection, organization, end)) ? 'over' : 'under way';
    });
  let stage = await look();
  const key = `${organization}/${id}`;
  if (stage === 'under way' && !waitedFor.has(key)) {
    waitedFor.add(key);
    try {
      const waitsUntil = performance.now() + WAIT_MILLISECONDS;
      while (stage === 'under way' && performance.now() < waitsUntil) {
        await wait(PAUSE_MILLISECONDS);
        stage = await look();
      }
    } finally {
      waitedFor.delete(key);
    }
  }
  if (stage !== 'first') return stage;
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    if (error instanceof CommitUnknown) throw error;
    await database.inOrganization({ organization }, (connection) => deleteForm(connection, organization, id));
    throw error;
  }
  try {
    await database.inOrganization({ organization }, (connection) =>
      insertForm(connection, { ...row, id: end }),
    );
  } catch {
    /* What was done is shown all the same; only who pressed twice waits for longer. */
  }
  return { result };
}

/**
 * What somebody types or chooses in a form, beside the reason. A box is `yes` where it is ticked; each of `checkboxes` has the
 * name of its option, and `value` names those that are ticked, with commas.
 */
export interface ActField {
  readonly name: string;
  readonly label: string;
  readonly type:
    | 'text'
    | 'url'
    | 'email'
    | 'date'
    | 'datetime-local'
    | 'month'
    | 'select'
    | 'radio'
    | 'checkbox'
    | 'checkboxes'
    | 'hidden';
  readonly options?: readonly (readonly [value: string, words: string])[];
  readonly value?: string;
  readonly isNeeded?: boolean;
  readonly charactersMax?: number;
  /** The value that it showed is sent along as `shown_<name>`, also with the form that comes again. */
  readonly isCompared?: boolean;
}

/** A form as the view `act` shows it; `act` begins the ids of its fields. The button of `isMain` is the page's own. */
export interface ActForm {
  readonly act: string;
  readonly action: string;
  readonly words: string;
  readonly hint?: string;
  readonly isMain?: boolean;
  readonly fields: readonly ActField[];
}

const TYPED_CHARACTERS_MAX = 255;
const wireDay = wireSchemas.date();

/** Empty where nothing was typed. No text of the database holds a NUL. */
export function typedIn({ body }: Pick<Visit, 'body'>, name: string): string {
  return textOf(body, name).replaceAll('\0', '').trim().slice(0, TYPED_CHARACTERS_MAX);
}

export function dayIn(visit: Visit, name: string): CalendarDay {
  const day = optionalDayIn(visit, name);
  if (day === undefined) throw wrong(name, 'Needed: a day (2026-10-05)');
  return day;
}

export function optionalDayIn(visit: Visit, name: string): CalendarDay | undefined {
  const typed = typedIn(visit, name);
  if (typed === '') return undefined;
  if (wireDay.safeParse(typed).success) return typed;
  throw wrong(name, 'Not a day of the calendar (2026-10-05)');
}

export function choiceIn<Value extends string>(visit: Visit, name: string, values: readonly Value[]): Value {
  const chosen = values.find((value) => value === typedIn(visit, name));
  if (chosen === undefined) throw wrong(name, `One of: ${values.join(', ')}`);
  return chosen;
}

/** EUR as people write them, in both languages; undefined where nothing was typed. Which amounts are possible says the act. */
export function amountIn(visit: Visit, name: string): string | undefined {
  const typed = typedIn(visit, name);
  return typed === '' ? undefined : typed.replace(',', '.');
}

export function wrong(field: string, message: string): Failure {
  return badRequest([{ code: 'custom', field, message }]);
}

/** Who acts, and why: the reason stands in the form. */
export function actOf({ clock }: Pick<Deps, 'clock'>, visit: Visit): StaffAct {
  const reason = textOf(visit.body, 'reason').trim();
  if (!isOneLine(reason, REASON_CHARACTERS_MAX)) {
    throw wrong('reason', `Needed: one line of at most ${REASON_CHARACTERS_MAX} characters`);
  }
  const { route, ...trace } = visit.trace;
  return {
    ...{ staff: visit.visitor.user, reason, command: route ?? '' },
    ...{ now: clock.now().toISOString(), trace },
  };
}

/** Keeps who looked at whose data, in the transaction that read them; of a list whose its rows are, as the interface does. */
export async function auditRead(
  connection: Connection,
  { visitor, trace }: Visit,
  shown: string | readonly string[],
): Promise<void> {
  const { organization: organization_id, user: staff } = visitor;
  const object_id = [...new Set([shown].flat())].join(' ') || null;
  const read = { act: 'personal_data.read', object_id, result: 'done' } satisfies Partial<AuditEntry>;
  await audit(connection, { ...trace, organization_id, staff, ...read });
}

async function insertForm(
  connection: Connection,
  form: Insertable<Tables['console_forms']>,
): Promise<boolean> {
  const inserted = await connection
    .insertInto('console_forms')
    .values(form)
    .onConflict((on) => on.columns(['organization_id', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

async function hasForm(connection: Connection, organization: string, id: string): Promise<boolean> {
  const found = await connection
    .selectFrom('console_forms')
    .select('id')
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
  return found !== undefined;
}

async function deleteForm(connection: Connection, organization: string, id: string): Promise<void> {
  await connection
    .deleteFrom('console_forms')
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}
