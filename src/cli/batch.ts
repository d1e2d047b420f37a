import { Readable, Writable } from 'node:stream';
import type { Database } from '../platform/database/db.ts';
import { command, type DescribedCommand } from './engine/command.ts';
import { flag, JSON_OBJECT } from './engine/fields.ts';
import { type CommandIo, commandIo, endWith } from './engine/io.ts';
import { printLine } from './engine/output.ts';
import { notUnderstood } from './engine/program.ts';
import { inputFile, withoutSession } from './engine/session.ts';

/** Runs the words of a command. It is handed in, because the command line knows this file. */
export interface CommandLine {
  run(words: readonly string[], io: CommandIo): Promise<number>;
  /** Reads them and does nothing. Whether they are understood, and whether the command has `--dry-run`. */
  understand(words: readonly string[], io: CommandIo): Promise<{ exitCode: number; hasDryRun: boolean }>;
}

const LINES_MAX = 100_000;
const LINE_CHARACTERS_MAX = 20_000;

interface Line {
  readonly number: number;
  readonly text: string;
  readonly words: readonly string[];
}

interface LineResult {
  readonly line: number;
  readonly command: string;
  readonly result: 'ok' | 'already entered' | 'understood' | 'error' | 'not run';
  readonly milliseconds: number;
  readonly output: string;
  readonly problem: string | null;
}

export function batchCommand(commandLine: CommandLine): DescribedCommand {
  return command({
    words: 'runs the commands of a file, one a line, in one process with open connections',
    examples: ['orders-of-today.txt', 'orders-of-today.txt --keep-going --json'],
    notes: [
      "A line is what is typed behind `npm run cli --`, with quotes as in a shell: meters exchange mtr_… --reason 'broken'",
      'Empty lines and lines that begin with # are passed over. Every line is read before the first one runs: one that is not',
      'understood stops all, but with --keep-going itself alone. Lines that ran stay done when a later one fails: mend that',
      'line and run the file again. What stands as a line says is `already entered`, and what contradicts it fails. Which',
      'lines to delete before stands in docs/operating.md.',
    ].join('\n'),
    arguments: { file: 'a file of UTF-8 text' },
    options: {
      keep_going: flag('goes on behind a line that failed'),
      dry_run: flag('runs the lines whose command has --dry-run with it, and only reads the others'),
      ...JSON_OBJECT,
    },
    session: withoutSession,
    work: async ({ isJson }, { file, keep_going = false, dry_run = false }) => {
      const lines = linesOf(Buffer.from((await inputFile(file)).bytes).toString('utf8'));
      const databases = commandIo().databases ?? new Map<string, Database>();
      try {
        const report = isJson ? () => {} : printResult;
        const results = await runLines(commandLine, lines, { keep_going, dry_run, databases, report });
        const count = (result: LineResult['result']) => results.filter((row) => row.result === result).length;
        const failed = count('error');
        if (failed > 0 || count('not run') > 0) endWith(1);
        return {
          ...{ lines: results.length, ok: count('ok'), already_entered: count('already entered') },
          ...{ understood: count('understood'), failed, not_run: count('not run'), results },
        };
      } finally {
        if (commandIo().databases === undefined)
          for (const database of databases.values()) await database.close();
      }
    },
    print: ({ lines, ok, already_entered, understood, failed, not_run }) => {
      const some = [`${already_entered} already entered, `, `${understood} understood, `];
      const counts = some.filter((text) => !text.startsWith('0 ')).join('');
      return [`${lines} lines: ${ok} ok, ${counts}${failed} failed, ${not_run} not run.`];
    },
  });
}

async function runLines(
  commandLine: CommandLine,
  lines: readonly Line[],
  options: {
    keep_going: boolean;
    dry_run: boolean;
    databases: Map<string, Database>;
    report(result: LineResult): void;
  },
): Promise<LineResult[]> {
  const { keep_going, dry_run, databases, report } = options;
  const interruption = commandIo().interruption();
  const results: LineResult[] = [];
  const add = (line: Line, result: Omit<LineResult, 'line' | 'command'>) => {
    const made = { line: line.number, command: line.text, ...result };
    results.push(made);
    report(made);
  };
  const understood = new Map<Line, { hasDryRun: boolean } | { problem: string }>();
  for (const line of lines) understood.set(line, await understandLine(commandLine, line, databases));
  const isMistaken = (line: Line) => 'problem' in (understood.get(line) ?? {});
  let isStopped = !keep_going && lines.some(isMistaken);
  for (const line of lines) {
    const known = understood.get(line);
    const nothing = { milliseconds: 0, output: '' };
    if (known !== undefined && 'problem' in known) {
      add(line, { result: 'error', ...nothing, problem: known.problem });
    } else if (isStopped || interruption.aborted) add(line, { result: 'not run', ...nothing, problem: null });
    else if (dry_run && known?.hasDryRun === false)
      add(line, { result: 'understood', ...nothing, problem: null });
    else {
      const words = dry_run ? [...line.words, '--dry-run'] : line.words;
      const ran = await runLine(commandLine, words, databases);
      add(line, ran);
      if (ran.result === 'error' && !keep_going) isStopped = true;
    }
  }
  return results;
}

async function understandLine(
  { understand }: CommandLine,
  { words }: Line,
  databases: Map<string, Database>,
) {
  if (words[0] === 'batch') return { problem: 'A batch runs no batch' };
  const io = lineIo(databases);
  const { exitCode, hasDryRun } = await understand(words, io);
  return exitCode === 0 ? { hasDryRun } : { problem: io.stderr.text.trim() || 'Not a command' };
}

async function runLine({ run }: CommandLine, words: readonly string[], databases: Map<string, Database>) {
  let isUnchanged = false;
  const unchanged = () => {
    isUnchanged = true;
  };
  const io = { ...lineIo(databases), unchanged };
  const began = performance.now();
  const exitCode = await run(words, io);
  const milliseconds = Math.round(performance.now() - began);
  const said = io.stderr.text.trim();
  const problem = exitCode === 0 ? null : said || `Ended with ${exitCode}`;
  const done = isUnchanged ? ('already entered' as const) : ('ok' as const);
  return {
    result: exitCode === 0 ? done : ('error' as const),
    ...{ milliseconds, output: io.stdout.text, problem },
  };
}

/** A terminal that nobody sits at: no command asks, none opens a pager. */
function lineIo(databases: Map<string, Database>) {
  return {
    ...commandIo(),
    ...{ databases, stdin: Readable.from([]), stdout: new TextCollector(), stderr: new TextCollector() },
  };
}

class TextCollector extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Prints the output of the command first, for a secret may be shown this once, and then the outcome of the line. */
function printResult({ line, command: typed, result, milliseconds, output, problem }: LineResult): void {
  if (output !== '') printLine(output.trimEnd());
  const time = result === 'ok' || result === 'already entered' ? ` (${milliseconds} ms)` : '';
  printLine(`line ${line}: ${result}${time}: ${typed}`);
  if (problem !== null) printLine(problem.replaceAll(/^/gm, '  '));
}

function linesOf(text: string): Line[] {
  const all = text.split('\n').map((line, index) => ({ number: index + 1, text: line.trim() }));
  if (all.length > LINES_MAX)
    notUnderstood(`the file has ${all.length} lines, at most ${LINES_MAX} are taken`);
  return all
    .filter((line) => line.text !== '' && !line.text.startsWith('#'))
    .map((line) => ({ ...line, words: wordsOf(line) }));
}

/** As a shell reads them: blanks part words, quotes and backslashes hold them together. Nothing else has a meaning. */
export function wordsOf({ number, text }: Pick<Line, 'number' | 'text'>): string[] {
  if (text.length > LINE_CHARACTERS_MAX)
    notUnderstood(`line ${number} has ${text.length} characters, at most ${LINE_CHARACTERS_MAX} are taken`);
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\' && quote !== "'") {
      at += 1;
      if (at === text.length) notUnderstood(`line ${number} ends with a backslash`);
      word = (word ?? '') + text.charAt(at);
    } else if (quote === '' && (character === "'" || character === '"')) {
      quote = character;
      word ??= '';
    } else if (character === quote) quote = '';
    else if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === '' && character === '#' && word === undefined) return words;
    else word = (word ?? '') + character;
  }
  if (quote !== '') notUnderstood(`line ${number} opens ${quote} and does not close it`);
  if (word !== undefined) words.push(word);
  return words;
}
