import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevPki } from '../../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../../activities/keys/directory/load-keys.ts';
import { loadAuthorities } from '../../../../activities/keys/timestamps/config.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-authorities-'));
let keys: PlatformKeys;

beforeAll(async () => {
  const place = join(directory, 'keys');
  await createDevPki(place, { now: new Date(), baseUrl: 'http://127.0.0.1:8080' });
  keys = loadKeys(place);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('TIMESTAMP_AUTHORITIES', () => {
  const path = join(directory, 'authorities.json');
  const load = (text: string) => {
    writeFileSync(path, text);
    writeFileSync(join(directory, 'roots.pem'), keys.trustBundlePem.repeat(2));
    writeFileSync(join(directory, 'leaf.pem'), keys.tsa.certificate.toString());
    writeFileSync(join(directory, 'password'), 'a secret\n');
    return loadAuthorities({ TIMESTAMP_AUTHORITIES: path });
  };
  const entry = { url: 'https://tsa.example/', roots: 'roots.pem' };
  const withPassword = { ...entry, user: 'us', password: 'password' };

  it('is read in order, with paths relative to the file', () => {
    const second = { ...withPassword, policy: '1.2.3', timeout_ms: 100 };
    const [first, other] = load(JSON.stringify([entry, second]));
    expect(first).toMatchObject({ timeoutMs: 5000, policy: null, credentials: null });
    expect(first?.roots).toHaveLength(2);
    expect(other).toMatchObject({ timeoutMs: 100, policy: '1.2.3', credentials: 'us:a secret' });
    expect(loadAuthorities({})).toEqual([]);
  });

  it.each([
    ['invalid JSON', '{', 'not JSON'],
    ['an object instead of a list', '{}', 'the whole'],
    ['an empty list', '[]', 'the whole'],
    ['too many entries', JSON.stringify(Array.from({ length: 9 }, () => entry)), 'the whole'],
    ['another scheme', JSON.stringify([{ ...entry, url: 'ftp://tsa.example/' }]), '0.url'],
    [
      'a user name in the URL',
      JSON.stringify([{ ...entry, url: 'https://a@b.example/' }]),
      '0.url',
    ],
    [
      'a password in the URL',
      JSON.stringify([{ ...entry, url: 'https://:a@b.example/' }]),
      '0.url',
    ],
    ['an unknown member', JSON.stringify([{ ...entry, rootz: 'a' }]), '0'],
    ['a timeout of zero', JSON.stringify([{ ...entry, timeout_ms: 0 }]), '0.timeout_ms'],
    ['an invalid policy', JSON.stringify([{ ...entry, policy: '1.02' }]), '0.policy'],
    ['a missing file of roots', JSON.stringify([entry, { ...entry, roots: 'no.pem' }]), '1.roots'],
    ['an invalid file of roots', JSON.stringify([{ ...entry, roots: 'password' }]), '0.roots'],
    ['a root that is not a CA', JSON.stringify([{ ...entry, roots: 'leaf.pem' }]), '0.roots'],
    ['a user without a password', JSON.stringify([{ ...entry, user: 'us' }]), 'belong together'],
    [
      'a password over http',
      JSON.stringify([{ ...withPassword, url: 'http://tsa.example/' }]),
      'https alone',
    ],
  ])('is refused at start with %s', (_what, text, why) => {
    expect(() => load(text)).toThrow(why);
    expect(() => load(text)).not.toThrow('a secret');
  });
});
