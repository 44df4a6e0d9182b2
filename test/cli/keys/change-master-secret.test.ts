import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { openKeys, watchStolenKeys } from '../../../activities/keys/directory/live-keys.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { makeAccount } from '../../../cli/admin/admin.ts';
import { publishedMsMin } from '../../../cli/keys/change-keys.ts';
import {
  compromiseMasterSecret,
  publishMasterSecret,
  removeMasterSecret,
  rotateMasterSecret,
} from '../../../cli/keys/change-master-secret.ts';
import { listKeys } from '../../../cli/keys/list-keys.ts';
import type { Db } from '../../../db/client.ts';
import { derivedId } from '../../../db/ids.ts';
import { longestOverlapMs } from '../../../domain/secret-purposes.ts';
import { pairToken, readPairToken } from '../../../domain/tokens/pair-token.ts';
import { agePublished } from '../../support/commands/rotate-in-peace.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { lastAuditedIn } from './read-key-state.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-master-'));
const place = join(directory, 'keys');
const session = { linkSessionId: derivedId('tc', 'session'), generation: 1 };
const since = '2026-11-01T00:00:00Z';
const log = { info: vi.fn(), error: vi.fn(), warn: vi.fn() };
let db: Db;
let drop: () => Promise<void>;
let account: string;

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  account = String(await makeAccount(db, { name: 'operator' }, new Date()));
  await createDevPki(place, { now: new Date(), baseUrl: 'https://trust.example.test' });
});
afterAll(async () => {
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

const given = () => ({ dataDir: directory, account });
const statesOf = (at = place) =>
  loadKeys(at).secretVersions.map(({ version, state }) => `${version} ${state}`);

async function rotateInPeace(): Promise<string> {
  await publishMasterSecret(db, given(), new Date());
  agePublished(place);
  return rotateMasterSecret(db, given(), new Date());
}

/** Backdates the retirement of a version, so that none of its values is accepted. */
function ageRetired(version: number): void {
  const retired_at = new Date(Date.now() - longestOverlapMs);
  writeFileSync(
    join(place, 'retired', `master-${version}.retired.json`),
    JSON.stringify({ retired_at }),
  );
}

describe('the master secret', () => {
  it('is published, then rotated, and each step is refused out of order', async () => {
    await expect(rotateMasterSecret(db, given(), new Date())).rejects.toThrow(
      'master-secret: its next version is not published; run admin keys publish master-secret first',
    );
    const now = new Date();
    await publishMasterSecret(db, given(), now);
    expect(statesOf()).toEqual(['1 current', '2 next']);
    await expect(publishMasterSecret(db, given(), now)).rejects.toThrow(
      'master-secret: the next version is published already; rotate it first',
    );
    const dueAt = new Date(now.getTime() + publishedMsMin);
    await expect(rotateMasterSecret(db, given(), new Date(dueAt.getTime() - 1))).rejects.toThrow(
      `rotate after ${dueAt.toISOString()}`,
    );
    const [old] = loadKeys(place).secretVersions;
    const said = await rotateMasterSecret(db, given(), dueAt);
    expect(statesOf()).toEqual(['2 current', '1 retired']);
    expect(said).toBe(`master-secret 2 ${loadKeys(place).secretVersions[0]?.id}`);
    expect(await lastAuditedIn(db, account)).toEqual(['key.rotated', 'operator', old?.id]);
    expect(existsSync(join(place, 'next', 'master.secret'))).toBe(false);
  });

  it('is reloaded by a running process, which accepts values of the old version', async () => {
    const live = openKeys({ directory: place }, log);
    const tokens = [pairToken(live.secret('pair-token'), session)];
    const accepts = (): boolean[] =>
      tokens.map((token) => {
        const secrets = live.acceptedSecrets('pair-token', new Date());
        return readPairToken(secrets, token)?.linkSessionId === session.linkSessionId;
      });
    const version = live.secretVersion;
    await rotateInPeace();
    await vi.waitFor(() => expect(live.secretVersion).toBe(version + 1));
    tokens.push(pairToken(live.secret('pair-token'), session));
    expect(tokens[0]).not.toBe(tokens[1]);
    expect(accepts()).toEqual([true, true]);
    await compromiseMasterSecret(db, { ...given(), since }, new Date());
    await vi.waitFor(() => expect(accepts()).toEqual([true, false]));
  });

  it('is refused within seconds after its theft by a process with old key files', async () => {
    await publishMasterSecret(db, given(), new Date());
    const copy = join(directory, 'copy');
    cpSync(place, copy, { recursive: true });
    const live = openKeys({ directory: copy }, log);
    const token = pairToken(live.secret('pair-token'), session);
    const blind = live.secret('blind-index');
    const stop = await watchStolenKeys(db, live, log);
    try {
      await compromiseMasterSecret(db, { ...given(), since }, new Date());
      const read = () => readPairToken(live.acceptedSecrets('pair-token', new Date()), token);
      await vi.waitFor(() => expect(read()).toBeNull(), 5_000);
      expect(() => live.secret('pair-token')).toThrow(
        expect.objectContaining({ code: 'dependency_unavailable' }),
      );
      expect(live.secret('blind-index')).toEqual(blind);
    } finally {
      stop();
    }
    // The published version is discarded too, and its number is not used again.
    const [current] = loadKeys(place).secretVersions;
    expect(statesOf().filter((state) => state.endsWith('next'))).toEqual([]);
    expect(statesOf(copy)).toContain(`${(current?.version ?? 0) - 1} next`);
  });

  it('is refused from the start after its theft by a process with old key files', async () => {
    const copy = join(directory, 'copy-before-start');
    cpSync(place, copy, { recursive: true });
    await compromiseMasterSecret(db, { ...given(), since }, new Date());
    const live = openKeys({ directory: copy }, log);
    const token = pairToken(loadKeys(copy).secret('pair-token'), session);
    const stop = await watchStolenKeys(db, live, log);
    try {
      const accepted = live.acceptedSecrets('pair-token', new Date());
      expect(readPairToken(accepted, token)).toBeNull();
    } finally {
      stop();
    }
  });

  it('stays in use in named places after the theft of the first version', async () => {
    const place1 = join(directory, 'first', 'keys');
    await createDevPki(place1, { now: new Date(), baseUrl: 'https://trust.example.test' });
    const at = { dataDir: join(directory, 'first'), account, since };
    const said = await compromiseMasterSecret(db, at, new Date());
    const [made, ...pins] = said.split('\n');
    expect(made).toBe(`master-secret 2 ${loadKeys(place1).secretVersions[0]?.id}`);
    expect(pins).toEqual([
      'version 1 stays in use: the key of the public log (set LOG_ORIGIN and LOG_SECRET_VERSION for a new log)',
      'version 1 stays in use: the index by which addresses and names are found (it has no rotation)',
      'version 1 stays in use: data keys under k1, 0 so far (set MASTER_KEY and run keys rewrap)',
      'version 1 stays in use: payloads of workflows under k1 (set CODEC_KEY)',
    ]);
  });
});

describe('a version of the master secret', () => {
  const remove = (version: number) =>
    removeMasterSecret(db, { ...given(), version: String(version) }, new Date());

  it('is not removed while it is current, pinned or accepted', async () => {
    await rotateInPeace();
    const [current, retired] = loadKeys(place).secretVersions.map(({ version }) => version);
    if (!current || !retired) throw new Error('no versions');
    await expect(remove(current)).rejects.toThrow(
      `master-secret: version ${current} is current; only a retired one is removed`,
    );
    await expect(remove(99)).rejects.toThrow('master-secret: there is no version 99');
    await expect(remove(retired)).rejects.toThrow(/values of version \d+ are accepted until 20/);
    ageRetired(1);
    await expect(remove(1)).rejects.toThrow(/^master-secret: version 1 is pinned: the key of/);
    vi.stubEnv('LOG_SECRET_VERSION', String(retired));
    ageRetired(retired);
    await expect(remove(retired)).rejects.toThrow(`version ${retired} is pinned: the key of the`);
    vi.unstubAllEnvs();
    expect(await remove(retired)).toBe(`master-secret ${retired}`);
    expect(statesOf().some((state) => state.startsWith(`${retired} `))).toBe(false);
    expect(await lastAuditedIn(db, account)).toEqual([
      'key.removed',
      'operator',
      expect.any(String),
    ]);
  });

  it('is listed with its state and its pins', async () => {
    const listed = JSON.parse(await listKeys(db, directory)) as Record<string, unknown>[];
    const rows = listed.filter(({ name }) => name === 'master-secret');
    expect(rows[0]).toMatchObject({ state: 'current', held_in: 'file', pinned_by: [] });
    expect(rows.at(-1)).toMatchObject({ version: 1, state: 'retired' });
    expect(rows.at(-1)?.['pinned_by']).toHaveLength(4);
    const secrets = loadKeys(place).secretVersions.map(({ secret }) => secret.toString('hex'));
    for (const secret of secrets) expect(JSON.stringify(listed)).not.toContain(secret);
  });

  it.each([
    ['is no secret', 'next/master.secret', 'x', 'not 32 bytes of hex'],
    ['is the secret of another', 'next/master.secret', null, 'have one number or one secret'],
    ['does not say when it retired', 'retired/master-1.retired.json', '{}', 'does not say when'],
  ])('is refused at start when it %s', (_what, file, content, message) => {
    const copy = join(directory, `spoilt-${file.length}-${String(content)}`);
    cpSync(place, copy, { recursive: true });
    const same = `99:${readFileSync(join(copy, 'master.secret'), 'utf8').split(':').at(-1)}`;
    writeFileSync(
      join(copy, 'next/master.published.json'),
      JSON.stringify({ published_at: since }),
    );
    writeFileSync(join(copy, file), content ?? same, { mode: 0o600 });
    expect(() => loadKeys(copy)).toThrow(message);
  });

  it('is refused at start when readable by others or when the first version is missing', () => {
    const open = join(directory, 'open');
    cpSync(place, open, { recursive: true });
    const path = join(open, 'retired', 'master-1.secret');
    const secret = readFileSync(path);
    rmSync(path);
    expect(() => loadKeys(open)).toThrow('retired/master-1.secret: does not exist');
    writeFileSync(path, secret, { mode: 0o644 });
    expect(() => loadKeys(open)).toThrow('open to others than its owner');
  });
});
