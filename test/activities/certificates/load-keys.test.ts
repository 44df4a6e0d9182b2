import { createPrivateKey } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { renewRootCrl } from '../../../activities/keys/changes/renew-root-crl.ts';
import { heldKeys } from '../../../activities/keys/directory/held-keys.ts';
import {
  certificateOf,
  KeyDirectoryError,
  privateKeyOf,
  type KeyName,
} from '../../../activities/keys/directory/key-files.ts';
import {
  loadKeys,
  loadRoot,
  loadRootSigner,
} from '../../../activities/keys/directory/load-keys.ts';
import { prepareKeys } from '../../../cli/data-directory/keys.ts';
import { pemOf } from '../../../domain/pki/x509/certificate.ts';
import { purposes } from '../../../domain/pki/x509/profile.ts';
import { issueFreely, wantedOf, type Wanted } from '../../support/stand-ins/keys/authorities.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-load-'));
const good = join(directory, 'good');
const now = new Date('2026-11-21T06:00:00Z');
const baseUrl = 'https://trust.example.test';
const passphrase = 'sixteen letters or more';
let copies = 0;
const bothPurposes = wantedOf('people-ca', {
  purposes: Object.values(purposes),
  hash: 'SHA-384',
});
const optionalStamps = wantedOf('tsa', { arePurposesCritical: false });

beforeAll(async () => {
  await createDevPki(good, { now, baseUrl });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Copies the good directory and breaks one thing. */
function broken(spoil: (place: string) => void): string {
  copies += 1;
  const place = join(directory, `copy-${copies}`);
  cpSync(good, place, { recursive: true });
  spoil(place);
  return place;
}

const write = (place: string, name: string, content: string) =>
  writeFileSync(join(place, name), content, { mode: 0o600 });

describe('loadKeys', () => {
  it.each<[string, string, string, (place: string) => void]>([
    ['a file is missing', 'missing', 'seal.cer.pem', (p) => rmSync(join(p, 'seal.cer.pem'))],
    [
      'a key is readable by others',
      'exposed',
      'tsa.key.pem',
      (p) => chmodSync(join(p, 'tsa.key.pem'), 0o644),
    ],
    [
      'a certificate is malformed',
      'unreadable',
      'root.cer.pem',
      (p) => write(p, 'root.cer.pem', 'x'),
    ],
    ['a key is malformed', 'unreadable', 'seal.key.pem', (p) => write(p, 'seal.key.pem', 'x')],
    [
      'the secret is too short',
      'unreadable',
      'master.secret',
      (p) => write(p, 'master.secret', 'ab'),
    ],
    [
      'the passphrase is wrong',
      'encrypted',
      'passphrase',
      (p) => write(p, 'passphrase.secret', 'x'),
    ],
    [
      'the passphrase is missing',
      'encrypted',
      'passphrase',
      (p) => rmSync(join(p, 'passphrase.secret')),
    ],
    ['the CRL of the root is malformed', 'mismatched', 'root', (p) => write(p, 'root.crl', 'x')],
    [
      'a key belongs to another certificate',
      'mismatched',
      'seal',
      (p) => copyFileSync(join(p, 'tsa.key.pem'), join(p, 'seal.key.pem')),
    ],
    [
      'the seal has the certificate for time stamps',
      'mismatched',
      'purpose',
      (p) => {
        for (const part of ['cer', 'key'])
          copyFileSync(join(p, `tsa.${part}.pem`), join(p, `seal.${part}.pem`));
      },
    ],
    [
      'the people CA is a leaf',
      'mismatched',
      'people-ca',
      (p) => {
        for (const part of ['cer', 'key'])
          copyFileSync(join(p, `seal.${part}.pem`), join(p, `people-ca.${part}.pem`));
      },
    ],
    [
      'the people CA is the services CA',
      'mismatched',
      'people-ca: the certificate is for other purposes',
      (p) => {
        for (const part of ['cer', 'key'])
          copyFileSync(join(p, `services-ca.${part}.pem`), join(p, `people-ca.${part}.pem`));
      },
    ],
  ])('names the file and the fault when %s', (_what, fault, text, spoil) => {
    const place = broken(spoil);
    let caught: unknown;
    try {
      loadKeys(place);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(KeyDirectoryError);
    expect(caught).toMatchObject({ fault });
    expect(String(caught)).toContain(text);
  });

  it('accepts directories with unencrypted keys and without a CRL of the root', async () => {
    const place = broken((p) => {
      const secret = readFileSync(join(p, 'passphrase.secret'), 'utf8');
      for (const name of ['root', 'people-ca', 'services-ca', 'seal', 'tsa', 'tokens']) {
        const pem = readFileSync(join(p, `${name}.key.pem`));
        const key = createPrivateKey({ key: pem, passphrase: secret });
        write(p, `${name}.key.pem`, String(key.export({ type: 'pkcs8', format: 'pem' })));
      }
      rmSync(join(p, 'passphrase.secret'));
      rmSync(join(p, 'root.crl'));
    });
    expect(loadKeys(place).root.crl).toBeNull();
    expect(await renewRootCrl({ directory: place }, now)).toBe(true);
    expect(loadKeys(place).root.crl).not.toBeNull();
    expect(await renewRootCrl({ directory: place }, now)).toBe(false);
    const later = new Date(now.getTime() + 31 * 24 * 3600_000);
    expect(await renewRootCrl({ directory: place }, later)).toBe(true);
  });

  /** Issues a certificate again for the same key, with changed contents. */
  async function reissue(place: string, name: KeyName, by: KeyName, wanted: Wanted) {
    const from = { directory: place };
    const held = (one: KeyName) => {
      const certificate = certificateOf(from, one);
      return { certificate, key: privateKeyOf(from, one, certificate) };
    };
    const { der } = await issueFreely(wanted, held(by), held(name).key);
    write(place, `${name}.cer.pem`, pemOf(der));
  }
  it.each<[string, KeyName, KeyName, Wanted]>([
    ['for both CAs’ purposes', 'people-ca', 'root', bothPurposes],
    ['with an optional purpose', 'tsa', 'services-ca', optionalStamps],
    ['for no purpose', 'seal', 'services-ca', wantedOf('seal', { purposes: [] })],
    ['of a CA for no purpose', 'services-ca', 'root', wantedOf('services-ca', { purposes: [] })],
    ['of tokens for no purpose', 'tokens', 'services-ca', wantedOf('tokens', { purposes: [] })],
  ])('rejects a certificate %s', async (_what, name, by, wanted) => {
    const place = broken(() => undefined);
    await reissue(place, name, by, wanted);
    expect(() => loadKeys(place)).toThrow(`${name}: the certificate is for`);
  });

  it('reads no key file that the process does not hold', async () => {
    const place = { directory: join(directory, 'partial'), passphrase };
    await createDevPki(place.directory, { now, baseUrl, passphrase });
    for (const name of ['people-ca', 'services-ca', 'tsa', 'seal']) {
      rmSync(join(place.directory, `${name}.key.pem`));
    }
    expect(() => loadKeys(place)).toThrow('people-ca.key.pem: does not exist');
    const keys = loadKeys({ ...place, holds: heldKeys.api });
    expect(keys.seal.certificate.subject).toBe('CN=trustcheck seal');
    await expect(keys.seal.sign(Buffer.of(1))).rejects.toThrow(
      'seal: this process does not hold its key',
    );
    await keys.prove();
  });

  it('accepts a passphrase that is stored elsewhere', async () => {
    const place = { directory: join(directory, 'apart'), passphrase };
    await createDevPki(place.directory, { now, baseUrl, passphrase });
    expect(loadRootSigner(place).algorithm).toBe('ES384');
    expect(loadKeys(place).seal.algorithm).toBe('ES256');
    expect(loadRoot(place.directory).subject).toBe('CN=trustcheck development root');
    expect(() => loadKeys(place.directory)).toThrow('no passphrase was given');
    expect(() => loadKeys({ ...place, passphrase: 'another one, quite wrong' })).toThrow(
      'not the one',
    );
  });
});

describe('the keys of the local platform', () => {
  it('are created once, then reused', async () => {
    const dataDir = join(directory, 'data');
    await prepareKeys(dataDir, baseUrl, now);
    const first = loadKeys(join(dataDir, 'keys')).root.kid;
    await prepareKeys(dataDir, baseUrl, now);
    expect(loadKeys(join(dataDir, 'keys')).root.kid).toBe(first);
  });

  it('cannot be used when damaged, and the error says how to reset', async () => {
    const dataDir = join(directory, 'half');
    mkdirSync(join(dataDir, 'keys'), { recursive: true });
    write(join(dataDir, 'keys'), 'seal.key.pem', 'x');
    await expect(prepareKeys(dataDir, baseUrl, now)).rejects.toThrow('npm run reset');
    const torn = join(directory, 'torn');
    await prepareKeys(torn, baseUrl, now);
    rmSync(join(torn, 'keys', 'root.key.pem'));
    await expect(prepareKeys(torn, baseUrl, now)).rejects.toThrow(
      /root\.key\.pem: does not exist\nnpm run reset .* in development only/,
    );
  });
});
