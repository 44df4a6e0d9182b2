import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Queryable } from '../../../db/client.ts';
import { hasSimulatedDevices } from '../../../db/queries/devices.ts';
import { masterKeyId } from '../../../db/sealing/key-ring.ts';
import { masterWord } from '../../runtime/ring-settings.ts';
import { developmentRootName } from './common-names.ts';
import {
  holdsKeyFile,
  keyEnding,
  passphraseFile,
  pathIn,
  rootKeyFile,
  type KeyPlace,
} from './key-files.ts';
import { loadRoot } from './load-keys.ts';

/** Reasons why a platform is unfit for production, one per line. */
export class NotForProduction extends Error {
  override readonly name = 'NotForProduction';

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** Kubernetes mounts a secret as links to folders with this prefix. */
const mountedFolder = '..';
const remedy = 'remove it, or make a directory for an API by admin keys copy-for-api';

interface ProductionInput {
  readonly PROFILE: 'development' | 'production';
  /** `ID:KEY`, as `masterKeyConfig` reads it. */
  readonly MASTER_KEY: string;
  /** `ID:KEY`, as `codecConfig` reads it. */
  readonly CODEC_KEY: string;
}

/**
 * Refuses to start in production with leftovers of development, or with private keys that the
 * process does not use. Leftovers are development keys, a key or passphrase beside the files that
 * it decrypts, and simulated devices. docs/decisions/010-private-keys.md
 * @param place with `holds` of the process
 * @throws NotForProduction with one line for each fault
 * @throws KeyDirectoryError when there is no root certificate
 */
export async function refuseDevelopment(
  config: ProductionInput,
  place: KeyPlace,
  db: Queryable,
): Promise<void> {
  if (config.PROFILE !== 'production') return;
  const faults = [...keyFaults(place), ...settingFaults(config)];
  if (await hasSimulatedDevices(db)) {
    faults.push(
      'database: phones were enrolled by a simulator in development; use a database of its own',
    );
  }
  if (faults.length > 0) throw new NotForProduction(faults);
}

function keyFaults(place: KeyPlace): string[] {
  const faults: string[] = [];
  const { directory } = place;
  if (loadRoot(place).subject === `CN=${developmentRootName}`) {
    faults.push(`${directory}: these keys were made for development; make new ones for production`);
  }
  for (const [file, what] of [
    [rootKeyFile, 'the key of the root; keep it offline'],
    [passphraseFile, 'the passphrase of the key files; set KEYS_PASSPHRASE instead'],
  ] as const) {
    const path = pathIn(directory, file);
    if (existsSync(path)) faults.push(`${path}: beside the keys lies ${what}`);
  }
  return [...faults, ...unusedKeyFaults(place)];
}

/** Returns one line for each private key that the process does not use, except the root's. */
function unusedKeyFaults(place: KeyPlace): string[] {
  const { directory } = place;
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith(mountedFolder) && isPrivateKey(join(directory, name)))
    .filter((name) => !holdsKeyFile(place, name))
    .map((name) => join(directory, name))
    .filter((path) => path !== pathIn(directory, rootKeyFile))
    .toSorted()
    .map((path) => `${path}: this process does not use this private key; ${remedy}`);
}

/**
 * Recognizes a private key by its file name, because the file may hold a reference, or by its
 * content. False for a file that this process cannot read.
 */
function isPrivateKey(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    return path.endsWith(keyEnding) || readFileSync(path).includes('PRIVATE KEY-----');
  } catch {
    return false;
  }
}

/** With a derived key, a copy of the key directory would decrypt the database and the workflows. */
function settingFaults({ MASTER_KEY, CODEC_KEY }: ProductionInput): string[] {
  const derived = `${masterKeyId}:${masterWord}`;
  const settings = [
    [MASTER_KEY, 'MASTER_KEY: required in production; it wraps the keys of all sealed data'],
    [CODEC_KEY, 'CODEC_KEY: required in production; it encrypts the payloads of workflows'],
  ] as const;
  return settings.filter(([value]) => value === derived).map(([, fault]) => fault);
}
