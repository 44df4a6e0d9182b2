import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const tops = [
  'activities',
  'api',
  'cli',
  'client',
  'db',
  'domain',
  'simulator',
  'test',
  'web',
  'workers',
  'workflows',
];

const files = tops.flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .map((name) => join(top, name))
    .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path) && !/\/(dist|migrations)\//.test(path)),
);

const importForm = /\b(?:from|import|import\() ?'(\.[^']+)'/g;

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** Imports of values and types, except types of activity factories, which workflows import. */
const edges: Edge[] = files.flatMap((from) =>
  Array.from(readFileSync(join(root, from), 'utf8').matchAll(importForm), ([, target = '']) => ({
    from,
    to: normalize(join(dirname(from), target)),
  })).filter(
    ({ to }) => !(from.startsWith('workflows/') && to.endsWith('/activities.ts')) && to !== from,
  ),
);

/** For each folder, the imports between its entries, with one example each. */
function arrowsByFolder(): Map<string, Map<string, Map<string, Edge>>> {
  const folders = new Map<string, Map<string, Map<string, Edge>>>();
  for (const edge of edges) {
    const [from, to] = [edge.from.split('/'), edge.to.split('/')];
    let depth = 0;
    while (depth < from.length - 1 && from[depth] === to[depth]) depth += 1;
    const folder = from.slice(0, depth).join('/');
    const [a, b] = [from, to].map((path) => path.slice(0, depth + 1).join('/'));
    if (a === undefined || b === undefined || a === b) continue;
    const arrows = folders.get(folder) ?? new Map<string, Map<string, Edge>>();
    const targets = arrows.get(a) ?? new Map<string, Edge>();
    if (!targets.has(b)) targets.set(b, edge);
    folders.set(folder, arrows.set(a, targets));
  }
  return folders;
}

/** Returns the shortest cycle through an entry; null if there is none. */
function shortestCycle(arrows: Map<string, Map<string, Edge>>, start: string): Edge[] | null {
  const ways: { at: string; path: Edge[] }[] = [{ at: start, path: [] }];
  const seen = new Set<string>();
  for (const { at, path } of ways) {
    for (const [next, edge] of arrows.get(at) ?? []) {
      if (next === start) return [...path, edge];
      if (!seen.has(next)) ways.push({ at: next, path: [...path, edge] });
      seen.add(next);
    }
  }
  return null;
}

const isFolder = (path: string): boolean => !/\.(ts|tsx|js|mjs)$/.test(path);

it('folders import each other without cycles, at any level', () => {
  const cycles = [...arrowsByFolder()].flatMap(([folder, arrows]) => {
    const found = [...arrows.keys()]
      .filter(isFolder)
      .flatMap((start) => shortestCycle(arrows, start) ?? [])
      .map(({ from, to }) => `${from} imports ${to}`);
    return found.length > 0 ? [{ folder, cycle: [...new Set(found)] }] : [];
  });
  expect(cycles).toEqual([]);
  expect(edges.length).toBeGreaterThan(4_000);
});

/** Lists of one kind that grow by one entry each: families, workflows, tables, campaigns. */
const flatLists = ['api', 'db/queries', 'db/schema', 'test/api', 'test/campaigns', 'workflows'];

it('a folder has at most 15 entries, except the lists', () => {
  const entries = new Map<string, Set<string>>();
  for (const path of files) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/');
      entries.set(folder, (entries.get(folder) ?? new Set()).add(parts[depth] ?? ''));
    }
  }
  const large = [...entries].flatMap(([folder, { size }]) => (size > 15 ? [folder] : []));
  expect(large.filter((folder) => !flatLists.includes(folder)).sort()).toEqual([]);
});
