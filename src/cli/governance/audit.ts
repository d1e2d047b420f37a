import { randomBytes } from 'node:crypto';
import { listDocumentProblems } from '../../billing/invoices/staff-read.ts';
import { listReadPersons, listSeals } from '../../governance/audit-log/queries.ts';
import { verifySeals } from '../../governance/audit-log/service.ts';
import {
  isSignedBy,
  publicKeyOf,
  type SignedHead,
  signHead,
} from '../../governance/audit-log/signed-heads.ts';
import { command } from '../engine/command.ts';
import { calendarDay, idOption, instant, JSON_OBJECT, OF_ORGANIZATION, option } from '../engine/fields.ts';
import { endWith } from '../engine/io.ts';
import { type OutputRow, table } from '../engine/output.ts';
import { inputFile, type Session, withOwnerSession, withoutSession } from '../engine/session.ts';

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
    examples: ['--json', '--heads heads.jsonl --public-key 2rVPgHI5…'],
    options: {
      heads: option(
        '<file>',
        'also looks for the heads that the worker wrote into this log, or that audit heads printed: lines of JSON',
      ),
      public_key: option('<key>', 'each of these heads must be signed by it'),
      ...JSON_OBJECT,
    },
    check: ({ heads, public_key }) => {
      if (heads === undefined && public_key !== undefined)
        throw new Error('--public-key needs --heads: it is their signatures that it checks');
    },
    work: async (session, { heads, public_key: publicKey }) => {
      const checks: (Finding & { name: string })[] = [];
      for (const { name, look } of CHECKS) checks.push({ name, ...(await look(session, heads, publicKey)) });
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
  heads: command({
    words:
      'the head of every sealed day, signed with AUDIT_SIGNING_KEY: lines of JSON, to be given to an auditor',
    examples: ['> heads.jsonl', '--since 2026-11-01 > heads.jsonl'],
    options: { since: option('<day>', 'from this day on (UTC); all where absent', calendarDay) },
    work: async ({ database, config }, { since = '' }) => {
      const key = config.AUDIT_SIGNING_KEY;
      if (key === undefined)
        throw new Error(
          'AUDIT_SIGNING_KEY is not set: set it to that of the worker; where the worker has none yet, npm run cli -- audit key makes one',
        );
      const seals = await database.asService(listSeals);
      return {
        heads: seals
          .filter(({ day }) => day >= since)
          .map((seal) => ({ msg: HEAD_MESSAGE, ...signHead(key, seal) })),
      };
    },
    print: ({ heads }) => heads.map((head) => JSON.stringify(head)),
  }),
  reads: command({
    words:
      'whose personal data the tokens of a client or of a grant have read or changed, through the interface',
    examples: ['--client oac_…', '--grant grt_… --since 2026-11-20T00:00:00Z --json'],
    notes: `Ids that lead to no customer, as those of leads, stand for themselves. '-': answers that showed nobody, and lists that were
read before the log kept whose their rows are.`,
    options: {
      ...OF_ORGANIZATION,
      client: idOption('oac_…: tokens of this client'),
      grant: idOption('grt_…: tokens of this grant'),
      since: option('<instant>', 'from this instant on; the log keeps 24 months', instant),
      until: option('<instant>', 'the instant behind the last one, not part of it', instant),
    },
    check: ({ client, grant }) => {
      if (client === undefined && grant === undefined)
        throw new Error('--client or --grant: name whose tokens are meant');
    },
    session: withOwnerSession,
    work: ({ database, organization }, given) =>
      database.inOrganization({ organization }, (connection) =>
        listReadPersons(connection, organization, given),
      ),
    columns: ['whose', 'reads', 'first_at', 'last_at'],
  }),
  key: command({
    words: 'makes a key for AUDIT_SIGNING_KEY, and the public key that auditors get',
    examples: ['', '--json'],
    options: JSON_OBJECT,
    session: withoutSession,
    work: () => {
      const secret = randomBytes(32).toString('base64url');
      return Promise.resolve({ AUDIT_SIGNING_KEY: secret, public_key: publicKeyOf(secret) });
    },
  }),
};

const DAY_MILLISECONDS = 86_400_000;
/** Last night's run seals yesterday; before it the newest seal is that of the day before. */
const SEALED_WITHIN_DAYS = 2;

async function lookAtSeals(
  { database, clock }: Session,
  heads: string | undefined,
  publicKey: string | undefined,
): Promise<Finding> {
  const logged = heads === undefined ? [] : headsIn(await inputFile(heads));
  const { seals, compared, problems } = await verifySeals({ database });
  const newest = seals.at(-1);
  const found = problems.map(({ day, problem }) => ({ of: day ?? 'chain', problem }));
  const due = new Date(clock.nowMilliseconds() - SEALED_WITHIN_DAYS * DAY_MILLISECONDS).toISOString();
  if (newest !== undefined && newest.day < due.slice(0, 10)) {
    found.push({ of: newest.day, problem: 'the days after it are not sealed' });
  }
  const hashes = new Map(seals.map(({ day, hash }) => [day, hash]));
  for (const head of logged) {
    const { day, hash } = head;
    if (hashes.get(day) !== hash) found.push({ of: day, problem: `the log knows its head as ${hash}` });
    if (publicKey !== undefined && !isSignedBy(publicKey, head))
      found.push({ of: day, problem: 'its head is not signed by this key' });
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

/** Lines that name a head of the chain, of the worker's log or of `audit heads`; others are left out. */
function headsIn({ name, bytes }: { name: string; bytes: Uint8Array }): SignedHead[] {
  const heads = new TextDecoder()
    .decode(bytes)
    .split('\n')
    .flatMap((line) => headIn(line) ?? []);
  if (heads.length > 0) return heads;
  throw new Error(`${name} has no line "${HEAD_MESSAGE}" of the worker's log`);
}

const HEAD_MESSAGE = 'audit log sealed';

function headIn(line: string): SignedHead | undefined {
  if (!line.includes(HEAD_MESSAGE)) return undefined;
  try {
    const { day, rows, hash, signed = '', msg } = JSON.parse(line) as Record<string, unknown>;
    if (msg !== HEAD_MESSAGE || typeof day !== 'string' || typeof hash !== 'string') return undefined;
    return { day, rows: Number(rows), hash, signed: String(signed) };
  } catch {
    /* What a container's log puts in front of a line, or half a line. */
  }
  return undefined;
}
