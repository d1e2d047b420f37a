import type { Findings } from '../measure/ledger.ts';
import { table } from '../measure/table.ts';
import type { Outage } from './outage.ts';

const seconds = (value: number | null) => (value === null ? 'never' : value.toFixed(2));

export function outageTable(way: string, outages: readonly Outage[]): string {
  const cells = outages.map((outage) => [
    `writes to ${way}: ${outage.node}`,
    seconds(outage.seconds),
    String(outage.acknowledged),
    String(outage.acknowledged_of_others),
    String(outage.refused),
    String(outage.without_answer),
    seconds(outage.seconds_to_start),
    seconds(outage.seconds_to_serve),
  ]);
  return table(
    ['SIGKILL', 's away', 'acknowledged', 'of others', '5xx', 'no answer', 's to start', 's to serve'],
    cells,
  );
}

export function findingsTable(way: string, findings: Findings): string {
  return table(
    [
      'in the end',
      'acknowledged',
      'unknown',
      'rows compared',
      'lost',
      'partial',
      'refused and stored',
      'strangers',
    ],
    [
      [
        `writes to ${way}`,
        ...[findings.acknowledged, findings.unknown, findings.rows].map(String),
        ...[findings.lost, findings.partial, findings.storedThoughRefused].map((batches) =>
          String(batches.length),
        ),
        String(findings.strangers),
      ],
    ],
  );
}

export interface FaultRun {
  outages: readonly Outage[];
  findings: Findings;
  /** Transactions whose second phase never came. */
  undecided: number;
  /** How the moving of shards ended, and whether the new worker served a batch; null where none were moved. */
  moved: { ended: string; served_by_the_added: boolean } | null;
}

const SHOWN = 10;

/** Each of them fails the run. */
export function problemsOf(way: string, { outages, findings, undecided, moved }: FaultRun): string[] {
  const batches = (what: string, numbers: readonly number[]) =>
    numbers.length === 0 ? [] : [`${numbers.length} batches ${what}: ${numbers.slice(0, SHOWN).join(', ')}`];
  const problems = [
    ...batches('acknowledged and lost', findings.lost),
    ...batches('stored in part', findings.partial),
    ...batches('refused and stored', findings.storedThoughRefused),
    ...(findings.strangers === 0 ? [] : [`${findings.strangers} rows that nobody sent`]),
    ...(findings.acknowledged === 0 ? ['no batch was acknowledged'] : []),
    ...(undecided === 0 ? [] : [`${undecided} transactions wait for their second phase`]),
    ...outages
      .filter(({ seconds_to_serve }) => seconds_to_serve === null)
      .map(({ node }) => `${node} came back, and none of its batches was acknowledged`),
    ...(moved === null || moved.ended === 'finished' ? [] : [`shards were not moved: ${moved.ended}`]),
    ...(moved === null || moved.served_by_the_added ? [] : ['the added worker took no batch']),
  ];
  return problems.map((problem) => `writes to ${way}: ${problem}`);
}
