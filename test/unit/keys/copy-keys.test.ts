import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { copyKeys } from '../../../activities/keys/changes/copy-keys.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { heldKeys } from '../../../activities/keys/directory/held-keys.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { followApiKeys } from '../../../cli/keys/copy-api-keys.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-copy-'));
const from = join(directory, 'data', 'keys');
const passphrase = 'a passphrase of the test';
const at = (...names: string[]): string => join(directory, ...names);

beforeAll(async () => {
  mkdirSync(at('data'));
  await createDevPki(from, { now: new Date(), baseUrl: 'https://trust.example.test', passphrase });
  mkdirSync(join(from, 'retired'), { recursive: true });
  for (const ending of ['cer.pem', 'key.pem']) {
    copyFileSync(join(from, `people-ca.${ending}`), join(from, 'retired', `people-1.${ending}`));
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const privateKeysIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.key.pem'))
    .toSorted();

it('copyKeys omits private keys that the process does not hold, and the root’s', async () => {
  await copyKeys(from, at('api'), heldKeys.api);
  expect(privateKeysIn(at('api'))).toEqual(['tokens.key.pem']);
  const keys = loadKeys({ directory: at('api'), passphrase, holds: heldKeys.api });
  const bytes = Buffer.from('signed');
  expect((await keys.tokens.sign(bytes)).length).toBeGreaterThan(60);
  await expect(keys.peopleCa.sign(bytes)).rejects.toThrow('does not hold its key');
  expect(keys.retired.map(({ signer }) => signer)).toEqual([null]);
  expect(statSync(at('api', 'tokens.key.pem')).mode & 0o077).toBe(0);
  await copyKeys(from, at('worker'), heldKeys.worker);
  expect(privateKeysIn(at('worker'))).not.toContain('root.key.pem');
  expect(privateKeysIn(at('worker'))).toHaveLength(6);
  loadKeys({ directory: at('worker'), passphrase, holds: heldKeys.worker });
});

it('followApiKeys copies changes when API_KEYS_DIR is set, and removes deleted files', async () => {
  rmSync(join(from, 'retired'), { recursive: true });
  vi.stubEnv('API_KEYS_DIR', at('api'));
  try {
    expect(await followApiKeys(at('data'), 1)).toBe(1);
    expect(readdirSync(at('api', 'retired'))).toEqual(['people-1.cer.pem']);
    expect(await followApiKeys(at('data'), 0)).toBe(0);
    expect(readdirSync(at('api', 'retired'))).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
  }
});
