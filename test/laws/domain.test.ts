import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;

const files = readdirSync(join(root, 'domain'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('domain', name))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Packages that only compute: here, none reads, writes, waits or draws random numbers. */
const packages = new Set([
  '@cantoo/fontkit',
  '@peculiar/x509',
  'asn1js',
  'bidi-js',
  'canonicalize',
  'cbor2',
  'intl-messageformat',
  'jose',
  'libphonenumber-js/max',
  'mrz',
  'negotiator',
  'node:buffer',
  'node:crypto',
  'node:url',
  'node:util',
  'pdf-lib',
  'reflect-metadata',
  'uqr',
  'zod',
]);

/** Code that makes a result depend on more than the parameters of its function. */
const impure = [
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bMath\.random\b/,
  /\b(?:random(?:Bytes|Fill|Int|UUID)|generateKeyPair)(?:Sync)?\b[^;]*from 'node:crypto'/,
  /\b(?:performance|process)\./,
  /\b(?:fetch|setTimeout|setInterval|setImmediate)\(/,
  /\bimport\.meta\b/,
];

const targetsOf = (text: string): string[] =>
  [/^(?:import|export)\b[^;'"]*?\bfrom '([^']+)'/gm, /\bimport\(\s*'([^']+)'/g].flatMap((form) =>
    Array.from(text.matchAll(form), ([, target = '']) => target),
  );

describe('domain/', () => {
  it('imports only itself, workflows/ and packages that only compute', () => {
    const foreign = files.flatMap(({ path, text }) =>
      targetsOf(text)
        .filter((target) =>
          target.startsWith('.')
            ? !/^(domain|workflows)\//.test(normalize(join(dirname(path), target)))
            : !packages.has(target),
        )
        .map((target) => `${path}: ${target}`),
    );
    expect(foreign).toEqual([]);
    expect(files.length).toBeGreaterThan(150);
  });

  it('reads and judges evidence files without importing a proof', () => {
    const proofs = files
      .filter(({ path }) => path.startsWith('domain/evidence/'))
      .flatMap(({ path, text }) => targetsOf(text).map((to) => normalize(join(dirname(path), to))))
      .filter((to) => /^domain\/(judging|proofs\/[^/]+)\//.test(to));
    expect(proofs).toEqual([]);
  });

  it.each(impure.map((form) => [form.source, form] as const))('contains no %s', (_name, form) => {
    const code = ({ text }: { text: string }): string =>
      text.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');
    expect(files.filter((file) => form.test(code(file))).map(({ path }) => path)).toEqual([]);
  });
});
