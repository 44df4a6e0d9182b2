import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { masterSecretsOf } from '../../../activities/keys/directory/master-secrets.ts';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { appendToLog } from '../../../activities/transparency/append.ts';
import { openPublicLog } from '../../../activities/transparency/open-log.ts';
import { transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { openCheckpoint } from '../../../domain/transparency/judge-proof.ts';
import { secretVersion } from '../../support/keys/own-secrets.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, dataDir } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());
const clock = (): Date => new Date();
const secret = () => Buffer.alloc(32);
const directory = join(dataDir, 'objects');
const store = createDiskStore({ directory, baseUrl, secret, clock });
const affidavit = {
  affidavit_id: randomIds.make('aff'),
  sha256: randomIds.bytes(32).toString('hex'),
  sealed_at: new Date(),
};

it('a log with another key version starts under a new name with the same entries', async () => {
  const [first, second] = [secretVersion(), secretVersion({ version: 2, secret: randomBytes(32) })];
  const keys = masterSecretsOf([second, { ...first, state: 'revoked', endedAt: clock() }]);
  const opened = (LOG_ORIGIN: string, LOG_SECRET_VERSION: number) => {
    const settings = { BASE_URL: baseUrl, LOG_ORIGIN, LOG_SECRET_VERSION };
    return openPublicLog({ ...settings, LOG_WITNESSES_WANTED: 0 }, { db, store, keys, clock });
  };
  await transaction(db, (tx) => appendToLog(tx, affidavit, clock()));
  const old = opened('closed.example/log', 1);
  const last = await old.newest();
  const next = opened('next.example/log', 2);
  expect(next.key.publicKey.equals(old.key.publicKey)).toBe(false);
  await next.look();
  const begun = await next.newest();
  expect(openCheckpoint(begun.note, next.key)?.size).toBeGreaterThanOrEqual(last.size);
  // Neither key verifies the other log; checkpoints of the old log stay valid under the old key.
  expect(openCheckpoint(begun.note, old.key)).toBeNull();
  expect(openCheckpoint(last.note, old.key)?.size).toBe(last.size);
  expect(() => opened('none.example/log', 3)).toThrow(
    'wrong settings: LOG_SECRET_VERSION: there is no version 3 of the master secret',
  );
});
