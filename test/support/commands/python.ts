import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../../../cli/platform/cache.ts';

/** What of Python judges what is ours. */
export const packages = [
  'pyHanko==0.38.0',
  'pyhanko-certvalidator==0.33.0',
  'PyJWT[crypto]==2.15.1',
];

/** Where the commands of others lie that a machine gets once, outside the repository. */
export const validatorsPlace = (): string => join(cacheDirectory(), 'validators');

const folder = (): string => {
  const versions = packages.map((each) => each.split('==')[1]).join('-');
  return join(validatorsPlace(), `python-${versions}`);
};

/** The Python that has them, where this machine got it before (`npm run validators`); else null. */
export function pythonHere(): string | null {
  return existsSync(join(folder(), 'got')) ? join(folder(), 'bin', 'python') : null;
}

/** The Python that has them, got if need be. Gives null where that cannot be. */
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
