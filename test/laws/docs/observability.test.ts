import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { stampSources } from '../../../activities/keys/timestamps/stamps.ts';
import { renewalResults } from '../../../activities/runtime/measures.ts';
import { attestFaults } from '../../../api/http/auth/attest/attest-faults.ts';
import { createMetrics, smsLimitNames } from '../../../api/metrics.ts';
import { createWorkerMetrics } from '../../../workers/metrics.ts';
import { proofStates } from '../../../workflows/proofs.ts';
import { trustCheckStates } from '../../../workflows/trust-check/state.ts';
import { nothingWaits } from '../../support/checks/nothing-waits.ts';

const textOf = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}
const alerts: readonly Alert[] = parse(textOf('observability/alerts.yml')).groups[0].rules;
interface Expected {
  readonly alertname: string;
  readonly exp_alerts: readonly { readonly exp_annotations: object; readonly exp_labels: object }[];
}
const cases: readonly { readonly alert_rule_test: readonly Expected[] }[] = parse(
  textOf('observability/alerts.test.yml'),
).tests;
const {
  panels,
}: { panels: { title: string; targets: { expr: string; legendFormat: string }[] }[] } = JSON.parse(
  textOf('observability/dashboard.json'),
);

interface Known {
  readonly type: string;
  readonly labels: readonly string[];
}
/** Every series there is, as a rule may name it, with its labels. */
async function known(): Promise<Map<string, Known>> {
  const registries = [createMetrics().registry, createWorkerMetrics(nothingWaits).registry];
  const found = new Map<string, Known>();
  for (const metric of registries.flatMap((registry) => registry.getMetricsAsArray())) {
    const { name, type, labelNames = [] } = Object(metric);
    if (type !== 'histogram') found.set(name, { type, labels: labelNames });
    else {
      found.set(`${name}_bucket`, { type, labels: [...labelNames, 'le'] });
      for (const part of ['sum', 'count'])
        found.set(`${name}_${part}`, { type, labels: labelNames });
    }
  }
  return found;
}

const named = /(trustcheck_\w+)(?:\{([^}]*)\})?(\[\w+\])?/g;
/** Values of labels that do not come from what is asked of us. */
const valuesOf: Readonly<Record<string, readonly string[]>> = {
  status: ['2xx', '3xx', '4xx', '5xx'],
  state: trustCheckStates,
  result: ['delivered', 'retry', 'failed', 'canceled', ...proofStates, ...renewalResults],
  reason: attestFaults,
  limit: smsLimitNames,
  source: stampSources,
};

const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

describe('docs/observability', () => {
  it.each(expressions)('%s asks for what is there', async (_name, expr) => {
    const series = await known();
    const uses = [...expr.matchAll(named)];
    expect(uses.length).toBeGreaterThan(0);
    for (const [use, name = '', matchers = '', range] of uses) {
      expect([...series.keys()]).toContain(name);
      const { labels = [], type = '' } = series.get(name) ?? {};
      // A count is looked at by how it grows, what is measured now as it stands.
      expect(range === undefined, use).toBe(type === 'gauge');
      for (const [, label = '', values = ''] of matchers.matchAll(/(\w+)(?:=~|!=|=)"([^"]*)"/g)) {
        expect(labels, use).toContain(label);
        for (const value of values.split('|')) expect(valuesOf[label], use).toContain(value);
      }
      for (const [, list = ''] of expr.matchAll(/by \(([^)]*)\)/g)) {
        for (const label of list.split(', ')) expect(labels, use).toContain(label);
      }
    }
  });

  it('asks for every metric there is, somewhere', async () => {
    const asked = expressions.flatMap(([, expr]) =>
      [...expr.matchAll(named)].map(([, name = '']) => name.replace(/_(bucket|sum|count)$/, '')),
    );
    const names = [...(await known()).keys()].map((name) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    );
    expect([...new Set(asked)].sort()).toEqual([...new Set(names)].sort());
  });

  it.for([
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('is what promtool takes: %s %s %s, where that is installed', (words, { skip }) => {
    const cwd = new URL('../../../docs/observability/', import.meta.url);
    const { error, status, stdout, stderr } = spawnSync('promtool', words, {
      cwd,
      encoding: 'utf8',
    });
    if (error) skip('promtool is not installed');
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it('has a legend of labels that are asked for', () => {
    for (const { title, targets } of panels) {
      for (const { expr, legendFormat } of targets) {
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
          expect(expr, title).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`));
        }
      }
    }
  });

  it('has a test for each alert that it comes, one that it does not, and a way out', () => {
    const names = alerts.map(({ alert }) => alert);
    expect(names.length).toBe(new Set(names).size);
    const comes = (is: boolean) => {
      const found = cases
        .flatMap(({ alert_rule_test }) => alert_rule_test)
        .filter(({ exp_alerts }) => exp_alerts.length > 0 === is)
        .map(({ alertname }) => alertname);
      return [...new Set(found)];
    };
    expect([comes(true), comes(false)]).toEqual([names, names]);
    const ways = textOf('operate/alerts.md');
    expect([...ways.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name)).toEqual(
      expect.arrayContaining(names),
    );
    for (const { labels } of alerts) expect(['page', 'ticket']).toContain(labels.severity);
  });
});
