import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { custodyConfig, keyPlaceOf } from '../../../../activities/keys/config.ts';
import { CustodyError } from '../../../../activities/keys/custody/custody-error.ts';
import { readReference, textOf } from '../../../../activities/keys/custody/key-reference.ts';

describe('a reference to a key', () => {
  const arn = `arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab`;

  it.each([
    `awskms:///${arn}`,
    `awskms:///arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/mrk-1234abcd`,
    'pkcs11:token=trustcheck;object=seal;type=private',
    'pkcs11:token=a%3B%20b;id=%00%ff;type=private',
    'pkcs11:token=%C3%BC;object=%C3%BC;id=%01;type=private',
  ])('is read, and written back unchanged: %s', (text) => {
    const reference = readReference(`${text}\n`);
    expect(readReference(textOf(reference))).toEqual(reference);
  });

  it.each([
    'awskms:///arn:aws:kms:eu-west-1:111122223333:alias/seal',
    `awskms://elsewhere.example.test/${arn}`,
    `awskms:///${arn}\nawskms:///${arn}`,
    `awskms:///${arn}?pin-value=8261`,
    'awskms:///arn:aws:kms:evil.example.test/x-1:111122223333:key/1234abcd',
    'awskms:',
    'pkcs11:',
    'pkcs11:token=a',
    'pkcs11:object=a',
    'pkcs11:token=;object=a',
    'pkcs11:token=a;token=a;object=a',
    'pkcs11:token=a;object=a;type=public',
    'pkcs11:token=a;object=a;pin-value=8261',
    'pkcs11:token=a;object=a?pin-value=8261',
    'pkcs11:token=a;object=a?module-path=/tmp/evil.so',
    'pkcs11:token=a;object=%ff',
    'pkcs11:token=a;object=a=b',
    'pkcs11:token=a;object=a/b%',
    `pkcs11:token=${'a'.repeat(33)};object=a`,
    `pkcs11:token=a;object=${'a'.repeat(2_000)}`,
    'file:///etc/passwd',
    '',
  ])('is refused with an error that does not repeat it: %s', (text) => {
    let error: unknown;
    try {
      readReference(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(CustodyError);
    expect(error).toMatchObject({ fault: 'unset' });
    expect(String(error)).not.toMatch(/8261|evil|passwd/);
  });
});

describe('the settings of key custody', () => {
  const made = (config: object) =>
    keyPlaceOf({ ...custodyConfig.parse(config), DATA_DIR: '/data' }).custody;
  const KEYS_KMS_ACCESS_KEY_ID = 'a-key-id';
  const KEYS_PKCS11_MODULE = '/usr/lib/a-module.so';
  const KEYS_PKCS11_PIN = '8261';

  it('are either absent or complete', () => {
    expect(made({})).toEqual({ kms: {}, pkcs11: null });
    const token = made({ KEYS_PKCS11_MODULE, KEYS_PKCS11_PIN })?.pkcs11;
    expect([token?.module, token?.pin()]).toEqual([KEYS_PKCS11_MODULE, KEYS_PKCS11_PIN]);
    for (const [config, fault] of [
      [{ KEYS_KMS_ACCESS_KEY_ID }, 'KEYS_KMS_SECRET_ACCESS_KEY: required'],
      [{ KEYS_PKCS11_PIN }, 'KEYS_PKCS11_MODULE: required'],
      [{ KEYS_PKCS11_MODULE }, 'KEYS_PKCS11_PIN: required, or KEYS_PKCS11_PIN_FILE'],
      [{ KEYS_PKCS11_MODULE, KEYS_PKCS11_PIN, KEYS_PKCS11_PIN_FILE: '/pin' }, 'one of them alone'],
      [{ KEYS_PKCS11_MODULE: 'a-module.so' }, 'KEYS_PKCS11_MODULE'],
      [{ KEYS_KMS_URL: 'file:///etc' }, 'KEYS_KMS_URL'],
    ] as const) {
      expect(() => made(config), fault).toThrow(fault);
      expect(() => made(config), fault).not.toThrow(KEYS_PKCS11_PIN);
    }
  });

  it('read the PIN on demand from a file that others cannot read', () => {
    const directory = mkdtempSync(join(tmpdir(), 'trustcheck-pin-'));
    const KEYS_PKCS11_PIN_FILE = join(directory, 'pin');
    const pinOf = () => made({ KEYS_PKCS11_MODULE, KEYS_PKCS11_PIN_FILE })?.pkcs11?.pin();
    expect(pinOf).toThrow('KEYS_PKCS11_PIN_FILE');
    writeFileSync(KEYS_PKCS11_PIN_FILE, `${KEYS_PKCS11_PIN}\n`, { mode: 0o440 });
    expect(pinOf()).toBe(KEYS_PKCS11_PIN);
    chmodSync(KEYS_PKCS11_PIN_FILE, 0o644);
    expect(pinOf).toThrow('chmod o= it');
    rmSync(directory, { recursive: true });
  });
});
