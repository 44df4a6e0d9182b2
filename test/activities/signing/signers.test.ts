import {
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  verify,
  type KeyObject,
  type X509Certificate,
} from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { certifyKey } from '../../../activities/keys/changes/issue-key.ts';
import { loadCryptoki } from '../../../activities/keys/custody/cryptoki.ts';
import { CustodyError } from '../../../activities/keys/custody/custody-error.ts';
import {
  readReference,
  textOf,
  type KeyReference,
} from '../../../activities/keys/custody/key-reference.ts';
import { openKeeper, type CustodyOptions } from '../../../activities/keys/custody/open-keeper.ts';
import { createCustodySigner } from '../../../activities/keys/directory/custody-signer.ts';
import { KeyDirectoryError, type KeyPlace } from '../../../activities/keys/directory/key-files.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { sealAffidavit } from '../../../domain/pdf/signature/seal.ts';
import type { Signer } from '../../../domain/pki/signer.ts';
import { createTimestampAuthority } from '../../../domain/pki/timestamps/sign-token.ts';
import { pemOf } from '../../../domain/pki/x509/certificate.ts';
import { keySigner } from '../../../domain/pki/x509/key-signer.ts';
import { listsOfToday } from '../../support/fixtures/affidavits/archives.ts';
import { contentWith } from '../../support/fixtures/affidavits/contents.ts';
import { makeSoftToken, softTokenFault, type SoftToken } from '../../support/keys/soft-token.ts';
import { thrownBy as thrownWithout } from '../../support/keys/thrown-by.ts';
import { kmsAccount, startKms, type KmsStandIn } from '../../support/stand-ins/keys/kms.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-custody-'));
const baseUrl = 'https://trust.example.test';
const atOnce = 50;
let kms: KmsStandIn;
let token: SoftToken | null = null;
let rendered: Uint8Array;

beforeAll(async () => {
  kms = await startKms(() => new Date());
  if (softTokenFault === null) token = makeSoftToken(directory);
  await createDevPki(join(directory, 'keys'), { now: new Date(), baseUrl });
  rendered = await renderAffidavit(contentWith('a name'));
});
afterAll(async () => {
  token?.stop();
  await kms.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns the token, or skips the test with the name of the missing program. */
function needed(skip: (why: string) => never): SoftToken {
  return token ?? skip(softTokenFault ?? '');
}

const custody = (change: Partial<CustodyOptions> = {}): CustodyOptions => ({
  kms: { credentials: kmsAccount, url: kms.url, timeoutMs: 60_000 },
  pkcs11: token && { module: token.module, pin: () => token?.pin ?? '', timeoutMs: 60_000 },
  ...change,
});

interface Made {
  readonly reference: KeyReference;
  readonly publicKey: KeyObject;
}
const thrownBy = (work: Promise<unknown>) =>
  thrownWithout(work, [kmsAccount.secretAccessKey, token?.pin]);

/** Creates a new key for each driver of external keys. */
const makers = {
  'aws-kms': (): Made => {
    const { arn, privateKey } = kms.makeKey();
    const reference = readReference(`awskms:///${arn}`);
    return { reference, publicKey: createPublicKey(privateKey) };
  },
  pkcs11: (skip: (why: string) => never): Made => {
    const { label, addKey } = needed(skip);
    const object = `key ${randomBytes(4).toString('hex')}`;
    const publicKey = createPublicKey(addKey(object, randomBytes(4).toString('hex')));
    return { reference: { driver: 'pkcs11', token: label, object }, publicKey };
  },
} as const;
const drivers = Object.keys(makers) as (keyof typeof makers)[];

describe.each(['file', ...drivers] as const)('a signer of %s', (driver) => {
  it('signs 50 texts at once as DER, and its public key verifies them', async ({ skip }) => {
    let signer: Signer;
    let publicKey: KeyObject;
    if (driver === 'file') {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      publicKey = createPublicKey(privateKey);
      signer = { ...keySigner(privateKey, []), algorithm: 'ES256' };
    } else {
      const made = makers[driver](skip);
      ({ publicKey } = made);
      const keeper = openKeeper(custody());
      expect((await keeper.publicKeyOf(made.reference)).equals(publicKey)).toBe(true);
      signer = createCustodySigner(keeper, made.reference, publicKey, []);
      await signer.prove?.();
    }
    const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const texts = Array.from({ length: atOnce }, (_each, at) => randomBytes(at * 100));
    const signatures = await Promise.all(texts.map((text) => signer.sign(text)));
    for (const [at, signature] of signatures.entries()) {
      const text = texts[at] ?? Buffer.of();
      expect(verify('sha256', text, publicKey, signature)).toBe(true);
      expect(verify('sha256', text, createPublicKey(other), signature)).toBe(false);
    }
    expect(signer.kid).toBe(createCustodySigner(openKeeper(custody()), anyKey, publicKey, []).kid);
  });
});
const anyKey: KeyReference = { driver: 'pkcs11', token: 'none', object: 'none' };

/** Copies the key directory with one key held elsewhere. */
async function placeWith(name: 'seal' | 'tsa', { reference, publicKey }: Made): Promise<KeyPlace> {
  const place = { directory: join(directory, randomBytes(4).toString('hex')), custody: custody() };
  cpSync(join(directory, 'keys'), place.directory, { recursive: true });
  const { servicesCa } = loadKeys(place);
  const { der } = await certifyKey(
    { role: name, commonName: `trustcheck ${name}`, issuer: servicesCa, now: new Date(), baseUrl },
    publicKey,
    (chain) => createCustodySigner(openKeeper(place.custody), reference, publicKey, chain),
  );
  const write = (file: string, content: string): void =>
    writeFileSync(join(place.directory, file), content, { mode: 0o600 });
  write(`${name}.cer.pem`, pemOf(der));
  write(`${name}.key.pem`, `${textOf(reference)}\n`);
  return place;
}

describe.each(drivers)('keys with one held by %s', (driver) => {
  it('load, are proven, and seal an affidavit that verifies', async ({ skip }) => {
    const place = await placeWith('seal', makers[driver](skip));
    const keys = loadKeys(place);
    await keys.prove();
    expect([typeof keys.seal.prove, typeof keys.tsa.prove]).toEqual(['function', 'undefined']);
    const authority = createTimestampAuthority(keys.tsa, () => new Date(), randomBytes);
    const pdf = await sealAffidavit(rendered, keys.seal, authority);
    const roots: X509Certificate[] = [keys.root.certificate];
    const at = new Date(Date.now() + 1000);
    const verdict = await verifyAffidavit(pdf, roots, at, { lists: await listsOfToday(keys) });
    expect(verdict).toMatchObject({ result: 'valid', reason_code: null });
  });

  it('are not proven when another key signs, and the error names which', async ({ skip }) => {
    const { publicKey } = makers[driver](skip);
    const place = await placeWith('tsa', { ...makers[driver](skip), publicKey });
    const error = await thrownBy(loadKeys(place).prove());
    expect(error).toBeInstanceOf(KeyDirectoryError);
    expect(error).toMatchObject({ fault: 'mismatched' });
    expect(String(error)).toContain('tsa: what was signed is not by the key of the certificate');
  });
});

describe('AWS KMS', () => {
  it('is named with its fault when a key is disabled, deleted or unreachable at start', async () => {
    const made = kms.makeKey();
    const reference = readReference(`awskms:///${made.arn}`);
    const publicKey = createPublicKey(made.privateKey);
    const place = await placeWith('seal', { reference, publicKey });
    for (const [state, fault] of [
      ['Disabled', 'DisabledException'],
      ['PendingDeletion', 'KMSInvalidStateException'],
    ] as const) {
      made.state = state;
      const error = await thrownBy(loadKeys(place).prove());
      expect(error).toMatchObject({ fault: 'unusable', name: 'KeyDirectoryError' });
      expect(String(error)).toContain(`seal: ${made.arn}: AWS KMS says ${fault}`);
    }
    made.state = 'Enabled';
    await loadKeys(place).prove();
    const away = { credentials: kmsAccount, url: 'http://127.0.0.1:1', timeoutMs: 60_000 };
    const error = await thrownBy(loadKeys({ ...place, custody: custody({ kms: away }) }).prove());
    expect(error).toMatchObject({ fault: 'unreachable' });
    const stranger = { ...kmsAccount, secretAccessKey: 'another' };
    const refused = custody({ kms: { credentials: stranger, url: kms.url } });
    expect(await thrownBy(loadKeys({ ...place, custody: refused }).prove())).toMatchObject({
      fault: 'denied',
      message: `seal: ${made.arn}: AWS KMS says InvalidSignatureException`,
    });
  });
});

describe('a PKCS #11 token', () => {
  const digest = randomBytes(32);

  it('is named with the fault of its key or module', async ({ skip }) => {
    const { pin, label, addKey } = needed(skip);
    addKey('twice', 'aa01');
    addKey('twice', 'aa02');
    addKey('rsa', 'aa03', 'rsa');
    const { pkcs11 } = custody();
    const good = openKeeper(custody());
    const by = (change: object) =>
      openKeeper(custody({ pkcs11: pkcs11 && { ...pkcs11, ...change } }));
    const of = (change: object): KeyReference => ({ ...anyKey, token: label, ...change });
    const cases = [
      [good, of({ object: 'none' }), 'absent', 'no private key of this name'],
      [good, of({ object: 'twice' }), 'ambiguous', 'more than one private key of this name'],
      [good, of({ token: 'none' }), 'absent', 'no token of this name'],
      [by({ module: '/bin/sh' }), of({}), 'unset', 'KEYS_PKCS11_MODULE'],
      [openKeeper(custody({ pkcs11: null })), of({}), 'unset', 'KEYS_PKCS11_MODULE'],
    ] as const;
    for (const [keeper, reference, fault, said] of cases) {
      const error = await thrownBy(keeper.sign(reference, digest));
      expect(error).toBeInstanceOf(CustodyError);
      expect(error).toMatchObject({ fault });
      expect(String(error)).toContain(said);
      expect(String(error)).not.toContain(pin);
    }
    expect(
      await good.sign(of({ id: Buffer.from('aa02', 'hex'), object: 'twice' }), digest),
    ).toBeTruthy();
    expect(await thrownBy(good.publicKeyOf(of({ object: 'rsa' })))).toMatchObject({
      fault: 'unusable',
    });
  });

  it('is tried with a wrong PIN only once', async ({ skip }) => {
    const { closed, module } = needed(skip);
    let tries = 0;
    const pin = (): string => {
      tries += 1;
      return '0000';
    };
    const keeper = openKeeper(custody({ pkcs11: { module, pin } }));
    const ask = () => thrownBy(keeper.sign({ ...anyKey, token: closed }, digest));
    const all = await Promise.all(Array.from({ length: 5 }, ask));
    expect([tries, ...all.map((error) => Object(error).fault)]).toEqual([
      1,
      ...Array.from({ length: 5 }, () => 'denied'),
    ]);
  });

  it('is reopened after it lost its session, and limits its queue', async ({ skip }) => {
    const { reference, publicKey } = makers.pkcs11(skip);
    const { module } = needed(skip);
    const keeper = openKeeper(custody());
    const signer = createCustodySigner(keeper, reference, publicKey, []);
    await signer.prove();
    const cryptoki = await loadCryptoki(module);
    // Session handles of SoftHSM are small numbers.
    for (let session = 1; session < 500; session += 1) await cryptoki.closeSession(session);
    await signer.prove();
    const asked = Array.from({ length: 300 }, () => signer.sign(digest));
    const ended = await Promise.allSettled(asked);
    const refused = ended.filter(({ status }) => status === 'rejected');
    for (const one of refused)
      expect(one).toMatchObject({ reason: { cause: { fault: 'unreachable' } } });
    expect(refused).toHaveLength(300 - 256);
    await signer.prove();
  });

  it('times out when it is too slow, and its signatures are still correct', async ({ skip }) => {
    const { reference, publicKey } = makers.pkcs11(skip);
    const { module, pin } = needed(skip);
    for (const timeoutMs of [1, 2, 3]) {
      const keeper = openKeeper(custody({ pkcs11: { module, pin: () => pin, timeoutMs } }));
      const signer = createCustodySigner(keeper, reference, publicKey, []);
      const ended = await Promise.allSettled(
        Array.from({ length: atOnce }, () => signer.sign(digest)),
      );
      for (const one of ended) {
        if (one.status === 'fulfilled') {
          expect(verify('sha256', digest, publicKey, one.value)).toBe(true);
        } else expect(one.reason).toMatchObject({ cause: { fault: 'unreachable' } });
      }
    }
    await createCustodySigner(openKeeper(custody()), reference, publicKey, []).prove();
  });
});
