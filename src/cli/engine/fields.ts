import { InvalidArgumentError } from 'commander';
import { isId } from '../../platform/ids.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { isOneLine, REASON_CHARACTERS_MAX } from '../../platform/staff-act.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { instantInUtc } from '../../platform/time/instant.ts';
import { isLocalStart, userName } from '../environment.ts';

/**
 * What is typed behind a command: an option, or an argument. A command names its fields as the service does (`valid_from`);
 * the option is then `--valid-from`.
 */
export interface Field<Value = unknown, Sure extends boolean = boolean> {
  /** `<day>`; empty for an option that is only there or not. */
  readonly value: string;
  readonly words: string;
  /** Throws InvalidArgumentError with what is expected. */
  readonly read?: (text: string) => Value;
  readonly choices?: readonly string[];
  readonly fallback?: Value;
  /** The command has a value in any case: it is asked for, or there is a fallback. */
  readonly sure: Sure;
  /** Name of an option that does not go with it. */
  readonly conflict?: string;
}

export function option(value: string, words: string): Field<string, false>;
export function option<Value>(
  value: string,
  words: string,
  read: (text: string) => Value,
): Field<Value, false>;
export function option(
  value: string,
  words: string,
  read?: (text: string) => unknown,
): Field<unknown, false> {
  return { value, words, sure: false, ...(read !== undefined && { read }) };
}

/**
 * For an id of one kind, whose prefix the words begin with: `sub_…: of this contract only`. Another kind would find nothing,
 * and the answer would look as if there were nothing.
 */
export function idOption(words: string): Field<string, false> {
  const prefix = words.slice(0, words.indexOf('_') + 1);
  return option('<id>', words, (text) => {
    if (isId(text) && text.startsWith(prefix)) return text;
    throw new InvalidArgumentError(`An id that begins with ${prefix}.`);
  });
}

export const flag = (words: string): Field<true, false> => ({ value: '', words, sure: false });

export function choice<const Value extends string>(
  value: string,
  words: string,
  choices: readonly Value[],
): Field<Value, false> {
  return { value, words, choices, sure: false };
}

/** Several values behind one option: `--table a b`. */
export const several = <Value>({
  read: _,
  fallback: __,
  ...field
}: Field<Value, false>): Field<Value[], false> => field;

/** Without it the command is not understood. */
export const needed = <Value>(field: Field<Value, false>): Field<Value, true> => ({ ...field, sure: true });

export const or = <Value, Fallback extends Value | boolean>(
  field: Field<Value, false>,
  fallback: Fallback,
): Field<Value | Fallback, true> => ({ ...field, fallback, sure: true });

/** An argument that is read or has choices. One that is any text is written as its words alone. */
export const argument = <Value>(field: Field<Value, false>): Field<Value, true> => needed(field);

/* How values are read. */

const wireDay = wireSchemas.date();

export function calendarDay(text: string): CalendarDay {
  if (wireDay.safeParse(text).success) return text;
  throw new InvalidArgumentError('A day of the calendar, as 2026-10-05.');
}

/** `2026-10` as its first day. */
export function month(text: string): CalendarDay {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return `${text}-01`;
  throw new InvalidArgumentError('A month of the calendar, as 2026-10.');
}

/** With its time zone, as UTC. */
export function instant(text: string): string {
  const value = instantInUtc(text);
  if (value === null) throw new InvalidArgumentError('A date-time with time zone (2026-10-05T08:30:00Z).');
  return value;
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('A whole number is expected.');
  return Number(text);
}

export const wholeNumberFrom = (min: number, max: number) => (text: string) => {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(`A whole number from ${min} to ${max}.`);
};

/* Fields of many commands. */

export const JSON_OBJECT = { json: flag('as one JSON object') };
export const JSON_LIST = { json: flag('as a list of JSON objects') };

/** The organization that a command is about; `ownOrganization` finds it where the option is left out. */
export interface OrganizationField extends Field<string, false> {
  readonly isOwn: true;
}

export function ownOrganizationField(whose = ''): { organization: OrganizationField } {
  const where = 'where absent: whose the id is, else that of npm start, else the only one';
  return { organization: { ...option('<id>', `org_…${whose}; ${where}`), isOwn: true } };
}

export const OF_ORGANIZATION = { ...ownOrganizationField(), json: flag('as JSON') };

/** Of a list that may be long. What asks for it gets one row more; the engine leaves that out and says that there are more. */
export const LIMIT = { limit: or(option('<number>', 'at most so many', wholeNumber), 100) };

export const LISTING = { ...OF_ORGANIZATION, ...LIMIT };

/** In the audit log of a local start, whose records are invented. */
const LOCAL_REASON = 'tried on a local start';

/**
 * The options of a command that changes something: a change without a reason is refused before anything happens, unless
 * the reason of the command is plain and given here, or the service is that of `npm start`.
 */
export function act(plainReason?: string) {
  return {
    reason: (): Field<string, true> => {
      const reason = option('<text>', 'why it is done; kept in the audit log', reasonText);
      const plain = plainReason ?? (isLocalStart() ? LOCAL_REASON : undefined);
      return plain === undefined ? needed(reason) : or(reason, plain);
    },
    staff: (): Field<string, true> =>
      or(option('<name>', 'who does it; the name of the system user where absent'), userName()),
  };
}

export const ACT = act();

/** Of a command that shows persons: the audit log keeps who looked. */
export const LOOK = act('looked at by the back office');

/** Of a command that changes something of an organization. */
export const CHANGE = { ...ACT, ...OF_ORGANIZATION };

function reasonText(text: string): string {
  return oneLine(REASON_CHARACTERS_MAX)(text);
}

export const oneLine = (charactersMax: number) => (text: string) => {
  if (isOneLine(text, charactersMax)) return text;
  throw new InvalidArgumentError(`One line of at most ${charactersMax} characters.`);
};
