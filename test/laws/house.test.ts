import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { objectOfEvent } from '../../api/events/payloads.ts';
import { eventTypes } from '../../workflows/events.ts';

const root = new URL('../..', import.meta.url).pathname;
/** In import order: a folder may import only those before it. */
const order = [
  'workflows',
  'domain',
  'db',
  'activities',
  'api',
  'workers',
  'client',
  'simulator',
  'cli',
  'test',
];
const folders = [...order, 'web'];
const generated = /^(db\/migrations|test\/vectors|test\/histories|web\/dist)\//;

const files = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path) && !generated.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Finds all imports of a text, in every form. */
function importsIn(text: string): { target: string; isType: boolean }[] {
  const ways = [
    /^(?:import|export)(?<type> type)?\b[^;'"]*?\bfrom ['"](?<target>[^'"]+)['"]/gm,
    /^import ['"](?<target>[^'"]+)['"]/gm,
    /\b(?:import|require)\(\s*['"](?<target>[^'"]+)['"]/g,
  ];
  return ways.flatMap((way) =>
    Array.from(text.matchAll(way), ({ groups }) => ({
      target: groups?.['target'] ?? '',
      isType: groups?.['type'] !== undefined,
    })),
  );
}

interface Interface {
  readonly name: string;
  /** The extended interfaces, as written. */
  readonly bases: string;
  readonly own: readonly string[];
}

function interfacesIn(texts: readonly string[]): Interface[] {
  const way =
    /^(?:export )?interface (\w+)(?:<[^{]*?>)?(?:\s+extends\s+([^{]+?))?\s*\{\n([^]*?)^\}/gm;
  return texts.flatMap((text) =>
    Array.from(text.matchAll(way), ([, name = '', bases = '', body = '']) => ({
      name,
      bases,
      // Exactly two spaces: a field with nested members counts as one.
      own: Array.from(body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm), ([, each = '']) => each),
    })),
  );
}

/** All fields with inherited ones; of several bases with one name, the largest counts. */
function fieldsOf({ own, bases }: Interface, made: readonly Interface[]): Set<string> {
  const fields = new Set(own);
  const way = /(?:(Pick|Omit)<)?(\w+)(?:, *((?:['"]\w+['"][ |]*)+)>)?/g;
  for (const [, cut, name, list = ''] of bases.matchAll(way)) {
    const listed = new Set(Array.from(list.matchAll(/\w+/g), ([each]) => each));
    const named = made.filter((each) => each.name === name).map((each) => fieldsOf(each, made));
    const [whole = new Set<string>()] = named.toSorted((a, b) => b.size - a.size);
    const inherited =
      { Pick: listed, Omit: Array.from(whole).filter((each) => !listed.has(each)) }[cut ?? ''] ??
      whole;
    for (const each of inherited) fields.add(each);
  }
  return fields;
}

describe('the source code', () => {
  it('has files of at most 300 lines', () => {
    const long = files.filter(({ text }) => text.split('\n').length > 301);
    expect(long.map(({ path }) => path)).toEqual([]);
    expect(files.length).toBeGreaterThan(250);
  });

  it('has lines of at most 100 characters, except long imports', () => {
    const long = files
      .filter(({ path }) => !/^(test|web)\//.test(path))
      .flatMap(({ path, text }) =>
        text.split('\n').flatMap((line, index) => {
          const isLong = Array.from(line).length > 100 && !/^import \{ \w+ \} from /.test(line);
          return isLong ? [`${path}:${index + 1}`] : [];
        }),
      );
    expect(long).toEqual([]);
  });

  it('has kebab-case names for folders and files, and no catch-all names', () => {
    const nameless = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'shared', 'lib']);
    for (const { path } of files) {
      for (const part of path.replace(/(\.(test|config|d))?\.\w+$/, '').split('/')) {
        expect(part, path).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$|^(trustCheck|issueAffidavit)$/);
        expect(nameless.has(part) || part === 'misc', path).toBe(false);
      }
    }
  });

  it('reads its own files from a folder with any name', () => {
    // The path of a file URL has %20 where the folder has a space.
    const found = files.filter(({ text }) => text.includes('import.meta.url).pathname'));
    expect(found.map(({ path }) => path).filter((path) => !path.startsWith('test/'))).toEqual([]);
  });

  it('has named exports, and no re-export of a whole module', () => {
    const defaults = files.filter(
      ({ path, text }) => !path.endsWith('.config.ts') && /^export default\b/m.test(text),
    );
    expect(defaults.map(({ path }) => path)).toEqual([]);
    const barrels = files.filter(({ text }) => /^export \*/m.test(text));
    expect(barrels.map(({ path }) => path)).toEqual(['db/schema/index.ts']);
  });

  it('imports in one direction', () => {
    const breaches: string[] = [];
    for (const { path, text } of files) {
      const from = path.split('/')[0] ?? '';
      for (const [line, isType, target = ''] of text.matchAll(
        /^(?:import|export) (type )?[^;]*?from '(\.[^']+)';/gm,
      )) {
        const to = normalize(join(dirname(path), target));
        const [folder = ''] = to.split('/');
        const isTypeOfFactory = from === 'workflows' && folder === 'activities' && isType;
        const isBackwards = order.indexOf(folder) > order.indexOf(from) && !isTypeOfFactory;
        const isBesides = from === 'workers' && folder === 'api';
        const isEffect = from === 'api' && to.endsWith('/activities.ts');
        const isServer = from === 'client' && folder !== 'client' && !(folder === 'api' && isType);
        if (from !== 'web' && (isBackwards || isBesides || isEffect || isServer)) {
          breaches.push(`${path}: ${line}`);
        }
      }
    }
    expect(breaches).toEqual([]);
  });

  it('lets workflows import only workflows and the workflow SDK', () => {
    const workflows = files.filter(({ path }) => path.startsWith('workflows/'));
    const imported = workflows.flatMap(({ path, text }) =>
      importsIn(text).map(({ target, isType }) => {
        const to = target.startsWith('.') ? normalize(join(dirname(path), target)) : target;
        return { path, to, isType };
      }),
    );
    const isAllowed = ({ to, isType }: { to: string; isType: boolean }): boolean =>
      to === '@temporalio/workflow' ||
      to.startsWith('workflows/') ||
      (isType && /^activities\/(?:[\w-]+\/)+activities\.ts$/.test(to));
    expect(imported.filter((each) => !isAllowed(each))).toEqual([]);
    expect(imported.filter(({ to }) => to === '@temporalio/workflow').length).toBeGreaterThan(5);
  });

  it.each([
    ["import { a } from 'zod';", 'zod'],
    ["import type { a } from '@temporalio/common';", '@temporalio/common'],
    ["import a, {\n  b,\n} from 'node:fs';", 'node:fs'],
    ["export { a } from 'pg';", 'pg'],
    ["import 'pg';", 'pg'],
    ["const a = await import('pg');", 'pg'],
    ["const a = require('pg');", 'pg'],
  ])('is searched for every form of import: %s', (text, target) => {
    expect(importsIn(`const b = 1;\n${text}\n`)).toEqual([
      { target, isType: text.startsWith('import type') },
    ]);
  });

  it('gives each process at most twelve dependencies, inherited ones included', () => {
    const made = interfacesIn(files.map(({ text }) => text));
    const isHanded = ({ name }: Interface): boolean => name.endsWith('Deps');
    const large = made.filter((each) => isHanded(each) && fieldsOf(each, made).size > 12);
    expect(large.map(({ name }) => name)).toEqual([]);
    for (const name of ['Deps', 'WorkerDeps']) {
      const [found] = made.filter((each) => each.name === name);
      expect(found && fieldsOf(found, made).size).toBeGreaterThan(6);
    }
  });

  it.each([
    ['A', ['a', 'b']],
    ['B extends A', ['a', 'b', 'own']],
    ['C<T>\n  extends B, Pick<E, "x" | "y">', ['a', 'b', 'own', 'x', 'y']],
    ["D extends Omit<A, 'a'>", ['b', 'own']],
  ])('is searched for inherited fields: %s', (head, fields) => {
    const bases =
      'export interface A {\n  readonly a: { deep: 1 };\n  b?(): void;\n}\n' +
      'interface B extends A {\n  readonly own: {\n    readonly deep: 1;\n  };\n}\n';
    const text = head === 'A' ? bases : `${bases}interface ${head} {\n  own: 1;\n}\n`;
    const made = interfacesIn([text]);
    const found = made.findLast(({ name }) => name === head[0]);
    expect(found && [...fieldsOf(found, made)].toSorted()).toEqual(fields);
  });

  it('emits only events with a documented object', () => {
    const unknown = eventTypes.filter((type) => objectOfEvent(type) === null);
    const emitters = files.filter(({ path }) => /^(db|activities|api|workers)\//.test(path));
    for (const type of unknown) {
      const emitting = emitters.filter(({ text }) => text.includes(`'${type}'`));
      expect(emitting.map(({ path }) => path)).toEqual([]);
    }
  });
});
