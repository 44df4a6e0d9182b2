import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { flush, writeFlushed } from '../../activities/keys/changes/change-keys.ts';
import { fillPki, makePki, placePki } from '../../activities/keys/changes/dev-pki.ts';
import type { HeldKey } from '../../activities/keys/changes/issue-key.ts';
import type { RotatableKey } from '../../activities/keys/changes/rotate-keys.ts';
import { textOf } from '../../activities/keys/custody/key-reference.ts';
import { developmentRootName } from '../../activities/keys/directory/common-names.ts';
import {
  KeyDirectoryError,
  privateKeyOf,
  rootKeyFile,
  type KeyPlace,
} from '../../activities/keys/directory/key-files.ts';
import {
  fingerprintOf,
  loadKeys,
  type PlatformKeys,
} from '../../activities/keys/directory/load-keys.ts';
import { keeperOf } from '../../activities/keys/directory/open-signer.ts';
import { isSecurePage, httpsRule } from '../../activities/vendors/secure-urls.ts';
import { AdminFault, WrongWord } from '../admin/admin.ts';
import { printable } from '../command-line/printable.ts';
import { localPlace } from '../data-directory/keys.ts';
import { keyPlacesIn } from './key-places.ts';

interface InitOptions {
  readonly dataDir: string;
  readonly baseUrl: string;
  /** Directory for the key of the root. No process of the platform reads it. */
  readonly rootDirectory: string;
  /** Common name of the root. */
  readonly name: string;
  /** Keys that already exist in AWS KMS or a token, in the form of `--key`. */
  readonly keys: readonly string[];
}

const nameForm = /^[\x20-\x7e]{3,64}$/;

/**
 * Creates the keys of a production platform. The root's key is apart from all others, and every key
 * file is encrypted with KEYS_PASSPHRASE. Loads the keys again, then prints what to store where.
 * Exit code 1 with a one-line reason; then the written files are removed.
 */
export async function initKeys(given: InitOptions, now: Date): Promise<number> {
  try {
    process.stdout.write(`${await make(given, now)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof KeyDirectoryError) && !(error instanceof AdminFault)) throw error;
    process.stderr.write(`${printable(error.message)}\n`);
    return error instanceof WrongWord ? 2 : 1;
  }
}

async function make(given: InitOptions, now: Date): Promise<string> {
  const { dataDir, baseUrl, name } = given;
  const place = localPlace(dataDir);
  const rootDirectory = resolve(given.rootDirectory);
  const { passphrase } = place;
  if (passphrase === undefined || passphrase.length < 16) {
    throw refusal('set KEYS_PASSPHRASE to at least 16 characters; it encrypts the key files');
  }
  if (!nameForm.test(name) || name === developmentRootName) {
    throw refusal('--name: 3 to 64 printable ASCII characters, not the name of development');
  }
  if (!isSecurePage(baseUrl)) throw refusal(`BASE_URL: ${httpsRule}`);
  if (`${rootDirectory}${sep}`.startsWith(`${resolve(dataDir)}${sep}`)) {
    throw refusal('--root: must be outside of DATA_DIR; the root is kept offline');
  }
  const isMounted = existsSync(place.directory);
  if (isMounted && readdirSync(place.directory).length > 0) {
    throw refusal(`${place.directory}: is not empty; the keys of a platform are made once`);
  }
  const rootKey = join(rootDirectory, rootKeyFile);
  if (existsSync(rootKey)) throw refusal(`${rootKey}: exists already`);
  const held = heldKeys(given.keys, place);
  const pki = await makePki({ now, baseUrl, passphrase, rootName: name, held });
  const keys = await write(place, rootDirectory, isMounted, pki);
  return [
    `root certificate SHA-256 ${fingerprintOf(keys.root.certificate)}`,
    `root key          ${rootKey}: move it to offline storage, with a second copy elsewhere`,
    `key directory     ${place.directory}: give it to workers, and back it up`,
    'API keys          the API needs a part: trustcheck admin keys copy-for-api DIRECTORY',
    ...[...held].map(([key, { reference }]) => `${`${key} key`.padEnd(18)}${textOf(reference)}`),
    'KEYS_PASSPHRASE   keep it in your secret store, apart from any backup of the keys',
    'Set these in the environment of API and workers, and keep them in your secret store:',
    `MASTER_KEY=m1:${randomBytes(32).toString('base64')}`,
    `CODEC_KEY=c1:${randomBytes(32).toString('base64')}`,
  ].join('\n');
}

type Undo = () => Promise<unknown>;

/** Writes the keys, loads them and signs with each. A failure removes what was written. */
async function write(
  place: KeyPlace,
  rootDirectory: string,
  isMounted: boolean,
  { files, rootKey }: Awaited<ReturnType<typeof makePki>>,
): Promise<PlatformKeys> {
  const { directory } = place;
  const undo: Undo[] = [];
  try {
    undo.push(await makeDirectory(dirname(resolve(directory))));
    if (isMounted) {
      // A mounted volume cannot be replaced by a rename.
      await fillPki(directory, files);
      undo.push(
        ...[...files.keys()].map((name) => () => rm(join(directory, name), { force: true })),
      );
    } else {
      if (!(await placePki(directory, files))) throw refusal(`${directory}: exists already`);
      undo.push(() => rm(directory, { recursive: true, force: true }));
    }
    const keys = loadKeys(place);
    await keys.prove();
    undo.push(await makeDirectory(rootDirectory));
    const path = join(rootDirectory, rootKeyFile);
    await writeFlushed(path, rootKey);
    undo.push(() => rm(path, { force: true }));
    await flush(rootDirectory);
    privateKeyOf({ ...place, directory: rootDirectory }, 'root', keys.root.certificate);
    return keys;
  } catch (error) {
    for (const step of undo.toReversed()) await step();
    throw error;
  }
}

/** Creates a directory. Returns a function that removes it and the created parents, if empty. */
async function makeDirectory(path: string): Promise<Undo> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  return async () => {
    if (first === undefined) return;
    for (let each = path; each.length >= first.length; each = dirname(each)) {
      await rmdir(each).catch(() => undefined);
    }
  };
}

function heldKeys(words: readonly string[], place: KeyPlace): Map<RotatableKey, HeldKey> {
  const held = new Map<RotatableKey, HeldKey>();
  const keeper = keeperOf(place);
  for (const [name, reference] of keyPlacesIn(words, null, () => true)) {
    if (reference !== 'file') held.set(name, { keeper, reference });
  }
  return held;
}

const refusal = (what: string): KeyDirectoryError => new KeyDirectoryError('unset', what);
