import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../../../cli/platform/cache.ts';

/** Python packages that validate our output. */
export const packages = [
  'pyHanko==0.38.0',
  'pyhanko-certvalidator==0.33.0',
  'PyJWT[crypto]==2.15.1',
];

/** Directory of external validators. Each machine downloads them once, outside the repository. */
export const validatorsPlace = (): string => join(cacheDirectory(), 'validators');

const folder = (): string => {
  const versions = packages.map((each) => each.split('==')[1]).join('-');
  return join(validatorsPlace(), `python-${versions}`);
};

/**
 * Returns the Python with these packages if `npm run validators` installed it on this machine; else
 * null.
 */
export function pythonHere(): string | null {
  return existsSync(join(folder(), 'got')) ? join(folder(), 'bin', 'python') : null;
}

/** Returns the Python with these packages and installs it if needed. Null if that fails. */
export function getPython(msMax: number): string | null {
  const python = join(folder(), 'bin', 'python');
  const steps: readonly (readonly [string, readonly string[]])[] = [
    ['python3', ['-m', 'venv', folder()]],
    [python, ['-m', 'pip', 'install', '--quiet', ...packages]],
    ['touch', [join(folder(), 'got')]],
  ];
  const isGot = (): boolean =>
    steps.every(([program, args]) => spawnSync(program, args, { timeout: msMax }).status === 0);
  return pythonHere() ?? (isGot() ? pythonHere() : null);
}
