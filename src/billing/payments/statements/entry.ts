import { createHash } from 'node:crypto';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';

/** One movement on the own account, as the bank reported it. */
export interface BankEntry {
  /** Where it stands in the file. */
  readonly path: string;
  /** Of two statements that report the same movement both have this text. */
  readonly identity: string;
  /** The identity of the same movement in a statement of the other form, a report or a table; null: it has none there. */
  readonly elsewhere: string | null;
  /** By a reference of its own the bank says which movement it is; else only another report with the same name does. */
  readonly hasReference: boolean;
  readonly bookedOn: CalendarDay;
  /** EUR with two decimals; what came in is positive, what went out negative. */
  readonly amount: string;
  readonly endToEndId: string | null;
  /** The block of a file of ours, where the bank reports its payments as one movement. */
  readonly blockId: string | null;
  /** A payment that came back: why, in the code of ISO 20022; `NARR` where the bank gives none. Else null. */
  readonly returnReason: string | null;
  /** Of the other side. */
  readonly name: string | null;
  readonly iban: string | null;
  /** What the payer wrote. */
  readonly text: string | null;
}

/** What is wrong with a statement: where, what stands there, and the rule. */
export interface StatementProblem {
  readonly path: string;
  readonly value: string;
  readonly rule: string;
}

export interface Statement {
  readonly entries: readonly BankEntry[];
  /** Movements that are not booked yet. The bank reports them again. */
  readonly pending: number;
  /** In the order of the file, `PROBLEMS_MAX` and one more that says so at most. */
  readonly problems: readonly StatementProblem[];
}

export const ENTRIES_MAX = 200_000;
/** More than anybody mends one by one; the reading ends there. */
export const PROBLEMS_MAX = 1_000;
export const TOO_MANY_PROBLEMS = `${PROBLEMS_MAX} problems: what follows was not read`;
const VALUE_CHARACTERS_MAX = 40;
const AMOUNT = /^(?<euros>\d{1,13})(?:\.(?<cents>\d{1,2})0*)?$/;
const REFERENCE_CHARACTERS_MAX = 140;
export const TEXT_CHARACTERS_MAX = 1_000;

/** Without a sign, with two decimals; null where it is none. Banks may write more zeros. */
export function amountOf(text: string): string | null {
  const { euros, cents = '' } = AMOUNT.exec(text)?.groups ?? {};
  return euros === undefined ? null : `${BigInt(euros)}.${cents.padEnd(2, '0')}`;
}

/** One line, without controls, not longer than what is kept. */
export function plainText(text: string | undefined, charactersMax = REFERENCE_CHARACTERS_MAX): string | null {
  const plain = (text ?? '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return plain === '' ? null : [...plain].slice(0, charactersMax).join('');
}

/** A short text for what a movement says; the second one that says the same in a file is not the first. */
export function numbered(same: Map<string, number>, said: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(said)).digest('hex');
  const number = (same.get(hash) ?? 0) + 1;
  same.set(hash, number);
  return `${hash}#${number}`;
}

/** One line for each problem, as people read it: file, path, value, rule. */
export function statementProblemsText(file: string, problems: readonly StatementProblem[]): string {
  const lines = problems.map(({ path, value, rule }) => {
    const shown = plainText(value, VALUE_CHARACTERS_MAX);
    return `${file} ${path}${shown === null ? '' : ` "${shown}"`}: ${rule}`;
  });
  return lines.join('\n');
}
