import { isDeepStrictEqual } from 'node:util';
import { Decimal } from 'decimal.js';
import { listOrganizations } from '../../identity/organizations/queries.ts';
import { audit } from '../../platform/audit.ts';
import { type CsvProblem, csvProblemsText } from '../../platform/csv/csv.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { allowLongTransaction } from '../../platform/database/time-limits.ts';
import { newId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { type PlanFileRow, readPlanFile } from './file-rows.ts';
import {
  insertPlan,
  insertReplacedTerms,
  listKnownIds,
  listTerms,
  lockPlans,
  type PlanRow,
  type PlanTermsRow,
  updatePlan,
  upsertTerms,
} from './queries.ts';

/** One plan of the file and what became of it. */
export interface ImportedPlan {
  id: string;
  slug: string;
  state: 'created' | 'changed' | 'unchanged';
}

/** One plan of the file with all of its rows. */
interface PlanOfFile {
  stored: PlanRow | undefined;
  id: string;
  rows: CompleteRow[];
}

/** With what is stored where the file says nothing. */
type CompleteRow = Pick<PlanFileRow, 'row' | 'terms'> & {
  plan: PlanFileRow['plan'] & Pick<PlanRow, 'description' | 'status'>;
};
type StoredTerms = readonly (PlanTermsRow & { plan_id: string })[];

/**
 * Takes in a file of plans, entirely or not at all. A plan is known by its id or, where the file gives none, by its slug;
 * a row of terms by its first day. What is not in the file stays, a column as well.
 */
export async function importPlans(
  database: Database,
  organization: string,
  file: { name: string; bytes: Uint8Array },
  act: StaffAct,
): Promise<ImportedPlan[]> {
  const { rows, problems } = readPlanFile(file.bytes);
  const foreign = await idsOfOthers(database, organization, rows);
  for (const { row, plan } of rows) {
    if (plan.id !== null && foreign.has(plan.id))
      row.refuse('id', 'Another organization has a plan of this id');
  }
  const problemsBefore = problems.length;
  return await database.inOrganization({ organization }, async (connection) => {
    await allowLongTransaction(connection);
    /* A transaction that is done again finds the problems of its plans again. */
    problems.length = problemsBefore;
    const stored = await lockPlans(connection, organization);
    const terms = await listTerms(connection, organization);
    const plans = plansOf(rows, stored, terms);
    for (const plan of plans) checkPlan(plan, stored, plans);
    for (const plan of plans) checkTerms(plan, termsOf(terms, plan.id));
    refuseIfAny(file.name, problems);
    const imported: ImportedPlan[] = [];
    for (const plan of plans) {
      imported.push(await store(connection, organization, plan, termsOf(terms, plan.id), act));
    }
    return imported;
  });
}

function refuseIfAny(file: string, problems: readonly CsvProblem[]): void {
  if (problems.length > 0) throw new Error(csvProblemsText(file, problems));
}

/** An id belongs to one plan of the whole service; row-level security shows one organization at a time. */
async function idsOfOthers(
  database: Database,
  organization: string,
  rows: readonly PlanFileRow[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(rows.flatMap(({ plan }) => plan.id ?? []))];
  if (ids.length === 0) return new Set();
  const organizations = await database.asService(listOrganizations);
  const found: string[] = [];
  for (const { id: other } of organizations.filter(({ id }) => id !== organization)) {
    found.push(
      ...(await database.inOrganization({ organization: other }, (connection) =>
        listKnownIds(connection, other, ids),
      )),
    );
  }
  return new Set(found);
}

/** Rows of one id, or of one slug, are one plan. */
function plansOf(rows: readonly PlanFileRow[], stored: readonly PlanRow[], terms: StoredTerms): PlanOfFile[] {
  const plans: PlanOfFile[] = [];
  for (const row of rows) {
    const { id, slug } = row.plan;
    const known = stored.find((plan) => (id === null ? plan.slug === slug : plan.id === id));
    const planId = id ?? known?.id;
    const same = plans.find((plan) =>
      planId === undefined ? plan.rows[0]?.plan.slug === slug : plan.id === planId,
    );
    const complete = completed(row, known, termsOf(terms, known?.id));
    if (same === undefined) plans.push({ stored: known, id: planId ?? newId('pln'), rows: [complete] });
    else same.rows.push(complete);
  }
  return plans;
}

/** Columns that the file leaves out are those of the terms of the same day, else of the terms before. */
function completed(
  { row, plan, terms, leftOut }: PlanFileRow,
  stored: PlanRow | undefined,
  storedTerms: readonly PlanTermsRow[],
): CompleteRow {
  const before = storedTerms.findLast(
    ({ valid_from }) => valid_from === null || (terms.valid_from !== null && valid_from <= terms.valid_from),
  );
  const isSameDay = before?.valid_from === terms.valid_from;
  const kept = leftOut.filter((column) => column !== 'valid_to' || isSameDay);
  return {
    row,
    plan: {
      ...plan,
      description: plan.description ?? stored?.description ?? '',
      status: plan.status ?? stored?.status ?? 'active',
    },
    terms:
      before === undefined
        ? terms
        : { ...terms, ...Object.fromEntries(kept.map((column) => [column, before[column]])) },
  };
}

const PLAN_COLUMNS = ['slug', 'name', 'description', 'status', 'type'] as const;

function checkPlan(
  { stored, id, rows }: PlanOfFile,
  all: readonly PlanRow[],
  ofFile: readonly PlanOfFile[],
): void {
  const [first, ...rest] = rows;
  if (first === undefined) return;
  for (const { row, plan } of rest) {
    for (const column of PLAN_COLUMNS) {
      if (plan[column] !== first.plan[column]) {
        row.refuse(column, `Line ${first.row.line} says otherwise of the same plan`);
      }
    }
  }
  if (stored !== undefined && stored.type !== first.plan.type) {
    first.row.refuse('type', 'The type of a plan cannot change');
  }
  if (all.some((other) => other.slug === first.plan.slug && other.id !== id)) {
    first.row.refuse('slug', 'Another plan of the organization has this slug');
  }
  const namesake = ofFile.find((other) => other.rows[0]?.plan.slug === first.plan.slug);
  if (namesake !== undefined && namesake.id !== id) {
    first.row.refuse('slug', `Line ${namesake.rows[0]?.row.line} gives it to another plan`);
  }
}

/** No two rows of one plan may be valid on the same day, stored ones included. */
function checkTerms({ rows }: PlanOfFile, stored: readonly PlanTermsRow[]): void {
  const kept = stored.filter(
    (storedRow) => !rows.some(({ terms }) => terms.valid_from === storedRow.valid_from),
  );
  for (const [index, { row, terms }] of rows.entries()) {
    const earlier = rows.slice(0, index).find((other) => overlap(other.terms, terms));
    if (earlier !== undefined) row.refuse('valid_from', `Overlaps line ${earlier.row.line}`);
    const other = kept.find((storedRow) => overlap(storedRow, terms));
    if (other !== undefined) {
      row.refuse(
        'valid_from',
        `Overlaps the stored terms from ${other.valid_from ?? 'always'} to ${other.valid_to ?? 'open'}; end those in the same file`,
      );
    }
  }
}

type Period = Pick<PlanTermsRow, 'valid_from' | 'valid_to'>;

/** Half-open; days in this form compare as texts. */
function overlap(a: Period, b: Period): boolean {
  const beginsBefore = (left: Period, right: Period) =>
    left.valid_from === null || right.valid_to === null || left.valid_from < right.valid_to;
  return beginsBefore(a, b) && beginsBefore(b, a);
}

function termsOf(terms: StoredTerms, plan: string | undefined): readonly PlanTermsRow[] {
  return terms.filter(({ plan_id }) => plan_id === plan).map(({ plan_id: _, ...row }) => row);
}

async function store(
  connection: Connection,
  organization: string,
  { stored, id, rows }: PlanOfFile,
  storedTerms: readonly PlanTermsRow[],
  act: StaffAct,
): Promise<ImportedPlan> {
  const [first] = rows;
  if (first === undefined) throw new Error('A plan without rows');
  const { id: _, type, ...fields } = first.plan;
  const moments = { created_at: act.now, updated_at: act.now };
  const changedTerms = rows
    .map(({ terms }) => terms)
    .filter((terms) => !storedTerms.some((storedRow) => isSame(storedRow, terms)));
  const isChanged =
    changedTerms.length > 0 ||
    stored === undefined ||
    PLAN_COLUMNS.some((column) => stored[column] !== first.plan[column]);
  if (stored === undefined) await insertPlan(connection, organization, { ...fields, id, type, ...moments });
  else if (isChanged) await updatePlan(connection, organization, id, { ...fields, updated_at: act.now });
  for (const terms of changedTerms) {
    await insertReplacedTerms(connection, organization, id, terms.valid_from, act.now);
    const known = storedTerms.find(({ valid_from }) => valid_from === terms.valid_from);
    const isPriced = known === undefined || !isSame(pricesOf(known), pricesOf(terms));
    await upsertTerms(connection, organization, id, {
      ...terms,
      ...(isPriced && { prices_changed_at: act.now }),
    });
  }
  const state = stored === undefined ? 'created' : isChanged ? 'changed' : 'unchanged';
  if (isChanged) {
    const done = state === 'created' ? 'plan.create' : 'plan.update';
    await audit(connection, { ...staffOf(act, organization), act: done, object_id: id });
  }
  return { id, slug: fields.slug, state };
}

/** `5.0` and `5.00` are one price. */
function isSame(stored: PlanTermsRow, given: PlanTermsRow): boolean {
  return isDeepStrictEqual(canonical(stored), canonical(given));
}

/** What bills are made of. A row counts until the next one begins, so that its last day is none of it. */
function pricesOf(terms: PlanTermsRow): PlanTermsRow {
  return {
    ...terms,
    ...{ valid_to: null, optimization_rate: null, cancellation_months: 0, smart_meter_product: null },
    ...{ sells_module_1: false, sells_module_2: false, sells_module_3: false, discount_name: null },
  };
}

const DECIMALS = [
  'base_fee_net',
  'margin_ct_net',
  'optimization_rate',
  'discount_amount_off',
  'feed_in_ct_net',
  'feed_in_margin_ct_net',
] as const;

function canonical(terms: PlanTermsRow): Record<string, unknown> {
  const numbers = DECIMALS.map((column) => {
    const value = terms[column];
    return [column, value === null ? null : new Decimal(value).toFixed()];
  });
  return { ...terms, ...Object.fromEntries(numbers) };
}
