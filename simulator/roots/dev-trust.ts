import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { simulatedApp } from '../../domain/proofs/device/simulated-app.ts';
import {
  createAndroidDevelopmentRoot,
  revokedSerial,
  type AndroidDevelopmentRoot,
} from './android.ts';
import { createAppleDevelopmentRoots, type AppleDevelopmentRoots } from './apple.ts';
import { issueCrl } from './crl.ts';
import {
  createDevCsca,
  exportDevCsca,
  importDevCsca,
  importDevSigner,
  issueSigner,
} from './passport.ts';
import { createDevPlayKeys, playKeyFile, type DevPlayKeys } from './play-token.ts';

/** The outside world of the simulator: the phone makers, and the State that issues passports. */
export interface DevTrust {
  readonly apple: AppleDevelopmentRoots;
  readonly android: AndroidDevelopmentRoot;
  /** Root of Android phones with keys in software, like an emulator. */
  readonly emulator: AndroidDevelopmentRoot;
  /** PEM. */
  readonly csca: { readonly certificate: string; readonly key: string };
  /** A document signer of that State that its CRL revokes. PEM. */
  readonly revokedSigner: { readonly certificate: string; readonly key: string };
  /** Google Play keys of the one app on simulated phones. */
  readonly play: DevPlayKeys;
}

const folder = 'dev-trust';
const files = {
  roots: 'attestation-roots.pem',
  csca: 'csca.pem',
  crls: 'crls',
  statusList: 'status-list.json',
  play: 'play-keys.json',
  keys: 'keys.json',
} as const;

/** Google's status list for a phone whose key was extracted. */
const statusList = JSON.stringify({
  entries: { [revokedSerial.toString('hex')]: { status: 'REVOKED', reason: 'KEY_COMPROMISE' } },
});

/** Creates the simulator's phone makers and State in a data directory, once and atomically. */
export async function keepDevTrust(dataDir: string, now: Date): Promise<void> {
  const directory = join(dataDir, folder);
  if (!(await exists(directory))) await create(directory, now);
  await renewDevLists(dataDir, now);
}

/**
 * Renews the dates of the simulator's revocation lists: a CRL expires, and a list of keys is
 * accepted only for days.
 * @throws if the State does not exist
 */
export async function renewDevLists(dataDir: string, now: Date): Promise<void> {
  const list = join(dataDir, folder, files.statusList);
  // The list of an earlier start may not name a key yet.
  await replace(list, statusList);
  await utimes(list, now, now);
  await complete(dataDir, now);
}

const renewedEveryMs = 12 * 3600_000;

/** Renews the dates twice a day while the caller runs, because a platform may run for months. */
export function keepDevListsFresh(
  dataDir: string,
  {
    clock,
    signal,
    onFault,
  }: {
    readonly clock: () => Date;
    readonly signal: AbortSignal;
    readonly onFault: (error: unknown) => void;
  },
): void {
  const timer = setInterval(() => {
    renewDevLists(dataDir, clock()).catch(onFault);
  }, renewedEveryMs);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/**
 * Creates parts that a directory of an earlier version lacks: the revoked signer and the keys of
 * Google Play. Then issues the CRL of the simulator's State.
 */
async function complete(dataDir: string, now: Date): Promise<void> {
  const existing: InitialDevTrust = await readDevTrust(dataDir);
  const directory = join(dataDir, folder);
  const csca = importDevCsca(existing.csca);
  const revokedSigner = existing.revokedSigner ?? exportDevCsca(issueSigner(csca, now));
  const play = existing.play ?? createDevPlayKeys();
  if (!existing.revokedSigner || !existing.play) {
    await replace(
      join(directory, files.keys),
      JSON.stringify({ ...existing, revokedSigner, play }),
    );
  }
  const { package: packageName } = simulatedApp.android;
  await replace(join(directory, files.play), playKeyFile(packageName, play));
  await mkdir(join(directory, files.crls), { recursive: true, mode: 0o700 });
  const { serial } = importDevSigner(revokedSigner);
  await replace(join(directory, files.crls, 'utopia.crl'), issueCrl(csca, [serial], now));
}

/** The content that the first start creates. */
type InitialDevTrust = Omit<DevTrust, Later> & Partial<Pick<DevTrust, Later>>;
type Later = 'revokedSigner' | 'play';

/** Replaces a file atomically, also for concurrent readers. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const aside = `${path}.${process.pid}.tmp`;
  await writeFile(aside, content, { mode: 0o600 });
  await rename(aside, path);
}

async function create(directory: string, now: Date): Promise<void> {
  const trust: InitialDevTrust = {
    apple: createAppleDevelopmentRoots(now),
    android: createAndroidDevelopmentRoot(now),
    emulator: createAndroidDevelopmentRoot(now, { provisioning: 'software' }),
    csca: exportDevCsca(createDevCsca(now)),
  };
  const building = `${directory}.${process.pid}.tmp`;
  await mkdir(building, { recursive: true, mode: 0o700 });
  const { apple, android, emulator, csca } = trust;
  const roots = [apple.rootPem, apple.receiptRootPem, android.rootPem, emulator.rootPem];
  const write = (name: string, content: string) =>
    writeFile(join(building, name), content, { mode: 0o600 });
  await write(files.roots, roots.map((pem) => pem.trim()).join('\n'));
  await write(files.csca, csca.certificate);
  await write(files.statusList, statusList);
  await write(files.keys, JSON.stringify(trust));
  await rename(building, directory).catch(async (error: unknown) => {
    await rm(building, { recursive: true, force: true });
    if (!(await exists(directory))) throw error;
  });
}

/** Returns the settings of the processes: files, each with the hash it must have. */
export async function devTrustSettings(dataDir: string): Promise<Record<string, string>> {
  const path = (name: keyof typeof files): string => join(dataDir, folder, files[name]);
  const sha256 = async (name: keyof typeof files): Promise<string> =>
    createHash('sha256')
      .update(await readFile(path(name)))
      .digest('hex');
  return {
    DEV_ATTESTATION_ROOTS: path('roots'),
    DEV_ATTESTATION_ROOTS_SHA256: await sha256('roots'),
    DEV_CSCA: path('csca'),
    DEV_CSCA_SHA256: await sha256('csca'),
    CSCA_CRLS: path('crls'),
    ANDROID_STATUS_LIST_URL: pathToFileURL(path('statusList')).href,
    PLAY_INTEGRITY_KEYS: path('play'),
  };
}

/**
 * Returns the keys of the simulator's makers.
 * @throws a one-line error if no platform was ever started here
 */
export async function readDevTrust(dataDir: string): Promise<DevTrust> {
  const text = await readFile(join(dataDir, folder, files.keys), 'utf8').catch(() => {
    throw new Error('the phone simulator needs a platform started here; run: npm start');
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    const path = join(dataDir, folder, files.keys);
    throw new Error(`${path} is not JSON: npm run reset begins anew`, { cause });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
