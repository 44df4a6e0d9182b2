import type { Db, Queryable } from '../../../db/client.ts';

export interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Relation Name'?: string;
  /** Rows returned and executions per node, and rows read and filtered out, as the plan ran. */
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/**
 * Returns the plans of the statements of a query: `custom` for its values, `generic` for any
 * values. `run` also executes them for their values and adds the measured numbers.
 */
export async function plansOf(
  db: Db,
  ask: (on: Queryable) => Promise<unknown>,
  way: 'custom' | 'generic' | 'run',
): Promise<Plan[]> {
  const plans: Plan[] = [];
  const explain = async ({ text, values }: { text: string; values: unknown[] }) => {
    const explained =
      way === 'generic'
        ? await db.query(`EXPLAIN (FORMAT JSON, GENERIC_PLAN) ${text}`)
        : await db.query(
            `EXPLAIN (FORMAT JSON${way === 'run' ? ', ANALYZE' : ''}) ${text}`,
            values,
          );
    const [{ Plan: plan }] = explained.rows[0]['QUERY PLAN'] as [{ Plan: Plan }];
    plans.push(plan);
    return { rows: [] };
  };
  await ask({ query: explain } as unknown as Queryable);
  return plans.flatMap(nodesOf);
}

/** Counts the rows of a table that executed plans read. */
export const readOf = (nodes: readonly Plan[], table: string): number =>
  nodes
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => {
      const each = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
      return sum + each * (node['Actual Loops'] ?? 0);
    }, 0);
