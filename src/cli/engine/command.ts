import { Argument, Command, Option } from 'commander';
import type { StaffAct } from '../../platform/staff-act.ts';
import { known, knownRecords, ownOrganization } from '../organization.ts';
import { argument, type Field, type OrganizationField } from './fields.ts';
import { commandIo } from './io.ts';
import { type Column, fields, type Part, print, table } from './output.ts';
import { withExamples } from './program.ts';
import { type Session, withSession } from './session.ts';

/*
 * A command is a description: what is typed, who does the work, and what of the answer people see. Everything else follows
 * from it here: the command of commander with its help and examples, the session, the organization, the reason, `--json`,
 * the table on a terminal, and the sentence where there is no such thing.
 */

/** Opens what the work needs, and closes it behind the work. */
export type Opener<Resources> = <Result>(work: (session: Resources) => Promise<Result>) => Promise<Result>;

/** Names as the service has them. A text instead of a field is an argument of any text, described by it. */
type Fields = Readonly<Record<string, Field | (() => Field) | string>>;

export interface Description<Resources, Arguments, Options, Result, Row> {
  readonly words: string;
  /** Two, each without the name of the command. `…` behind the beginning of an id stands for the rest of it. */
  readonly examples: readonly [string, string];
  /** What stands below the options in the help. */
  readonly notes?: string;
  /** In the order in which they are typed. */
  readonly arguments?: Arguments;
  /** In the order of the help. `ACT`, `OF_ORGANIZATION`, `LISTING` and others of fields.ts bring what many commands have. */
  readonly options?: Options;
  /** `withSession` where absent. */
  readonly session?: Opener<Resources>;
  /** What there is none of, where the service finds nothing: `meter order`. The first argument says which. */
  readonly thing?: string;
  /** Refuses what cannot be meant before anything is opened. */
  check?(given: ArgumentValues<Arguments & Options>): void;
  /** The answer; undefined where the work has shown all itself. */
  work(context: Context<Resources, Options>, given: ArgumentValues<Arguments & Options>): Promise<Result>;
  /** What `--json` shows, where it is not the answer as it is. */
  json?(found: Result): unknown;
  /** Of a list: fields of its rows. */
  readonly columns?: readonly Column<NoInfer<Row>>[];
  /** Columns that go first where a terminal is narrow. */
  readonly least?: readonly string[];
  /** The output for people, where it is neither a table of these columns nor each field. */
  print?(
    found: Result,
    given: ArgumentValues<Arguments & Options>,
    context: Context<Resources, Options>,
  ): readonly Part[];
}

/** Given to the work: the opened parts, and the values of the command's common options. */
export type Context<Resources, Options> = Resources & { isJson: boolean } & (Options extends {
    organization: OrganizationField;
  }
    ? { organization: string }
    : unknown) &
  (Options extends { reason: unknown } ? { act: StaffAct } : unknown);

/** The typed values by their names, without the common options and without those that were left out. */
export type ArgumentValues<Kinds> = {
  [Name in OwnNames<Kinds> as IsSure<Kinds[Name]> extends true ? Name : never]: ValueOf<Kinds[Name]>;
} & {
  [Name in OwnNames<Kinds> as IsSure<Kinds[Name]> extends true ? never : Name]?: ValueOf<Kinds[Name]>;
};

type OwnNames<Kinds> = {
  [Name in keyof Kinds]: Name extends 'json' | 'reason' | 'staff'
    ? never
    : Kinds[Name] extends OrganizationField
      ? never
      : Name;
}[keyof Kinds];
type FieldKind<Kind> = Kind extends () => infer Value ? Value : Kind;
type IsSure<Kind> = Kind extends string ? true : FieldKind<Kind> extends { sure: true } ? true : false;
type ValueOf<Kind> = Kind extends string
  ? string
  : FieldKind<Kind> extends Field<infer Value>
    ? Value
    : never;

/** A description whose types are checked; the rest of the command line needs none of them. */
export interface DescribedCommand {
  readonly words: string;
  readonly examples: readonly [string, string];
  readonly notes?: string | undefined;
  readonly arguments: Fields;
  readonly options: Fields;
  /** Refuses what cannot be meant. */
  check(typed: TypedCommand): void;
  run(typed: TypedCommand): Promise<void>;
}

/** Commands below a name. */
export interface CommandGroup {
  readonly words: string;
  readonly commands: Commands;
}

export type Commands = Readonly<Record<string, DescribedCommand | CommandGroup>>;

export function command<
  Resources = Session,
  const Arguments extends Fields = Record<never, never>,
  const Options extends Fields = Record<never, never>,
  Result = unknown,
  Row = Result extends readonly (infer Item)[] ? Item : never,
>(description: Description<Resources, Arguments, Options, Result, Row>): DescribedCommand {
  const { words, examples, notes } = description;
  return {
    ...{ words, examples, notes },
    arguments: description.arguments ?? {},
    options: description.options ?? {},
    check: (typed) => description.check?.(givenOf(description, typed)),
    run: (typed) => run(description, typed),
  };
}

interface TypedCommand {
  /** As it is typed, without its values: `clients disable`. */
  readonly name: string;
  /** Each argument and option that was given or has a fallback, by its name. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The first argument. */
  readonly first: unknown;
}

const isOfOrganization = ({ options }: { readonly options?: unknown }) =>
  'isOwn' in Object((options as Fields | undefined)?.organization);

/** Without the common options. */
function givenOf<Resources, Arguments extends Fields, Options extends Fields, Result, Row>(
  description: Description<Resources, Arguments, Options, Result, Row>,
  { given: typed }: TypedCommand,
): ArgumentValues<Arguments & Options> {
  const { json: _json, reason: _reason, staff: _staff, ...others } = typed;
  const { organization: _, ...own } = others;
  return (isOfOrganization(description) ? own : others) as ArgumentValues<Arguments & Options>;
}

const UNCHANGED = 'Already entered: nothing was changed.';

async function run<Resources, Arguments extends Fields, Options extends Fields, Result, Row>(
  description: Description<Resources, Arguments, Options, Result, Row>,
  typed: TypedCommand,
): Promise<void> {
  const { name, first } = typed;
  const { json, reason, staff, ...others } = typed.given;
  const given = givenOf(description, typed);
  const open = (description.session ?? withSession) as Opener<Resources>;
  const results = new Set<string>();
  await open(async (opened) => {
    const { database, clock } = opened as Session;
    const organization = isOfOrganization(description) ? await ownOrganization(database, others) : undefined;
    const context = {
      ...opened,
      isJson: json === true,
      ...(organization !== undefined && { organization }),
      ...(reason !== undefined && {
        act: {
          ...{ staff, reason, command: name, now: clock.now().toISOString() },
          heard: (result: string) => void results.add(result),
        },
      }),
    } as Context<Resources, Options>;
    /* One row more than is shown says whether there are more. */
    const { limit } = given as { limit?: number };
    const work = description.work(context, limit === undefined ? given : { ...given, limit: limit + 1 });
    const { thing } = description;
    const which = [thing, first].filter((word) => word !== undefined).join(' ');
    const place = organization === undefined ? '' : ` in ${organization}`;
    const all = thing === undefined ? await work : await known(`${which}${place}`, work);
    const isUnchanged = results.size === 1 && results.has('unchanged');
    if (isUnchanged) commandIo().unchanged?.();
    if (all === undefined) return;
    const isCut = limit !== undefined && Array.isArray(all) && all.length > limit;
    const found = isCut ? (all.slice(0, limit) as Result) : all;
    if (organization !== undefined && Array.isArray(found) && found.length === 0) {
      await knownRecords(database, organization, recordsIn(description.options ?? {}, given));
    }
    const parts = [...partsOf(description, found, given, context), ...(isUnchanged ? [UNCHANGED] : [])];
    await print(description.json?.(found) ?? found, parts, { json: json === true });
    if (isCut) commandIo().stderr.write(`There are more than these ${limit}: --limit shows more of them.\n`);
  });
}

/** What of the options names a record by its id. */
function recordsIn(options: Fields, given: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => {
      const field = options[name];
      return field !== undefined && resolved(field).value === '<id>';
    }),
  );
}

function partsOf<Resources, Arguments, Options, Result, Row>(
  { print: shown, columns, least }: Description<Resources, Arguments, Options, Result, Row>,
  found: Result,
  given: ArgumentValues<Arguments & Options>,
  context: Context<Resources, Options>,
): readonly Part[] {
  if (shown !== undefined) return shown(found, given, context);
  if (columns === undefined) return [fields(found as object)];
  return [table(found as readonly object[], columns as readonly Column<object>[], least)];
}

/** `name`: as it is typed behind `program`, also in the audit log. */
export function commandOf(
  name: string,
  described: DescribedCommand | CommandGroup,
  program: string,
): Command {
  const made = new Command(name.split(' ').at(-1)).description(described.words);
  if ('commands' in described) {
    for (const [below, part] of Object.entries(described.commands)) {
      made.addCommand(commandOf(`${name} ${below}`, part, program));
    }
    return withExamples(made, `${program} ${name}`, examplesBelow(described.commands));
  }
  const args = Object.entries(described.arguments);
  for (const [argumentName, field] of args) made.addArgument(argumentOf(argumentName, resolved(field)));
  const options = Object.entries(described.options).map(
    ([optionName, field]) => [optionName, optionOf(optionName, resolved(field))] as const,
  );
  for (const [, option] of options) made.addOption(option);
  if (described.notes !== undefined) made.addHelpText('after', `\n${described.notes}`);
  const typed = (): TypedCommand => {
    const values: unknown[] = made.processedArgs;
    const given = [
      ...args.map(([argumentName], index) => [argumentName, values[index]] as const),
      ...options.map(([optionName, option]) => [optionName, made.opts()[option.attributeName()]] as const),
    ].filter(([, value]) => value !== undefined);
    return { name, given: Object.fromEntries(given), first: values[0] };
  };
  return withExamples(made, `${program} ${name}`, described.examples)
    .hook('preAction', () => described.check(typed()))
    .action(async () => await described.run(typed()));
}

/** The first example of the first two commands. */
function examplesBelow(commands: Commands): string[] {
  return Object.entries(commands)
    .slice(0, 2)
    .map(([name, part]) => {
      const [example = ''] = 'commands' in part ? examplesBelow(part.commands) : part.examples;
      return `${name} ${example}`;
    });
}

function resolved(field: Field | (() => Field) | string): Field {
  if (typeof field === 'string') return argument({ value: '', words: field, sure: false });
  return typeof field === 'function' ? field() : field;
}

function argumentOf(name: string, { sure, words, choices, read }: Field): Argument {
  const made = new Argument(sure ? `<${name}>` : `[${name}]`, words);
  if (choices !== undefined) made.choices(choices);
  if (read !== undefined) made.argParser(read);
  return made;
}

function optionOf(name: string, { value, words, read, choices, fallback, sure, conflict }: Field): Option {
  const made = new Option(`--${name.replaceAll('_', '-')} ${value}`.trimEnd(), words);
  if (choices !== undefined) made.choices(choices);
  if (read !== undefined) made.argParser(read);
  if (fallback !== undefined) made.default(fallback);
  if (sure && fallback === undefined) made.makeOptionMandatory();
  if (conflict !== undefined) made.conflicts(conflict);
  return made;
}
