import { type CsvRow, readCsvTable } from '../../../platform/csv/table.ts';
import {
  amountOf,
  type BankEntry,
  ENTRIES_MAX,
  numbered,
  PROBLEMS_MAX,
  plainText,
  type Statement,
  TOO_MANY_PROBLEMS,
} from './entry.ts';

/** For banks without camt.054: documented in docs/payments.md. */
const COLUMNS = [
  'booked_on',
  'amount',
  'reference',
  'end_to_end_id',
  'return_reason',
  'name',
  'iban',
  'text',
];
const OPTIONAL = ['end_to_end_id', 'return_reason', 'name', 'iban', 'text'];
const REASON = /^[A-Z0-9]{4}$/;

export function readCsvStatement(bytes: Uint8Array): Statement {
  const table = readCsvTable(bytes, { columns: COLUMNS, optional: OPTIONAL });
  const same = new Map<string, number>();
  const references = new Map<string, number>();
  const entries: BankEntry[] = [];
  for (const row of table.rows) {
    if (table.problems.length >= PROBLEMS_MAX) break;
    const bookedOn = row.needed('booked_on', (column) => row.date(column));
    const amount = row.needed('amount', () => signedAmount(row));
    const reference = row.needed('reference', (column) => row.text(column));
    const returnReason = row.matching('return_reason', REASON, 'Four letters or digits (AM04)');
    if (bookedOn === null || amount === null || reference === null) continue;
    const endToEndId = plainText(row.raw('end_to_end_id'));
    const earlier = references.get(reference);
    if (earlier !== undefined) row.refuse('reference', `Line ${earlier} has this reference too`);
    references.set(reference, row.line);
    entries.push({
      path: `line ${row.line}`,
      identity: numbered(same, [reference, bookedOn, amount]),
      elsewhere: numbered(same, [reference, bookedOn, amount, endToEndId]),
      hasReference: true,
      bookedOn,
      amount,
      endToEndId,
      blockId: null,
      returnReason,
      name: plainText(row.raw('name')),
      iban: plainText(row.raw('iban').replaceAll(' ', ''), 34),
      text: plainText(row.raw('text'), 1_000),
    });
  }
  const problems = table.problems.slice(0, PROBLEMS_MAX).map(({ line, column, value, rule }) => ({
    path: column === '' ? `line ${line}` : `line ${line} ${column}`,
    value,
    rule,
  }));
  if (table.problems.length >= PROBLEMS_MAX) {
    problems.push({ path: problems.at(-1)?.path ?? '', value: '', rule: TOO_MANY_PROBLEMS });
  }
  if (entries.length > ENTRIES_MAX) {
    problems.push({
      path: 'line 1',
      value: '',
      rule: `More than ${ENTRIES_MAX} movements: import shorter files`,
    });
  }
  return { entries, pending: 0, problems };
}

function signedAmount(row: CsvRow): string | null {
  const text = row.raw('amount');
  const amount = amountOf(text.replace(/^-/, ''));
  if (amount === null || amount === '0.00') {
    return row.refuse(
      'amount',
      'Not an amount with at most two decimals (12.34, or -12.34 for what went out)',
    );
  }
  return text.startsWith('-') ? `-${amount}` : amount;
}
