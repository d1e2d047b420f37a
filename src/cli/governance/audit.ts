import { listDocumentProblems } from '../../billing/invoices/staff-read.ts';
import type { AuditSeal } from '../../governance/audit-log/queries.ts';
import { verifySeals } from '../../governance/audit-log/service.ts';
import { command } from '../command.ts';
import { JSON_OBJECT, option } from '../fields.ts';
import { endWith } from '../io.ts';
import { type OutputRow, table } from '../output.ts';
import { inputFile, type Session } from '../session.ts';

interface Finding {
  /** What was looked at: counts, days, hashes. */
  facts: OutputRow;
  /** None: all is as it was written. */
  problems: { of: string; problem: string }[];
}

/** What `audit verify` goes through, one after the other. */
const CHECKS = [
  { name: 'audit log', look: lookAtSeals },
  { name: 'documents', look: lookAtDocuments },
] as const;

export const commands = {
  verify: command({
    words: 'compares every seal of the audit log with its rows; ends with 1 where something does not fit',
    examples: ['', '--heads worker.log --json'],
    options: {
      heads: option('<file>', 'also looks for the heads that the worker wrote into this log: lines of JSON'),
      ...JSON_OBJECT,
    },
    work: async (session, { heads }) => {
      const checks: (Finding & { name: string })[] = [];
      for (const { name, look } of CHECKS) checks.push({ name, ...(await look(session, heads)) });
      if (checks.some(({ problems }) => problems.length > 0)) endWith(1);
      return { checks };
    },
    print: ({ checks }) =>
      checks.flatMap(({ name, facts, problems }) => {
        const told = Object.entries(facts).map(([fact, value]) => `${fact} ${String(value ?? '-')}`);
        const found = problems.length === 0 ? [] : [table(problems, ['of', 'problem'])];
        return [`${name}: ${told.join(', ')}`, ...found];
      }),
  }),
};

const DAY_MILLISECONDS = 86_400_000;
/** Last night's run seals yesterday; before it the newest seal is that of the day before. */
const SEALED_WITHIN_DAYS = 2;

async function lookAtSeals({ database, clock }: Session, heads: string | undefined): Promise<Finding> {
  const logged = heads === undefined ? [] : headsIn(await inputFile(heads));
  const { seals, compared, problems } = await verifySeals({ database });
  const newest = seals.at(-1);
  const found = problems.map(({ day, problem }) => ({ of: day ?? 'chain', problem }));
  const due = new Date(clock.nowMilliseconds() - SEALED_WITHIN_DAYS * DAY_MILLISECONDS).toISOString();
  if (newest !== undefined && newest.day < due.slice(0, 10)) {
    found.push({ of: newest.day, problem: 'the days after it are not sealed' });
  }
  const hashes = new Map(seals.map(({ day, hash }) => [day, hash]));
  for (const { day, hash } of logged) {
    if (hashes.get(day) !== hash) found.push({ of: day, problem: `the log knows its head as ${hash}` });
  }
  const facts = {
    seals: seals.length,
    compared,
    first: seals[0]?.day,
    newest: newest?.day,
    head: newest?.hash,
    ...(heads === undefined ? {} : { heads: logged.length }),
  };
  return { facts, problems: found };
}

const PROBLEMS_MAX = 1_000;

/** Whether the issued documents are as docs/billing-procedure.md says. */
async function lookAtDocuments({ database }: Session): Promise<Finding> {
  const rows = await listDocumentProblems(database, PROBLEMS_MAX);
  const problems = rows.flatMap(({ organization_id, document, problem }) =>
    problem === null ? [] : [{ of: `${organization_id} ${document ?? ''}`.trim(), problem }],
  );
  return { facts: { documents: rows[0]?.documents ?? 0 }, problems };
}

/** Lines of the worker's log that name a head of the chain; others are left out. */
function headsIn({ name, bytes }: { name: string; bytes: Uint8Array }): Pick<AuditSeal, 'day' | 'hash'>[] {
  const heads = new TextDecoder()
    .decode(bytes)
    .split('\n')
    .flatMap((line) => headIn(line) ?? []);
  if (heads.length > 0) return heads;
  throw new Error(`${name} has no line "${HEAD_MESSAGE}" of the worker's log`);
}

const HEAD_MESSAGE = 'audit log sealed';

function headIn(line: string): Pick<AuditSeal, 'day' | 'hash'> | undefined {
  if (!line.includes(HEAD_MESSAGE)) return undefined;
  try {
    const { day, hash, msg } = JSON.parse(line) as Record<string, unknown>;
    if (msg === HEAD_MESSAGE && typeof day === 'string' && typeof hash === 'string') return { day, hash };
  } catch {
    /* What a container's log puts in front of a line, or half a line. */
  }
  return undefined;
}
