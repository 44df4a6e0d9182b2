import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevPki } from '../../../activities/certificates/dev-pki.ts';
import {
  NotForProduction,
  refuseDevelopment,
} from '../../../activities/certificates/production-faults.ts';
import type { Db } from '../../../db/client.ts';
import { createDatabase, openTestDb } from '../../harness.ts';
import { ownPlatform } from '../../own-platform.ts';
import { enrolledPhone } from '../../phone.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-production-'));
const now = new Date();
const baseUrl = 'https://trust.example.test';
const passphrase = 'a passphrase that is kept elsewhere';
const production = {
  PROFILE: 'production',
  MASTER_KEY: `m1:${Buffer.alloc(32, 7).toString('base64')}`,
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

/** The lines of a refusal; none where it starts. */
const linesOf = (...given: Parameters<typeof refuseDevelopment>): Promise<string[]> =>
  refuseDevelopment(...given).then(
    () => [],
    (error: unknown) => {
      expect(error).toBeInstanceOf(NotForProduction);
      return String(Object(error).message).split('\n');
    },
  );

describe('production', () => {
  it('starts with keys of its own, the root and the passphrase elsewhere', async () => {
    expect(await linesOf(production, clean, db)).toEqual([]);
  });

  it('names everything that development left in the key directory, a line each', async () => {
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
  ])('refuses %s beside good keys', async (file, what) => {
    const path = join(clean.directory, file);
    writeFileSync(path, 'anything');
    expect(await linesOf(production, clean, db)).toEqual([`${path}: beside the keys lies ${what}`]);
    rmSync(path);
  });

  it('refuses to wrap data keys by what lies in the key directory', async () => {
    expect(await linesOf({ ...production, MASTER_KEY: 'k1:master' }, clean, db)).toEqual([
      'MASTER_KEY: required in production; it wraps the keys of all sealed data',
    ]);
  });

  it('refuses a database with phones that a simulator enrolled', async () => {
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
