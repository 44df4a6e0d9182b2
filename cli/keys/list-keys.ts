import { currentOf, rotatableKeys } from '../../activities/keys/changes/rotate-keys.ts';
import { loadKeys, type PlatformKeys } from '../../activities/keys/directory/load-keys.ts';
import { secretName, type SecretVersion } from '../../activities/keys/directory/load-secrets.ts';
import type { Db } from '../../db/client.ts';
import { listStates } from '../../db/queries/certificates.ts';
import { longestOverlapMs } from '../../domain/secret-purposes.ts';
import { localPlace } from '../data-directory/keys.ts';
import { pinsOf } from './secret-pins.ts';

/**
 * Returns the signing keys, the published next ones and the retired ones, as JSON. `held_in` has
 * the form of `--key`: `file`, or the place in AWS KMS or a token. It is null if only the
 * certificate is stored.
 */
export async function listKeys(db: Db, dataDir: string): Promise<string> {
  const keys = loadKeys(localPlace(dataDir));
  const current = rotatableKeys.map((name) => ({ name, ...currentOf(keys, name) }));
  const serials = current.map(({ certificate }) => certificate.serialNumber.toLowerCase());
  const states = await listStates(db, keys.servicesCa.kid, serials);
  const signing = current.map(({ name, kid, certificate, heldAt }, index) => ({
    name,
    ...factsOf(kid, certificate),
    held_in: heldAt ?? 'file',
    state: states.find(({ serial }) => serial === serials[index])?.revoked_at
      ? 'revoked'
      : 'current',
  }));
  const next = keys.next.map(({ name, kid, certificate, publishedAt }) => ({
    name,
    ...factsOf(kid, certificate),
    published_at: publishedAt.toISOString(),
    state: 'next',
  }));
  const ends = new Map(keys.retiredTokens.map(({ kid, acceptedUntil }) => [kid, acceptedUntil]));
  const tokens = keys.retiredTokens.map((one) => ({ ...one, signer: null }));
  const retired = [...keys.retired, ...tokens].map(({ kid, certificate, revoked, signer }) => ({
    name: certificate.subject.replace(/^CN=/, ''),
    ...factsOf(kid, certificate),
    held_in: signer && (signer.heldAt ?? 'file'),
    ...(ends.get(kid) ? { accepted_until: ends.get(kid)?.toISOString() } : {}),
    state: revoked ? 'revoked' : 'retired',
  }));
  const secrets = await Promise.all(keys.secretVersions.map((version) => secretRow(db, version)));
  return JSON.stringify([...signing, ...next, ...retired, ...secrets], null, 2);
}

/** Returns a version of the master secret, with the uses that prevent its removal. */
async function secretRow(db: Db, { version, id, state, publishedAt, endedAt }: SecretVersion) {
  const ended = endedAt && new Date(endedAt.getTime() + longestOverlapMs);
  return {
    name: secretName,
    version,
    kid: id,
    held_in: 'file',
    pinned_by: await pinsOf(db, version),
    ...(publishedAt ? { published_at: publishedAt.toISOString() } : {}),
    ...(ended && state === 'retired' ? { accepted_until: ended.toISOString() } : {}),
    state,
  };
}

function factsOf(kid: string, { serialNumber, validToDate }: PlatformKeys['seal']['certificate']) {
  const serial = serialNumber.toLowerCase();
  return { kid, serial, not_after: validToDate.toISOString() };
}
