import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyKeys } from '../../../activities/keys/changes/copy-keys.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { heldKeys } from '../../../activities/keys/directory/held-keys.ts';
import {
  NotForProduction,
  refuseDevelopment,
} from '../../../activities/keys/directory/production-faults.ts';
import type { Db } from '../../../db/client.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { createDatabase, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-production-'));
const now = new Date();
const baseUrl = 'https://trust.example.test';
const passphrase = 'a passphrase that is kept elsewhere';
const production = {
  PROFILE: 'production',
  MASTER_KEY: `m1:${Buffer.alloc(32, 7).toString('base64')}`,
  CODEC_KEY: `c1:${Buffer.alloc(32, 8).toString('base64')}`,
} as const;
const clean = { directory: join(directory, 'clean'), passphrase };
const development = { directory: join(directory, 'development') };
let db: Db;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  await createDevPki(clean.directory, { now, baseUrl, passphrase, rootName: 'Example root' });
  renameSync(join(clean.directory, 'root.key.pem'), join(directory, 'root.key.pem'));
  await createDevPki(development.directory, { now, baseUrl });
});
afterAll(async () => {
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns the lines of the refusal, or none when production would start. */
const linesOf = (...given: Parameters<typeof refuseDevelopment>): Promise<string[]> =>
  refuseDevelopment(...given).then(
    () => [],
    (error: unknown) => {
      expect(error).toBeInstanceOf(NotForProduction);
      return String(Object(error).message).split('\n');
    },
  );

/** @returns the path */
function writeFile(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

describe('production', () => {
  it('starts with its own keys, and with root and passphrase stored elsewhere', async () => {
    expect(await linesOf(production, clean, db)).toEqual([]);
  });

  it('names each development file in the key directory, one per line', async () => {
    const at = development.directory;
    expect(await linesOf(production, development, db)).toEqual([
      `${at}: these keys were made for development; make new ones for production`,
      `${join(at, 'root.key.pem')}: beside the keys lies the key of the root; keep it offline`,
      `${join(at, 'passphrase.secret')}: beside the keys lies the passphrase of the key files; ` +
        'set KEYS_PASSPHRASE instead',
    ]);
    expect(await linesOf({ ...production, PROFILE: 'development' }, development, db)).toEqual([]);
  });

  it.each([
    ['root.key.pem', 'the key of the root; keep it offline'],
    ['passphrase.secret', 'the passphrase of the key files; set KEYS_PASSPHRASE instead'],
  ])('refuses %s beside production keys', async (file, what) => {
    const path = join(clean.directory, file);
    writeFileSync(path, 'anything');
    expect(await linesOf(production, clean, db)).toEqual([`${path}: beside the keys lies ${what}`]);
    rmSync(path);
  });

  it('refuses an API beside private keys that it does not use, and names each', async () => {
    const { directory: all } = clean;
    const refusalOf = (path: string): string =>
      `${path}: this process does not use this private key; ` +
      'remove it, or make a directory for an API by admin keys copy-for-api';
    const unused = ['people-ca', 'seal', 'services-ca', 'tsa'];
    expect(await linesOf(production, { ...clean, holds: heldKeys.api }, db)).toEqual(
      unused.map((name) => refusalOf(join(all, `${name}.key.pem`))),
    );
    const part = { directory: join(directory, 'api'), passphrase, holds: heldKeys.api };
    await copyKeys(all, part.directory, heldKeys.api);
    expect(await linesOf(production, part, db)).toEqual([]);
    const pem = readFileSync(join(all, 'seal.key.pem'));
    const added = ['next/tsa.key.pem', 'old/tokens.key.pem', 'retired/ca.key.pem', 'seal.pem~'];
    for (const name of added) writeFile(part.directory, name, pem);
    writeFile(part.directory, 'tsa.key.pem', 'awskms:///arn:aws:kms:eu-west-1:1:key/2');
    // The next token key signs soon, and an interrupted change is no fault.
    writeFile(part.directory, 'next/tokens.key.pem', pem);
    writeFile(part.directory, 'pending.0a1b.tmp/tokens.key.pem', pem);
    const names = [...added, 'tsa.key.pem'];
    expect(await linesOf(production, part, db)).toEqual(
      names.map((name) => refusalOf(join(part.directory, name))),
    );
    expect(await linesOf({ ...production, PROFILE: 'development' }, part, db)).toEqual([]);
  });

  it('refuses a worker beside an unknown private key, and accepts those that it uses', async () => {
    const worker = { ...clean, holds: heldKeys.worker };
    writeFile(clean.directory, 'retired/ca.key.pem', 'anything');
    expect(await linesOf(production, worker, db)).toEqual([]);
    const path = writeFile(clean.directory, 'seal-2025.key.pem', 'anything');
    expect(await linesOf(production, worker, db)).toEqual([
      expect.stringContaining(`${path}: this process does not use this private key`),
    ]);
    for (const each of [path, join(clean.directory, 'retired')]) rmSync(each, { recursive: true });
  });

  it('refuses keys derived from the key directory, one per line', async () => {
    const derived = { MASTER_KEY: 'k1:master', CODEC_KEY: 'k1:master' };
    expect(await linesOf({ ...production, ...derived }, clean, db)).toEqual([
      'MASTER_KEY: required in production; it wraps the keys of all sealed data',
      'CODEC_KEY: required in production; it encrypts the payloads of workflows',
    ]);
  });

  it('refuses a database with phones of a simulator', async () => {
    await enrolledPhone();
    const used = openTestDb(ownPlatform().databaseUrl);
    try {
      expect(await linesOf(production, clean, used)).toEqual([
        'database: phones were enrolled by a simulator in development; use a database of its own',
      ]);
    } finally {
      await used.end();
    }
  });
});
