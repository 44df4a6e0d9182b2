import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { enterPlatformCertificates } from '../../activities/keys/certificates/enter-platform-certificates.ts';
import { issueCrl } from '../../activities/keys/certificates/issue-crl.ts';
import { changeKeys } from '../../activities/keys/changes/change-keys.ts';
import {
  currentOf,
  forgetNext,
  isPublishedFirst,
  nextWith,
  publishKey,
  replacedWith,
  rotateKey,
  type RotatableKey,
} from '../../activities/keys/changes/rotate-keys.ts';
import type { KeyReference } from '../../activities/keys/custody/key-reference.ts';
import type { RevocationMark } from '../../activities/keys/directory/key-metadata.ts';
import { loadKeys, type PlatformKeys } from '../../activities/keys/directory/load-keys.ts';
import { isIssuedBy } from '../../activities/keys/directory/load-retired.ts';
import type { Db, Tx } from '../../db/client.ts';
import { revokeByIssuer, revokeBySerial } from '../../db/queries/certificates.ts';
import { findListed } from '../../db/queries/crls.ts';
import { recheckAffidavits } from '../../db/queries/renewals.ts';
import { revocationReasons } from '../../domain/names.ts';
import { purposes } from '../../domain/pki/x509/profile.ts';
import { AdminFault, read, within } from '../admin/admin.ts';
import { localPlace } from '../data-directory/keys.ts';
import { keyName, keyPlacesIn } from './key-places.ts';
import { withKeyDirectory } from './with-key-directory.ts';

const instant = z.iso.datetime({ offset: true, error: 'an instant, as 2026-11-23T05:00:00Z' });
const reason = z.enum(revocationReasons, `must be one of ${revocationReasons.join(', ')}`);

/** The platform of the keys, and the account whose audit log records the change. */
export interface KeyChangeOptions {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly account: string;
  /** Places of new keys that are not created here. */
  readonly keys?: readonly string[];
}

/** How long a next key must be published before it signs. Key sets are cached for six minutes. */
export const publishedMsMin = 10 * 60_000;

/**
 * Publishes the next key with a name. It is accepted from then on, and signs after `rotate`.
 * Returns the names and new ids.
 */
export async function publish(
  db: Db,
  given: KeyChangeOptions & { readonly name: string },
  now: Date,
): Promise<string> {
  const name = read('name', keyName, given.name);
  if (!isPublishedFirst(name)) {
    throw new AdminFault(`${name}: is not published before it signs; rotate it`);
  }
  const places = placesOf(name, given.keys);
  return replace(db, given, { kind: 'publish', name, mark: null, now, places });
}

/**
 * Replaces a key. Signatures of the old one stay valid. A key that others use to verify must be
 * published first. Returns the names and new ids.
 */
export async function rotate(
  db: Db,
  given: KeyChangeOptions & { readonly name: string },
  now: Date,
): Promise<string> {
  const name = read('name', keyName, given.name);
  const places = placesOf(name, given.keys);
  return replace(db, given, { kind: 'rotate', name, mark: null, now, places });
}

/**
 * Requires the order: publish, wait, then rotate.
 * @throws AdminFault if the change is not due
 */
function checkOrder({ next }: PlatformKeys, { kind, name, now }: Replacement): void {
  if (kind === 'compromise') return;
  const known = next.find((key) => key.name === name);
  const withCa = name !== 'people-ca' && next.find((key) => key.name === 'services-ca');
  if (withCa && name !== 'services-ca') {
    throw new AdminFault(`${name}: the next services-ca is published; rotate services-ca first`);
  }
  if (kind === 'publish') {
    const token = name === 'services-ca' && next.find((key) => key.name === 'tokens');
    const before = known ?? token;
    if (!before) return;
    throw new AdminFault(`${before.name}: the next key is published already; rotate it first`);
  }
  if (!isPublishedFirst(name)) return;
  if (!known) {
    throw new AdminFault(
      `${name}: its next key is not published; run admin keys publish ${name} first`,
    );
  }
  const dueAt = new Date(known.publishedAt.getTime() + publishedMsMin);
  if (now >= dueAt) return;
  throw new AdminFault(
    `${name}: its next key was just published, and key sets are cached; ` +
      `rotate after ${dueAt.toISOString()}`,
  );
}

/**
 * Parses the places of the new keys. A value without a name stands for the key that is replaced.
 */
function placesOf(name: RotatableKey, words: readonly string[] = []): Replacement['places'] {
  return keyPlacesIn(words, name, (each) => replacedWith(name).includes(each));
}

/**
 * Replaces a key that may have been compromised since an instant. Revokes it, and all certificates
 * of a CA, before the new key is in place. Revocation lists contain it immediately.
 */
export async function compromise(
  db: Db,
  given: KeyChangeOptions & { readonly name: string; readonly since: string },
  now: Date,
): Promise<string> {
  const name = read('name', keyName, given.name);
  const since = sinceOf(given.since, now);
  const mark = { revoked_at: now, reason: 'compromised', invalidity_date: since } as const;
  const places = placesOf(name, given.keys);
  return replace(db, given, { kind: 'compromise', name, mark, now, places });
}

export function sinceOf(text: string, now: Date): Date {
  const since = new Date(read('--since', instant, text));
  if (since > now) throw new AdminFault('--since: it is still to come');
  return since;
}

/**
 * Marks affidavits that depend on a certificate to be judged again: those of one seal, or all for a
 * time-stamping certificate.
 */
async function recheckRestingOn(tx: Tx, serial: string, now: Date): Promise<void> {
  const row = await findListed(tx, serial);
  if (!row?.der) return;
  // Node's types say string[]; a certificate without the extension has undefined.
  const found: readonly string[] | undefined = new X509Certificate(row.der).keyUsage;
  if (found?.includes(purposes.timeStamping)) await recheckAffidavits(tx, now, null);
  if (found?.includes(purposes.documentSigning)) await recheckAffidavits(tx, now, row.kid);
}

interface RevocationOptions extends Omit<KeyChangeOptions, 'baseUrl'> {
  readonly serial: string;
  readonly reason: string;
  /** Time from which its key is not trusted, if earlier than now. */
  readonly since?: string | undefined;
}

/**
 * Revokes one certificate of a person or the platform, also of a key that was rotated since.
 * Affidavits that depend on a stolen one are judged again. Returns its serial.
 */
export async function revoke(db: Db, given: RevocationOptions, now: Date): Promise<string> {
  const why = read('--reason', reason, given.reason);
  const since = given.since === undefined ? null : sinceOf(given.since, now);
  if (since && why !== 'compromised') throw new AdminFault('--since: goes with compromised alone');
  const serial = given.serial.toLowerCase();
  await within(db, given.account, now, async (tx, _accountId, note) => {
    const revocation = { at: now, reason: why, ...(since ? { invalidityDate: since } : {}) };
    if (!(await revokeBySerial(tx, serial, revocation))) {
      throw new AdminFault(`${serial}: no such certificate, or revoked already`);
    }
    if (why === 'compromised') await recheckRestingOn(tx, serial, now);
    const details = { reason: why, ...(since ? { since } : {}) };
    await note({ action: 'key.revoked', objectId: serial, details });
  });
  const { peopleCa, servicesCa, retired } = loadKeys(localPlace(given.dataDir));
  const kid = (await findListed(db, serial))?.issuer_kid;
  const issuers = [peopleCa, servicesCa, ...retired.map(({ signer }) => signer)];
  const issuer = issuers.find((ca) => ca?.kid === kid);
  if (issuer) await issueCrl({ db, issuer }, now);
  return serial;
}

interface Replacement {
  readonly kind: 'publish' | 'rotate' | 'compromise';
  readonly name: RotatableKey;
  readonly mark: RevocationMark | null;
  readonly now: Date;
  readonly places: ReadonlyMap<RotatableKey, KeyReference | 'file'>;
}

const actions = {
  publish: 'key.published',
  rotate: 'key.rotated',
  compromise: 'key.compromised',
} as const;

/**
 * Changes the database first, then the files. After an interruption, the same command completes the
 * change. The row of the root's CRL serializes changes of keys.
 */
async function replace(db: Db, given: KeyChangeOptions, change: Replacement): Promise<string> {
  return withKeyDirectory(db, given.dataDir, async (place, keys) => {
    const { kind, name, mark, now, places } = change;
    checkOrder(keys, change);
    const old = currentOf(keys, name);
    const names = replacedWith(name);
    const { files, made } = await within(db, given.account, now, async (tx, _id, note) => {
      await enterPlatformCertificates(tx, keys);
      if (mark) await revokeAll(tx, keys, change);
      if (mark) await recheckOf(tx, old, change);
      const { baseUrl } = given;
      const rotation = { place, keys, now, mark, baseUrl, on: tx, places };
      const rotated = await (kind === 'publish' ? publishKey : rotateKey)(rotation, name);
      const to = { kid: rotated.made.get(name)?.signer.kid };
      const details = { name, from: { kid: old.kid }, to, since: mark?.invalidity_date };
      await note({ action: actions[kind], objectId: old.kid, details });
      return rotated;
    });
    // The last list of a CA that is replaced now, or the next list of the CA of a leaf.
    const issuer = old.certificate.ca ? old : keys.servicesCa;
    await issueCrl({ db, issuer }, now);
    // The files revoke a discarded CA or token key. Until they apply, a rerun must find it in
    // next/. A discarded seal or tsa is only in the database, and must not be put in place later.
    const unlisted = names.filter((each) => !isPublishedFirst(each));
    if (kind === 'compromise') await forgetNext(place, unlisted);
    await changeKeys(place.directory, files);
    if (kind !== 'publish') await forgetNext(place, names);
    return [...made].map(([each, { signer }]) => `${each} ${signer.kid}`).join('\n');
  });
}

/**
 * Marks affidavits that depend on a stolen key, to be judged again by the workers: those of a seal,
 * else all.
 */
async function recheckOf(tx: Tx, { kid }: PlatformKeys['seal'], { name, now }: Replacement) {
  if (name === 'people-ca' || name === 'tokens') return;
  await recheckAffidavits(tx, now, name === 'seal' ? kid : null);
}

/** Revokes a compromised key, and for a CA every certificate that it issued. */
async function revokeAll(tx: Tx, keys: PlatformKeys, { name, mark, now: at }: Replacement) {
  const { certificate, kid } = currentOf(keys, name);
  const since = mark?.invalidity_date ? { invalidityDate: mark.invalidity_date } : {};
  if (certificate.ca) {
    await revokeByIssuer(tx, kid, { at, reason: 'unspecified', ...since });
    // The key set marks token keys together with their CA, and revocation lists must match.
    const nextLeaves = nextWith(keys, name).filter((key) => !key.certificate.ca);
    const leaves = [keys.tokens, ...keys.retiredTokens, ...nextLeaves].map(
      (key) => key.certificate,
    );
    const nextCas = nextWith(keys, name).filter((key) => key.certificate.ca);
    const cas = [certificate, ...nextCas.map((ca) => ca.certificate)];
    for (const { serialNumber } of leaves.filter((one) => isIssuedBy(one, cas))) {
      const revocation = { at, reason: 'compromised', ...since } as const;
      await revokeBySerial(tx, serialNumber.toLowerCase(), revocation);
    }
    return;
  }
  for (const one of [{ certificate }, ...nextWith(keys, name)]) {
    const serial = one.certificate.serialNumber.toLowerCase();
    await revokeBySerial(tx, serial, { at, reason: 'compromised', ...since });
  }
}
