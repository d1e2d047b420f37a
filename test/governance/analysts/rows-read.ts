import type pg from 'pg';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
}

/** Values and sums that a statement reads from chunks, or has sent over from the nodes of Citus. */
export async function rowsRead(client: pg.Client, statement: string): Promise<number> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('No plan');
  return rowsOf(plan);
}

function rowsOf(node: PlanNode): number {
  const isRead = node['Node Type'] === 'Foreign Scan' || /^_hyper_/.test(node['Relation Name'] ?? '');
  const own = isRead ? node['Actual Rows'] * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);
}
