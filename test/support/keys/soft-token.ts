import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths at which distributions install SoftHSM2's module. */
const modules = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];
const tool = 'softhsm2-util';
const module = modules.find((path) => existsSync(path));

/** Null if SoftHSM2 is installed, else why the tests of tokens are skipped. */
export const softTokenFault =
  module && spawnSync(tool, ['--version']).status === 0
    ? null
    : 'SoftHSM2 is not installed: apt-get install softhsm2';

export interface SoftToken {
  readonly module: string;
  readonly pin: string;
  readonly label: string;
  /** Label of a second token without a login. A login applies to a whole process. */
  readonly closed: string;
  /** Creates a key, even if one of the same name exists, and returns it. */
  addKey(object: string, id: string, kind?: 'ec' | 'rsa'): KeyObject;
  stop(): void;
}

/**
 * Creates a SoftHSM2 token in a directory. The environment points the module to it from then on.
 * Call it once per process, before the module is loaded.
 */
export function makeSoftToken(directory: string): SoftToken {
  const place = join(directory, 'tokens');
  const settings = join(directory, 'softhsm2.conf');
  mkdirSync(place, { recursive: true });
  writeFileSync(settings, `directories.tokendir = ${place}\nobjectstore.backend = file\n`);
  process.env['SOFTHSM2_CONF'] = settings;
  const [label, pin] = ['a token; 100%', '8261-not-to-be-seen'];
  const run = (...flags: readonly string[]): void =>
    void execFileSync(tool, flags, { stdio: 'pipe' });
  const closed = 'another token';
  for (const each of [label, closed]) {
    run('--init-token', '--free', '--label', each, '--pin', pin, '--so-pin', '13579');
  }
  return {
    module: module ?? '',
    pin,
    label,
    closed,
    addKey(object, id, kind = 'ec') {
      const { privateKey } =
        kind === 'ec'
          ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
          : generateKeyPairSync('rsa', { modulusLength: 2048 });
      const path = join(directory, 'key.pem');
      writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
      const into = ['--token', label, '--pin', pin, '--label', object, '--id', id];
      run('--import', path, ...into, '--force');
      rmSync(path);
      return privateKey;
    },
    stop: () => void delete process.env['SOFTHSM2_CONF'],
  };
}
