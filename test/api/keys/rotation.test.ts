import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { privateKeyOf } from '../../../activities/keys/directory/key-files.ts';
import {
  loadKeys,
  loadRootSigner,
  type PlatformKeys,
} from '../../../activities/keys/directory/load-keys.ts';
import { authorityFile } from '../../../api/keys/authority-file.ts';
import { platformJwks } from '../../../api/keys/platform-jwks.ts';
import { presentUserKeys } from '../../../api/keys/present.ts';
import type { Db } from '../../../db/client.ts';
import { listUserCertificates, revokeBySerial } from '../../../db/queries/certificates.ts';
import { addUser } from '../../../db/queries/seeding.ts';
import { pemOf } from '../../../domain/pki/x509/certificate.ts';
import { issueCertificate } from '../../../domain/pki/x509/issue-certificate.ts';
import { newSerial } from '../../../domain/pki/x509/serial.ts';
import { publicJwkOf } from '../../../domain/pki/x509/thumbprint.ts';
import { issueUserCertificate } from '../../support/keys/issue-user-certificate.ts';
import { ownSigning } from '../../support/keys/own-signing.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { issueFreely, wantedOf } from '../../support/stand-ins/keys/authorities.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-rotation-'));
const place = join(directory, 'keys');
const now = new Date('2026-11-21T06:00:00Z');
const baseUrl = 'https://trust.example.test';
const polyUserId = 'pu_00000000000000000000000001';
let db: Db;
let drop: () => Promise<void>;
let before: PlatformKeys;
let after: PlatformKeys;

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  await addUser(db, [polyUserId, 'cert', now]);
  await createDevPki(place, { now, baseUrl });
  before = loadKeys(place);
});
afterAll(async () => {
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

const issue = (keys: PlatformKeys) => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return issueUserCertificate(
    { on: db, peopleCa: keys.peopleCa, baseUrl },
    { polyUserId, deviceId: null, publicKey: publicJwkOf(publicKey), now, random: randomBytes },
  );
};
/** Calls the handlers as the API does, with keys that the running platform does not have. */
const file = async (keys: PlatformKeys, name: string, at: Date, isAway: boolean) => {
  const input = { path: { file: name }, headers: {}, call: { now: at } };
  const signing = ownSigning(db, isAway ? null : keys, at);
  return authorityFile(input as never, { db, keys, ...signing });
};
const contentOf = async (
  keys: PlatformKeys,
  name: string,
  at = now,
  isAway = false,
): Promise<Buffer> => {
  const answer = await file(keys, name, at, isAway);
  if (answer.status !== 200) throw new Error(`no file ${name}`);
  return Buffer.from(answer.content);
};

/** Replaces the people CA; the old one retires with its key. */
async function rotate(): Promise<void> {
  const root = loadRootSigner(place);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = await issueCertificate({
    role: 'people-ca',
    commonName: 'trustcheck people CA 2',
    spki: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })),
    issuer: root,
    serial: newSerial(randomBytes),
    notBefore: now,
    notAfter: new Date(now.getTime() + 365 * 24 * 3600_000),
    issuerUrl: `${baseUrl}/pki/${root.kid}`,
  });
  mkdirSync(join(place, 'retired'), { mode: 0o700 });
  for (const part of ['cer', 'key']) {
    renameSync(
      join(place, `people-ca.${part}.pem`),
      join(place, 'retired', `people-1.${part}.pem`),
    );
  }
  writeFileSync(join(place, 'people-ca.cer.pem'), pemOf(der));
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(join(place, 'people-ca.key.pem'), pem, { mode: 0o600 });
}

it('a retired CA is still published, and its certificates can still be revoked', async () => {
  const old = await issue(before);
  await rotate();
  after = loadKeys(place);
  expect(after.retired.map(({ kid }) => kid)).toEqual([before.peopleCa.kid]);
  const young = await issue(after);
  const set = await platformJwks({ headers: {} } as never, { keys: after });
  if (set.status !== 200) throw new Error('no key set');
  const { keys } = JSON.parse(set.content.toString()) as { keys: { kid: string }[] };
  expect(keys.map(({ kid }) => kid)).toContain(before.peopleCa.kid);
  const certificate = await contentOf(after, `${before.peopleCa.kid}.cer`);
  expect(new X509Certificate(certificate).raw).toEqual(before.peopleCa.certificate.raw);

  const issuers = [after.peopleCa, ...after.retired];
  const shown = presentUserKeys(await listUserCertificates(db, polyUserId), {
    now,
    markOf: () => null,
    isWhole: false,
    issuerOf: (kid) => issuers.find((ca) => ca.kid === kid)?.certificate,
  });
  for (const [kid, ca] of [
    [old.kid, before.peopleCa],
    [young.kid, after.peopleCa],
  ] as const) {
    const key = shown.find((candidate) => candidate.kid === kid);
    expect(key?.x5c[1]).toBe(ca.certificate.raw.toString('base64'));
  }

  await revokeBySerial(db, old.serial, { at: now, reason: 'compromised' });
  const serial = Buffer.from(old.serial, 'hex');
  expect((await contentOf(after, `${before.peopleCa.kid}.crl`)).includes(serial)).toBe(true);
  expect((await contentOf(after, `${after.peopleCa.kid}.crl`)).includes(serial)).toBe(false);
});

it('without workers the last CRL is served unless it expired or a revocation is newer', async () => {
  const path = `${after.peopleCa.kid}.crl`;
  const tomorrow = new Date(now.getTime() + 25 * 3600_000);
  const last = await contentOf(after, path);
  expect(await contentOf(after, path, tomorrow, true)).toEqual(last);
  const weekLater = new Date(now.getTime() + 8 * 24 * 3600_000);
  const away = { code: 'dependency_unavailable' };
  await expect(contentOf(after, path, weekLater, true)).rejects.toMatchObject(away);
  const { serial } = await issue(after);
  await revokeBySerial(db, serial, { at: now, reason: 'compromised' });
  await expect(contentOf(after, path, now, true)).rejects.toMatchObject(away);
  expect((await contentOf(after, path)).includes(Buffer.from(serial, 'hex'))).toBe(true);
});

it('a retired CA with a destroyed key keeps its last CRL', async () => {
  const last = await contentOf(after, `${before.peopleCa.kid}.crl`);
  rmSync(join(place, 'retired', 'people-1.key.pem'));
  const keyless = loadKeys(place);
  expect(keyless.retired[0]?.signer).toBeNull();
  const nextWeek = new Date(now.getTime() + 7 * 24 * 3600_000);
  expect(await contentOf(keyless, `${before.peopleCa.kid}.crl`, nextWeek)).toEqual(last);
});

it('a replaced token key is published but no longer used', async () => {
  const held = { certificate: after.servicesCa.certificate, key: servicesKey() };
  const old = await issueFreely(wantedOf('tokens', { name: 'tokens 1' }), held);
  const path = join(place, 'retired', 'tokens-1.cer.pem');
  writeFileSync(path, old.certificate.toString());
  const keys = loadKeys(place);
  const [retired] = keys.retiredTokens;
  expect(keys.retiredTokens.map(({ certificate }) => certificate.raw)).toEqual([
    old.certificate.raw,
  ]);
  expect(keys.retired.map(({ kid }) => kid)).toEqual([before.peopleCa.kid]);
  expect(keys.tokens.kid).toBe(before.tokens.kid);
  const set = await platformJwks({ headers: {} } as never, { keys });
  if (set.status !== 200) throw new Error('no key set');
  expect(set.content.toString()).toContain(`"kid":"${retired?.kid ?? '-'}"`);
  const stamps = await issueFreely(wantedOf('tsa'), held);
  const foreign = await issueFreely(wantedOf('tokens'), null);
  for (const wrong of [stamps, foreign]) {
    writeFileSync(path, wrong.certificate.toString());
    expect(() => loadKeys(place)).toThrow(
      'retired/tokens-1: the certificate is neither a CA nor a token key of ours',
    );
  }
  rmSync(path);
});

const servicesKey = () =>
  privateKeyOf({ directory: place }, 'services-ca', after.servicesCa.certificate);

it('a foreign CA among the retired ones prevents the start', async () => {
  const other = join(directory, 'other');
  await createDevPki(other, { now, baseUrl });
  const foreign = loadKeys(other).peopleCa.certificate.toString();
  writeFileSync(join(place, 'retired', 'foreign.cer.pem'), foreign);
  expect(() => loadKeys(place)).toThrow('retired/foreign: the certificate is no CA of ours');
});
