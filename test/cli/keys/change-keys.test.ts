import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeKeys, finishKeyChange } from '../../../activities/keys/changes/change-keys.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { renewRootCrl } from '../../../activities/keys/changes/renew-root-crl.ts';
import {
  rotatableKeys,
  currentOf,
  rotateKey,
} from '../../../activities/keys/changes/rotate-keys.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { checkpointKeys } from '../../../activities/transparency/audit/keep-checkpoint.ts';
import { AdminFault, makeAccount } from '../../../cli/admin/admin.ts';
import { compromise, revoke } from '../../../cli/keys/change-keys.ts';
import { listKeys } from '../../../cli/keys/list-keys.ts';
import type { Db } from '../../../db/client.ts';
import { findCrl, listRevoked } from '../../../db/queries/crls.ts';
import { isListed } from '../../../domain/pki/revocation/root-crl.ts';
import { agePublished, rotateInPeace } from '../../support/commands/rotate-in-peace.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { newCertificate } from '../../support/keys/certified.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { certificatesOf, lastAuditedIn, published, userKeys } from './read-key-state.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-keys-'));
const place = join(directory, 'keys');
const baseUrl = 'https://trust.example.test';
const since = '2026-11-01T00:00:00Z';
let db: Db;
let [url, account] = ['', ''];
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
  account = String(await makeAccount(db, { name: 'operator' }, new Date()));
  await createDevPki(place, { now: new Date(), baseUrl });
});
afterAll(async () => {
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

const given = () => ({ dataDir: directory, baseUrl, account });
const kidsOf = (keys: PlatformKeys): Record<string, string> =>
  Object.fromEntries(rotatableKeys.map((name) => [name, currentOf(keys, name).kid]));

describe('a key change', () => {
  it.each(rotatableKeys)('rotates %s and keeps its old key unrevoked', async (name) => {
    const before = loadKeys(place);
    const said = await rotateInPeace(db, given(), name);
    const after = loadKeys(place);
    const leaves = ['seal', 'tsa', 'tokens'];
    const changed = name === 'services-ca' ? [name, ...leaves] : [name];
    for (const each of rotatableKeys) {
      const isSame = kidsOf(before)[each] === kidsOf(after)[each];
      expect([each, isSame]).toEqual([each, !changed.includes(each)]);
    }
    expect(said).toBe(changed.map((each) => `${each} ${kidsOf(after)[each]}`).join('\n'));
    const old = currentOf(before, name);
    if (name !== 'seal' && name !== 'tsa') {
      const key = await published(after, old.kid);
      expect([key?.use, key?.revoked, key?.key_ops]).toEqual(['sig', undefined, undefined]);
    }
    const ca = after.retired.find(({ kid }) => kid === old.kid);
    expect(ca?.signer?.kid).toBe(old.certificate.ca ? old.kid : undefined);
    // The serials of the new leaves were stored, under their CA.
    const serials = changed
      .filter((each) => leaves.includes(each))
      .map((each) => currentOf(after, each as 'seal').certificate.serialNumber.toLowerCase());
    const { rows } = await db.query(
      `SELECT serial FROM certificates WHERE serial = ANY($1) AND issuer_kid = $2
         AND der IS NOT NULL AND kind = 'services' AND revoked_at IS NULL`,
      [serials, after.servicesCa.kid],
    );
    expect(rows).toHaveLength(serials.length);
    expect(await lastAuditedIn(db, account)).toEqual(['key.rotated', 'operator', old.kid]);
  });

  it('revokes a stolen key from the time of the theft, and publishes the revocation', async () => {
    const before = loadKeys(place);
    const { kid, certificate } = before.tokens;
    await compromise(db, { ...given(), name: 'tokens', since }, new Date());
    const after = loadKeys(place);
    expect(after.tokens.kid).not.toBe(kid);
    const key = await published(after, kid);
    expect([key?.use, key?.key_ops]).toEqual([undefined, []]);
    const invalidity_date = Date.parse(since) / 1000;
    expect(key?.revoked).toMatchObject({ reason: 'compromised', invalidity_date });
    const listed = await listRevoked(db, before.servicesCa.kid);
    expect(listed).toEqual([
      expect.objectContaining({
        serial: certificate.serialNumber.toLowerCase(),
        revocation_reason: 'compromised',
        invalidity_date: new Date(since),
      }),
    ]);
    // The CRL that contains it is already signed.
    const crl = await findCrl(db, before.servicesCa.kid);
    expect([crl?.is_stale, isListed(crl?.der ?? Buffer.of(), certificate)]).toEqual([false, true]);
    expect(await lastAuditedIn(db, account)).toEqual(['key.compromised', 'operator', kid]);
  });

  it.each(['people-ca', 'services-ca'] as const)(
    'revokes a stolen %s and everything it issued, and deletes its key',
    async (name) => {
      const before = loadKeys(place);
      const { kid, certificate } = currentOf(before, name);
      const person = await newCertificate(db, before.peopleCa);
      await compromise(db, { ...given(), name, since }, new Date());
      const after = loadKeys(place);
      expect(isListed(after.root.crl ?? Buffer.of(), certificate)).toBe(true);
      expect(isListed(after.root.crl ?? Buffer.of(), currentOf(after, name).certificate)).toBe(
        false,
      );
      expect(after.retired.find((ca) => ca.kid === kid)?.signer).toBeNull();
      // Restores the entry after an older list, signed at the same time, overwrote this one.
      writeFileSync(join(place, 'root.crl'), before.root.crl ?? '');
      expect(await renewRootCrl({ directory: place }, new Date())).toBe(true);
      expect(isListed(loadKeys(place).root.crl ?? Buffer.of(), certificate)).toBe(true);
      expect(await renewRootCrl({ directory: place }, new Date())).toBe(false);
      expect((await published(after, kid))?.key_ops).toEqual([]);
      const { rows } = await db.query(
        'SELECT 1 FROM certificates WHERE issuer_kid = $1 AND revoked_at IS NULL',
        [kid],
      );
      expect(rows).toEqual([]);
      if (name === 'people-ca') {
        const listed = await listRevoked(db, kid);
        expect(listed.map(({ serial }) => serial)).toContain(person.serial);
        // A certificate that a running process issues with the old key is not accepted.
        const late = await newCertificate(db, before.peopleCa);
        const [row] = await certificatesOf(db, late);
        expect(row?.revoked_at).toBeNull();
        expect(await userKeys({ db, keys: after }, row?.poly_user_id, 'good')).toEqual([]);
        const all = await userKeys({ db, keys: after }, row?.poly_user_id, 'all');
        expect(all).toMatchObject([{ kid: late.kid, revoked: { reason: 'unspecified' } }]);
      }
      // The last CRL of the stolen CA stays available.
      const last = await findCrl(db, kid);
      if (name === 'services-ca') {
        // Its token keys are no longer accepted, including those rotated earlier.
        const tokens = after.retiredTokens.filter((key) =>
          key.certificate.checkIssued(certificate),
        );
        expect(tokens.length).toBeGreaterThan(1);
        const listed = await listRevoked(db, kid);
        for (const key of tokens) {
          expect(checkpointKeys(after)(key.kid)).toBeNull();
          const shown = await published(after, key.kid);
          const serial = key.certificate.serialNumber.toLowerCase();
          const row = listed.find((each) => each.serial === serial);
          expect([shown?.key_ops, shown?.revoked?.reason]).toEqual([[], row?.revocation_reason]);
        }
        expect(isListed(last?.der ?? Buffer.of(), before.seal.certificate)).toBe(true);
      }
      expect([last?.is_stale, last?.der?.length]).toEqual([false, expect.any(Number)]);
    },
  );

  it.each([
    [
      'another',
      since,
      'name: must be one of people-ca, services-ca, seal, tsa, tokens, master-secret',
    ],
    ['seal', 'yesterday', '--since: an instant, as 2026-11-23T05:00:00Z'],
    ['seal', '2999-01-01T00:00:00Z', '--since: it is still to come'],
  ])('rejects the compromise of %s since %s', async (name, at, fault) => {
    const before = kidsOf(loadKeys(place));
    const refused = compromise(db, { ...given(), name, since: at }, new Date());
    await expect(refused).rejects.toThrow(fault);
    await expect(
      compromise(db, { ...given(), account: '999999', name: 'seal', since }, new Date()),
    ).rejects.toThrow('there is no account 999999');
    expect(kidsOf(loadKeys(place))).toEqual(before);
  });

  it('changes nothing when the key file cannot be written', async () => {
    // The path has room for the names of keys, but not for the name of a change.
    const names = Array.from({ length: 30 }, () => 'd'.repeat(200));
    const dataDir = join(directory, ...names).slice(0, 4074 - '/keys'.length);
    const far = join(dataDir, 'keys');
    mkdirSync(far, { recursive: true });
    for (const name of readdirSync(place).filter((each) => each.includes('.'))) {
      copyFileSync(join(place, name), join(far, name));
    }
    const audited = await lastAuditedIn(db, account);
    const refused = compromise(db, { ...given(), dataDir, name: 'seal', since }, new Date());
    await expect(refused).rejects.toThrow(
      `${far}: cannot be written (ENAMETOOLONG); no key was changed`,
    );
    await expect(refused).rejects.toBeInstanceOf(AdminFault);
    expect(await lastAuditedIn(db, account)).toEqual(audited);
    const { serialNumber } = loadKeys(far).seal.certificate;
    const { rows } = await db.query(
      'SELECT 1 FROM certificates WHERE serial = $1 AND revoked_at IS NOT NULL',
      [serialNumber.toLowerCase()],
    );
    expect(rows).toEqual([]);
  });

  it('changes nothing when the root key for a new CA is missing', async () => {
    const path = join(place, 'root.key.pem');
    renameSync(path, `${path}.away`);
    const before = loadKeys(place);
    const refused = compromise(db, { ...given(), name: 'people-ca', since }, new Date());
    await expect(refused).rejects.toThrow('root.key.pem: does not exist');
    renameSync(`${path}.away`, path);
    expect(kidsOf(loadKeys(place))).toEqual(kidsOf(before));
    expect(await listRevoked(db, before.peopleCa.kid)).toEqual([]);
  });
});

it('leaves the old or the new keys when killed at any point, and is finished later', async () => {
  const before = loadKeys(place);
  const { files } = await rotateKey(
    { place: { directory: place }, keys: before, now: new Date(), baseUrl, mark: null, on: db },
    'services-ca',
  );
  // Unfinished changes do not count, however complete they are.
  const aside = join(place, 'pending.0123.tmp');
  for (const [name, content] of files) {
    mkdirSync(dirname(join(aside, name)), { recursive: true });
    writeFileSync(join(aside, name), content, { mode: 0o600 });
    expect(kidsOf(loadKeys(place))).toEqual(kidsOf(before));
  }
  // The change counts after the old services CA was read and before the certificate of the seal is
  // read. Until then a pipe in place of the secret blocks the read.
  const secret = join(place, 'master.secret');
  renameSync(secret, `${secret}.real`);
  const script = `mkfifo -m 600 $0; (exec 3>$0; mv ${aside} ${join(place, 'pending')}
    mv $0.real $0; cat $0 >&3) >/dev/null 2>&1 &`;
  execFileSync('sh', ['-c', script, secret]);
  const after = kidsOf(loadKeys(place));
  expect(after['seal']).not.toBe(kidsOf(before)['seal']);
  expect(after['people-ca']).toBe(kidsOf(before)['people-ca']);
  const moved = [...files.keys()].toSorted((a, b) => b.split('/').length - a.split('/').length);
  for (const name of moved.slice(0, -1)) {
    renameSync(join(place, 'pending', name), join(place, name));
    const keys = loadKeys(place);
    expect([name, kidsOf(keys)]).toEqual([name, after]);
    expect(keys.retired.map(({ kid }) => kid)).toContain(before.servicesCa.kid);
  }
  await finishKeyChange(place);
  expect(existsSync(join(place, 'pending'))).toBe(false);
  expect(kidsOf(loadKeys(place))).toEqual(after);
  // A change first finishes the pending one, and discards one that never counted.
  mkdirSync(join(place, 'pending'));
  mkdirSync(join(place, 'pending.4567.tmp'));
  writeFileSync(join(place, 'pending', 'left.txt'), 'left');
  await changeKeys(place, new Map([['more.txt', randomBytes(4)]]));
  for (const name of ['left.txt', 'more.txt']) expect(existsSync(join(place, name))).toBe(true);
  expect(existsSync(join(place, 'pending.4567.tmp'))).toBe(false);
  // Files that it did not move itself belong to a later change, and stay.
  const since = join(place, 'pending', 'retired');
  mkdirSync(since, { recursive: true });
  writeFileSync(join(since, 'retired'), 'since');
  await finishKeyChange(place);
  expect(readFileSync(join(since, 'retired'), 'utf8')).toBe('since');
  rmSync(join(place, 'pending'), { recursive: true });
});

it('works with the commands of docs/operate/keys.md', async () => {
  const serial = loadKeys(place).tsa.certificate.serialNumber.toLowerCase();
  const page = readFileSync(new URL('../../../docs/operate/keys.md', import.meta.url), 'utf8');
  const guide = page.replaceAll('SERIAL', serial).replaceAll('account 1', `account ${account}`);
  const commands = guide.match(/(?<=^npx trustcheck )admin keys [^#\n]+/gm) ?? [];
  expect(commands.length).toBeGreaterThanOrEqual(5);
  const env = { MIGRATIONS_DATABASE_URL: url, BASE_URL: baseUrl };
  for (const command of commands) {
    const run = await commandHere(directory, command.trim().split(/\s+/), env);
    expect([command, run.code, run.stderr]).toEqual([command, 0, '']);
    expect(run.stdout).not.toBe('');
    if (command.includes('publish')) agePublished(place);
  }
  const listed = JSON.parse(await listKeys(db, directory)) as { serial: string; state: string }[];
  expect(listed).toContainEqual(expect.objectContaining({ serial, state: 'revoked' }));
  const again = revoke(db, { ...given(), serial, reason: 'superseded' }, new Date());
  await expect(again).rejects.toThrow('no such certificate, or revoked already');
}, 300_000);
