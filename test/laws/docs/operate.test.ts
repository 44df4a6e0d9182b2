import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { families } from '../../../api/families.ts';
import { createMetrics } from '../../../api/metrics.ts';
import { createWorkerMetrics } from '../../../workers/metrics.ts';
import { nothingWaits } from '../../support/checks/nothing-waits.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

/** The cells of the table under a heading of a page, row by row. */
function rowsUnder(page: string, heading: string): string[][] {
  const url = new URL(`../../../docs/operate/${page}`, import.meta.url);
  const sections = readFileSync(url, 'utf8').split(/^#+ /m);
  const section = sections.find((each) => each.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

describe('docs/operate', () => {
  it('names every metric of both processes', async () => {
    const registries = [createMetrics().registry, createWorkerMetrics(nothingWaits).registry];
    const metrics = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()));
    const told = rowsUnder('monitoring.md', 'Metrics, traces, logs').map(([name]) => name);
    expect(told).toEqual([...new Set(metrics.flat().map(({ name }) => `\`${name}\``))]);
  });

  it('names the paths of health that are answered', async () => {
    const paths = families.flatMap(({ routes }) => routes.map(({ contract }) => contract.path));
    const rows = rowsUnder('monitoring.md', 'Health');
    const of = (process: string): string[] =>
      rows
        .filter(([where]) => where?.startsWith(process))
        .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? ''));
    for (const path of of('API')) expect(paths).toContain(path);
    const worker = ownPlatform().metricsUrls.at(-1) ?? '';
    for (const path of of('worker')) {
      expect((await fetch(new URL(path, worker))).status, path).toBe(200);
    }
    expect([of('API').length, of('worker').length]).toEqual([3, 2]);
  });
});
