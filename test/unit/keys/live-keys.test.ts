import { randomBytes } from 'node:crypto';
import fs, {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { masterSecretFile, retiredFolder } from '../../../activities/keys/directory/key-files.ts';
import { openKeys, type LiveKeys } from '../../../activities/keys/directory/live-keys.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-live-'));
const good = join(directory, 'good');
const log = { info: vi.fn(), error: vi.fn() };

beforeAll(() => createDevPki(good, { now: new Date(), baseUrl: 'https://trust.example.test' }));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const copyOf = (name: string): string => {
  const place = join(directory, name);
  cpSync(good, place, { recursive: true });
  return place;
};
const secretOf = (keys: LiveKeys): string => keys.secret('link-token').toString('hex');
const newSecret = (): string => randomBytes(32).toString('hex');

/** Returns the secret of the keys after the next check of the files is due. */
async function secretAfterLook(keys: LiveKeys): Promise<string> {
  await sleep(150);
  return secretOf(keys);
}

/** Makes every file read fail as a broken disk does. Returns a function that ends this. */
function failReads(): () => void {
  const { readFileSync } = fs;
  fs.readFileSync = () => {
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  };
  syncBuiltinESMExports();
  return () => {
    fs.readFileSync = readFileSync;
    syncBuiltinESMExports();
  };
}

describe('keys of a running process', () => {
  it('follow a file that is rewritten in place, without a change of its folder', async () => {
    const place = copyOf('in-place');
    const keys = openKeys({ directory: place }, log);
    const [before, folderTime] = [secretOf(keys), statSync(place).ctimeMs];
    writeFileSync(join(place, masterSecretFile), newSecret());
    expect(statSync(place).ctimeMs).toBe(folderTime);
    expect(await secretAfterLook(keys)).not.toBe(before);
  });

  it('follow a symbolic link that moves to another folder', async () => {
    const place = join(directory, 'mounted');
    const versions = ['..first', '..second'].map((name) => join(place, name));
    mkdirSync(place);
    for (const version of versions) cpSync(good, version, { recursive: true });
    writeFileSync(join(versions[1] ?? '', masterSecretFile), newSecret());
    symlinkSync('..first', join(place, '..data'));
    const files = readdirSync(good, { withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { name } of files) symlinkSync(join('..data', name), join(place, name));
    const keys = openKeys({ directory: place }, log);
    const before = secretOf(keys);
    symlinkSync('..second', join(place, '..data_tmp'));
    renameSync(join(place, '..data_tmp'), join(place, '..data'));
    expect(await secretAfterLook(keys)).not.toBe(before);
  });

  it('follow a symbolic link to a file outside of the directory', async () => {
    const place = copyOf('linked');
    const mount = join(directory, 'mount');
    mkdirSync(mount);
    const [kept, path] = [join(mount, masterSecretFile), join(place, masterSecretFile)];
    renameSync(path, kept);
    symlinkSync(kept, path);
    const keys = openKeys({ directory: place }, log);
    const before = secretOf(keys);
    writeFileSync(join(mount, 'new'), newSecret(), { mode: 0o600 });
    renameSync(join(mount, 'new'), kept);
    expect(await secretAfterLook(keys)).not.toBe(before);
  });

  it('stay unchanged with one log line while the directory is missing', async () => {
    const place = copyOf('gone');
    const keys = openKeys({ directory: place }, log);
    const before = secretOf(keys);
    log.error.mockClear();
    renameSync(place, `${place}-elsewhere`);
    expect(await secretAfterLook(keys)).toBe(before);
    expect(await secretAfterLook(keys)).toBe(before);
    expect(log.error).toHaveBeenCalledTimes(1);
    renameSync(`${place}-elsewhere`, place);
    writeFileSync(join(place, masterSecretFile), newSecret());
    expect(await secretAfterLook(keys)).not.toBe(before);
  });

  it('are loaded after a failed disk recovers, although no file has changed since', async () => {
    const place = copyOf('failing');
    const keys = openKeys({ directory: place }, log);
    const before = secretOf(keys);
    writeFileSync(join(place, masterSecretFile), newSecret());
    log.error.mockClear();
    const end = failReads();
    try {
      expect(await secretAfterLook(keys)).toBe(before);
      expect(await secretAfterLook(keys)).toBe(before);
      expect(log.error).toHaveBeenCalledTimes(1);
    } finally {
      end();
    }
    await vi.waitFor(() => expect(secretOf(keys)).not.toBe(before), 5_000);
  });

  it('are not reloaded while no file changes', async () => {
    const place = copyOf('quiet');
    mkdirSync(join(place, retiredFolder), { recursive: true });
    const keys = openKeys({ directory: place }, log);
    const { loaded } = keys;
    await sleep(150);
    expect(keys.loaded).toBe(loaded);
  });
});
