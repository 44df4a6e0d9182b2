import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { validationDataOf } from '../../../activities/affidavit/validation-data.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { rotatableKeys } from '../../../activities/keys/changes/rotate-keys.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { makeAccount } from '../../../cli/admin/admin.ts';
import { compromise } from '../../../cli/keys/change-keys.ts';
import { signRootList } from '../../../cli/keys/sign-root-list.ts';
import type { Db } from '../../../db/client.ts';
import { isListed, rootListEndsAt } from '../../../domain/pki/revocation/root-crl.ts';
import { rootCrlNumberOf } from '../../../domain/pki/revocation/sign-root-crl.ts';
import { rotateInPeace } from '../../support/commands/rotate-in-peace.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-root-list-'));
const place = join(directory, 'keys');
let db: Db;
let drop: () => Promise<void>;
beforeAll(async () => {
  await createDevPki(place, { now: new Date(), baseUrl: 'https://trust.example.test' });
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
});
afterAll(async () => {
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

const listNumber = (): number => rootCrlNumberOf(loadKeys(place).root.crl ?? new Uint8Array());
const rising = (numbers: readonly number[]): number[] =>
  [...new Set(numbers)].toSorted((a, b) => a - b);

/** Returns the CAs on the list of the root, by serial number. */
const listedBy = ({ root: { crl }, retired }: PlatformKeys): string[] =>
  retired.flatMap(({ certificate }) =>
    crl && isListed(crl, certificate) ? [certificate.serialNumber] : [],
  );

it.each(rotatableKeys)(
  'archiving works right after %s was replaced, because its lists are newer than the keys',
  async (name) => {
    const account = String(await makeAccount(db, { name: 'operator' }, new Date()));
    const baseUrl = 'https://trust.example.test';
    const given = { dataDir: directory, baseUrl, account, name };
    const numbers = [listNumber()];
    await rotateInPeace(db, given, name);
    expect((await validationDataOf(db, loadKeys(place), new Date()))?.crls).toHaveLength(2);
    numbers.push(listNumber());
    await compromise(db, { ...given, since: '2026-11-01T00:00:00Z' }, new Date());
    expect((await validationDataOf(db, loadKeys(place), new Date()))?.crls).toHaveLength(2);
    numbers.push(listNumber());
    // Each list has its own number, even within one second (RFC 5280 §5.2.3).
    const same = numbers.map(() => numbers[0]);
    expect(numbers).toEqual(name.endsWith('-ca') ? rising(numbers) : same);
  },
);

it('the root list is renewed by command before it expires, and only with the root key', async () => {
  const inHalfYear = new Date(Date.now() + 181 * 24 * 3600_000);
  const before = loadKeys(place);
  expect(await validationDataOf(db, before, inHalfYear)).toBeNull();
  const path = join(place, 'root.key.pem');
  renameSync(path, `${path}.away`);
  const refused = signRootList(db, directory, inHalfYear);
  await expect(refused).rejects.toThrow('root.key.pem: does not exist');
  renameSync(`${path}.away`, path);
  expect(loadKeys(place).root.crl).toEqual(before.root.crl);
  const until = await signRootList(db, directory, inHalfYear);
  const after = loadKeys(place);
  expect(rootListEndsAt(after)?.toISOString()).toBe(until);
  expect(Date.parse(until)).toBeGreaterThan(inHalfYear.getTime());
  expect((await validationDataOf(db, after, inHalfYear))?.crls).toHaveLength(2);
  // Revoked certificates stay on the list.
  expect(listedBy(before)).not.toEqual([]);
  expect(listedBy(after)).toEqual(listedBy(before));
});
