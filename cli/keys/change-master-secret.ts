import { z } from 'zod';
import { changeKeys } from '../../activities/keys/changes/change-keys.ts';
import {
  currentSecret,
  forgetNextSecret,
  publishSecret,
  removeSecretFiles,
  replaceStolenSecret,
  rotateSecret,
  type ChangedSecret,
} from '../../activities/keys/changes/rotate-secret.ts';
import type { PlatformKeys } from '../../activities/keys/directory/load-keys.ts';
import { secretName, type SecretVersion } from '../../activities/keys/directory/load-secrets.ts';
import type { Db, Tx } from '../../db/client.ts';
import { addStolenSecret, countMailedBefore } from '../../db/queries/stolen-secrets.ts';
import { longestOverlapMs, signsOnMsMax } from '../../domain/secret-purposes.ts';
import { AdminFault, read, within } from '../admin/admin.ts';
import { publishedMsMin, sinceOf, type KeyChangeOptions } from './change-keys.ts';
import { pinsOf } from './secret-pins.ts';
import { withKeyDirectory } from './with-key-directory.ts';

type MasterSecretOptions = Pick<KeyChangeOptions, 'dataDir' | 'account' | 'keys'>;

const actions = {
  publish: 'key.published',
  rotate: 'key.rotated',
  compromise: 'key.compromised',
} as const;

interface Change {
  readonly kind: keyof typeof actions;
  readonly changed: ChangedSecret;
  readonly since?: Date;
}

/** Publishes the next version of the master secret. Returns its name, number and id. */
export function publishMasterSecret(
  db: Db,
  given: MasterSecretOptions,
  now: Date,
): Promise<string> {
  return change(db, given, now, ({ secretVersions }) => {
    if (nextOf(secretVersions)) {
      throw fault('the next version is published already; rotate it first');
    }
    return { kind: 'publish', changed: publishSecret(secretVersions, now) };
  });
}

/**
 * Puts the published version in place and retires the previous one. Returns name, number and id.
 */
export function rotateMasterSecret(db: Db, given: MasterSecretOptions, now: Date): Promise<string> {
  return change(db, given, now, ({ secretVersions }) => {
    const next = nextOf(secretVersions);
    if (!next?.publishedAt) {
      throw fault(`its next version is not published; run admin keys publish ${secretName} first`);
    }
    const dueAt = new Date(next.publishedAt.getTime() + publishedMsMin);
    if (now < dueAt) {
      throw fault(`its next version was just published; rotate after ${dueAt.toISOString()}`);
    }
    return { kind: 'rotate', changed: rotateSecret(secretVersions, next, now) };
  });
}

/**
 * Replaces a version that may have been compromised since an instant. Refuses its values
 * immediately. Returns the new version, and a line for each use that stays with the compromised
 * one.
 */
export async function compromiseMasterSecret(
  db: Db,
  given: MasterSecretOptions & { readonly since: string },
  now: Date,
): Promise<string> {
  const since = sinceOf(given.since, now);
  const mark = { revoked_at: now, reason: 'compromised', invalidity_date: since } as const;
  let stolen = 0;
  const made = await change(db, given, now, ({ secretVersions }) => {
    stolen = currentSecret(secretVersions).version;
    return { kind: 'compromise', changed: replaceStolenSecret(secretVersions, mark), since };
  });
  const pins = await pinsOf(db, stolen);
  return [made, ...pins.map((pin) => `version ${stolen} stays in use: ${pin}`)].join('\n');
}

const versionNumber = z.coerce.number('must be a number').int('must be a whole number');

/** Removes a retired version that is not needed any more. Returns its name and number. */
export function removeMasterSecret(
  db: Db,
  given: MasterSecretOptions & { readonly version: string },
  now: Date,
): Promise<string> {
  const version = read('version', versionNumber, given.version);
  return withKeyDirectory(db, given.dataDir, async (place, { secretVersions }) => {
    const old = secretVersions.find((each) => each.version === version);
    if (!old) throw fault(`there is no version ${version}`);
    await checkRemovable(db, old, now);
    await within(db, given.account, now, async (_tx, _id, note) => {
      const details = { name: secretName, from: { version } };
      await note({ action: 'key.removed', objectId: old.id, details });
    });
    await removeSecretFiles(place, version);
    return `${secretName} ${version}`;
  });
}

/** @throws AdminFault with one line that names a remaining use of the version */
async function checkRemovable(
  db: Db,
  { version, state, endedAt }: SecretVersion,
  now: Date,
): Promise<void> {
  if (endedAt === null)
    throw fault(`version ${version} is ${state}; only a retired one is removed`);
  const pins = await pinsOf(db, version);
  if (pins.length > 0) throw fault(`version ${version} is pinned: ${pins.join('; ')}`);
  const until = new Date(endedAt.getTime() + longestOverlapMs);
  if (now < until) {
    throw fault(`values of version ${version} are accepted until ${until.toISOString()}`);
  }
  const mailedBefore = new Date(endedAt.getTime() + signsOnMsMax);
  const links = state === 'retired' ? await countMailedBefore(db, mailedBefore, now) : 0;
  if (links === 0) return;
  throw fault(`${links} open links were mailed with tokens of version ${version} or before it`);
}

/**
 * Changes the database first, then the files. After an interruption, the same command completes the
 * change.
 */
function change(
  db: Db,
  given: MasterSecretOptions,
  now: Date,
  plan: (keys: PlatformKeys) => Change,
): Promise<string> {
  if ((given.keys ?? []).length > 0) throw fault('is a file; --key does not apply');
  return withKeyDirectory(db, given.dataDir, async (place, keys) => {
    const { secretVersions } = keys;
    const { kind, changed, since } = plan(keys);
    const { files, made } = changed;
    const old = currentSecret(secretVersions);
    await within(db, given.account, now, async (tx, _id, note) => {
      if (since) await addStolen(tx, secretVersions, { now, since });
      const [from, to] = [old, made].map(({ version, id }) => ({ version, id }));
      await note({
        action: actions[kind],
        objectId: old.id,
        details: { name: secretName, from, to, since },
      });
    });
    await changeKeys(place.directory, files);
    if (kind !== 'publish') await forgetNextSecret(place);
    return `${secretName} ${made.version} ${made.id}`;
  });
}

/** Marks the current version and the next one: a thief of one file also has the other. */
async function addStolen(
  tx: Tx,
  versions: readonly SecretVersion[],
  { now, since }: { readonly now: Date; readonly since: Date },
): Promise<void> {
  for (const { id, version } of versions.filter(({ endedAt }) => endedAt === null)) {
    const row = { secret_id: id, version, revoked_at: now, invalidity_date: since };
    await addStolenSecret(tx, row);
  }
}

const nextOf = (versions: readonly SecretVersion[]): SecretVersion | undefined =>
  versions.find(({ state }) => state === 'next');

const fault = (what: string): AdminFault => new AdminFault(`${secretName}: ${what}`);
