import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import {
  currentOf,
  rotatableKeys,
  type RotatableKey,
} from '../../../activities/keys/changes/rotate-keys.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { AdminFault, makeAccount } from '../../../cli/admin/admin.ts';
import { localPlace } from '../../../cli/data-directory/keys.ts';
import { compromise } from '../../../cli/keys/change-keys.ts';
import { listKeys } from '../../../cli/keys/list-keys.ts';
import type { Db } from '../../../db/client.ts';
import { isListed } from '../../../domain/pki/revocation/root-crl.ts';
import { signCrl } from '../../../domain/pki/revocation/sign-crl.ts';
import { publicJwkOf, thumbprintOf } from '../../../domain/pki/x509/thumbprint.ts';
import { rotateInPeace } from '../../support/commands/rotate-in-peace.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import {
  kmsAccount,
  kmsSettings,
  startKms,
  type KmsKey,
  type KmsStandIn,
} from '../../support/stand-ins/keys/kms.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-held-'));
const place = join(directory, 'keys');
const baseUrl = 'https://trust.example.test';
let db: Db;
let url: string;
let drop: () => Promise<void>;
let account: string;
let kms: KmsStandIn;

beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
  account = String(await makeAccount(db, { name: 'operator' }, new Date()));
  await createDevPki(place, { now: new Date(), baseUrl });
  kms = await startKms(() => new Date());
  Object.assign(process.env, kmsSettings(kms));
});
afterAll(async () => {
  for (const name of Object.keys(kmsSettings(kms))) delete process.env[name];
  await kms.stop();
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

const given = () => ({ dataDir: directory, baseUrl, account });
const kidsOf = (keys: PlatformKeys): string[] =>
  rotatableKeys.map((name) => currentOf(keys, name).kid);

describe('a key held by AWS KMS', () => {
  const heldBy = (): { key: KmsKey; word: string } => {
    const key = kms.makeKey();
    return { key, word: `awskms:///${key.arn}` };
  };
  const turn = (name: RotatableKey, ...keys: readonly string[]) =>
    rotateInPeace(db, { ...given(), keys }, name);
  const fileOf = (name: string): string => readFileSync(join(place, `${name}.key.pem`), 'utf8');
  /** Asserts a refusal with a message for the operator, after which nothing has changed. */
  const refused = async (work: Promise<unknown>, why: string): Promise<void> => {
    const before = loadKeys(localPlace(directory));
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AdminFault);
    expect(String(error)).toContain(why);
    expect(String(error)).not.toContain(kmsAccount.secretAccessKey);
    expect(kidsOf(loadKeys(localPlace(directory)))).toEqual(kidsOf(before));
  };

  it('replaces a key in a file or in KMS, and is replaced by one in a file', async () => {
    const [one, two] = [heldBy(), heldBy()];
    for (const { key, word } of [one, two]) {
      const said = await turn('seal', word);
      const keys = loadKeys(localPlace(directory));
      await keys.prove();
      const kid = thumbprintOf(publicJwkOf(createPublicKey(key.privateKey)));
      expect([said, keys.seal.kid, fileOf('seal')]).toEqual([`seal ${kid}`, kid, `${word}\n`]);
    }
    const listed = JSON.parse(await listKeys(db, directory));
    expect(listed).toMatchObject([
      { name: 'people-ca', held_in: 'file' },
      { name: 'services-ca', held_in: 'file' },
      { name: 'seal', held_in: two.word },
      { name: 'tsa', held_in: 'file' },
      { name: 'tokens', held_in: 'file' },
      { name: 'master-secret', held_in: 'file' },
    ]);
    await refused(turn('seal'), 'seal: its key is held elsewhere; make a new one there');
    await refused(turn('seal', two.word), 'seal: this key is one of the platform already');
    await refused(turn('tsa', two.word), 'tsa: this key is one of the platform already');
    const since = '2026-11-01T00:00:00Z';
    const three = heldBy();
    const stolen = { ...given(), name: 'seal', since, keys: [three.word] };
    await compromise(db, stolen, new Date());
    await refused(turn('seal', two.word), 'seal: this key was revoked as stolen');
    await turn('seal', 'file');
    expect(fileOf('seal')).toContain('ENCRYPTED');
    expect(loadKeys(place).seal.prove).toBeUndefined();
  });

  it('issues certificates, signs lists after its retirement, and is required when disabled', async () => {
    const [ca, tokens] = [heldBy(), heldBy()];
    await turn('services-ca', ca.word, `tokens=${tokens.word}`);
    const before = loadKeys(localPlace(directory));
    await before.prove();
    ca.key.state = 'Disabled';
    await refused(turn('tsa'), `${ca.key.arn}: AWS KMS says DisabledException`);
    ca.key.state = 'Enabled';
    await turn('tsa');
    await refused(turn('services-ca', 'file'), '--key tokens=awskms:///');
    const { word: shared } = heldBy();
    const twice = turn('services-ca', shared, `tokens=${shared}`);
    await refused(twice, 'services-ca: one key is named for two');
    const gone = heldBy();
    gone.key.state = 'PendingDeletion';
    await refused(turn('services-ca', gone.word, 'tokens=file'), 'KMSInvalidStateException');
    await turn('services-ca', 'file', 'tokens=file');
    const after = loadKeys(localPlace(directory));
    const old = after.retired.find(({ kid }) => kid === before.servicesCa.kid);
    await old?.signer?.prove?.();
    const crl = await signCrl({
      issuer: old?.signer ?? after.servicesCa,
      number: 9,
      thisUpdate: new Date(),
      nextUpdate: new Date(Date.now() + 1_000),
      revoked: [],
    });
    expect(isListed(crl, before.seal.certificate)).toBe(false);
    expect([...after.retiredTokens].map(({ kid }) => kid)).toContain(before.tokens.kid);
    const listed = JSON.parse(await listKeys(db, directory)) as Record<string, string>[];
    const heldOf = (kid: string) => listed.find((one) => one['kid'] === kid)?.['held_in'];
    const kids = [before.servicesCa, before.tokens, after.servicesCa].map(({ kid }) => kid);
    expect(kids.map(heldOf)).toEqual([ca.word, null, 'file']);
  });

  it.each([
    [['people-ca=file'], 'people-ca is named twice, or is not replaced with seal'],
    [['file', 'seal=file'], 'seal is named twice'],
    [['awskms:///arn:aws:kms:eu-west-1:111122223333:alias/seal'], 'an alias is not taken'],
    [['pkcs11:token=a;object=b'], 'set KEYS_PKCS11_MODULE'],
    [['pkcs11:token=a;object=b?pin-value=1234'], '--key: the reference to its key has a query'],
    [['/etc/passwd'], '--key: the reference to its key begins with neither'],
  ])('is rejected for the names %j', async (keys, why) => {
    await refused(turn('seal', ...keys), why);
  });

  it('is named on the command line, and doctor reports it when unavailable', async () => {
    const { key, word } = heldBy();
    const env = { MIGRATIONS_DATABASE_URL: url, BASE_URL: baseUrl, ...kmsSettings(kms) };
    const flags = ['admin', 'keys', 'rotate', 'tsa', '--account', account, '--key', word];
    const { code, stdout, stderr } = await commandHere(directory, flags, env);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim()).toBe(`tsa ${loadKeys(localPlace(directory)).tsa.kid}`);
    key.state = 'Disabled';
    const { stdout: told } = await commandHere(directory, ['doctor'], env);
    expect(told).toContain(`✗ Keys: tsa: ${key.arn}: AWS KMS says DisabledException`);
  });
});
