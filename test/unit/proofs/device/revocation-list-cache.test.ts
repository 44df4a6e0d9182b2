import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { masterSecretsOf } from '../../../../activities/keys/directory/master-secrets.ts';
import {
  copyOf,
  createRevocationListCache,
} from '../../../../activities/proofs/device/google/revocation-list-cache.ts';
import { createRevocationList } from '../../../../activities/proofs/device/google/revocation-list.ts';
import { createDiskStore } from '../../../../activities/storage/disk.ts';
import { createPublishedLists } from '../../../../activities/vendors/published-lists.ts';
import { at } from '../../../support/fixtures/devices/android-fixtures.ts';
import { ownSecrets, secretVersion } from '../../../support/keys/own-secrets.ts';
import { eventually } from '../../../support/platform/harness.ts';
import {
  startAndroidStatus,
  type AndroidStatusStandIn,
} from '../../../support/stand-ins/phones/android-status.ts';

const minuteMs = 60_000;
const weekMs = 7 * 24 * 3600_000;
const revoked = { status: 'REVOKED' };
const down = { code: 'dependency_unavailable' };
const keys = ownSecrets();
let status: AndroidStatusStandIn;
let directory = '';
let now = at;
let said: string[] = [];

beforeEach(async () => {
  [now, said] = [at, []];
  status = await startAndroidStatus();
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-held-'));
});
afterEach(async () => {
  await status.stop();
  await rm(directory, { recursive: true, force: true });
});

const clock = (): Date => now;
const later = (ms: number): void => void (now = new Date(now.getTime() + ms));
const publisherOf = () =>
  createRevocationList({ fetch, url: status.listUrl, clock, ageMaxMs: weekMs });

/** The list of a process, and the scheduled refresh. */
function open(by = keys) {
  const store = createDiskStore({
    directory,
    baseUrl: 'http://127.0.0.1',
    secret: () => Buffer.alloc(32),
    clock,
  });
  const lists = createPublishedLists(store);
  const list = createRevocationListCache({
    lists,
    url: status.listUrl,
    keys: by,
    publisher: publisherOf(),
    clock,
    ageMaxMs: weekMs,
    log: { warn: (...line: unknown[]) => void said.push(String(line.at(-1))) },
  });
  const held = async () => [...(await list.current()).list.entries.keys()];
  return {
    held,
    ageMs: () => list.ageMs(),
    fetched: async (secret: Uint8Array = by.secret('key-status')) => {
      const published = await publisherOf().current();
      await lists.keep(status.listUrl, copyOf(published, secret));
    },
    spoil: () => lists.keep(status.listUrl, Buffer.from('no list')),
  };
}

describe('the cached revocation list', () => {
  it('is the one that the schedule stored, without further requests to the publisher', async () => {
    status.publish({ c0ffee: revoked });
    const { fetched, held } = open();
    await fetched();
    expect(await Promise.all([held(), held()])).toEqual([['c0ffee'], ['c0ffee']]);
    expect(status.requests).toHaveLength(1);
  });

  it('is accepted after a rotation of the master secret, but not under a stolen version', async () => {
    status.publish({ c0ffee: revoked });
    await open().fetched();
    status.publish({});
    const second = secretVersion({ version: 2, secret: Buffer.alloc(32, 2) });
    const first = secretVersion({ state: 'retired', endedAt: at });
    expect(await open(masterSecretsOf([second, first])).held()).toEqual(['c0ffee']);
    const stolen = secretVersion({ state: 'revoked', endedAt: at });
    expect(await open(masterSecretsOf([second, stolen])).held()).toEqual([]);
    expect(said).toEqual(['the kept revocation list of Android keys cannot be used']);
  });

  it('is reloaded after ten minutes, in the background', async () => {
    const { fetched, held } = open();
    await fetched();
    expect(await held()).toEqual([]);
    status.publish({ c0ffee: revoked });
    await fetched();
    later(10 * minuteMs - 1);
    expect([await held(), await held()]).toEqual([[], []]);
    later(1);
    expect(await held()).toEqual([]);
    await eventually('the new one', async () => (await held()).join() === 'c0ffee');
  });

  it('is fetched from the publisher while the schedule has stored none', async () => {
    status.publish({ c0ffee: revoked });
    const { held } = open();
    expect(await held()).toEqual(['c0ffee']);
  });

  it('is fetched from the publisher when the stored list is unreadable, which is logged', async () => {
    const { held, spoil } = open();
    await spoil();
    expect(await held()).toEqual([]);
    expect(said).toEqual(['the kept revocation list of Android keys cannot be used']);
  });

  it('reports its age without waiting, and loads in the background', async () => {
    const { fetched, held, ageMs } = open();
    await fetched();
    expect(ageMs()).toBeNull();
    await eventually('the list', async () => ageMs() === 0);
    await status.stop();
    later(8 * weekMs);
    expect(ageMs()).toBe(8 * weekMs);
    await eventually('that there is none', async () => ageMs() === Infinity);
    await expect(held()).rejects.toMatchObject(down);
  });

  it('is accepted only with our signature', async () => {
    status.publish({ c0ffee: revoked });
    const { fetched, held } = open();
    await fetched(Buffer.alloc(32, 2));
    status.publish({ bad: revoked });
    expect(await held()).toEqual(['bad']);
    expect(said).toEqual(['the kept revocation list of Android keys cannot be used']);
  });

  it('is fetched from the publisher when it is a day old, and does not get older', async () => {
    const { fetched, held } = open();
    await fetched();
    expect(await held()).toEqual([]);
    status.publish({ c0ffee: revoked });
    later(24 * 60 * minuteMs + 1);
    expect(await held()).toEqual([]);
    await eventually('the new one', async () => (await held()).join() === 'c0ffee');
    expect(said).toEqual(['the kept revocation list of Android keys is older than a day']);
    const asked = status.requests.length;
    later(10 * minuteMs);
    for (let round = 0; round < 5; round++) expect(await held()).toEqual(['c0ffee']);
    expect(status.requests).toHaveLength(asked);
  });

  it('is refused when it is over seven days old and no newer one is available', async () => {
    const { fetched, held } = open();
    await fetched();
    later(weekMs);
    status.failNext({ status: 503 }, 99);
    expect(await held()).toEqual([]);
    later(1);
    await expect(held()).rejects.toMatchObject(down);
    const asked = status.requests.length;
    await expect(held()).rejects.toMatchObject(down);
    expect(status.requests).toHaveLength(asked);
  });

  it('is available again five seconds after a failed fetch', async () => {
    status.failNext({ status: 503 });
    const { held } = open();
    await expect(held()).rejects.toMatchObject(down);
    later(5_000);
    expect(await held()).toEqual([]);
  });

  it('is refused when the clock was set back', async () => {
    const { fetched, held } = open();
    await fetched();
    await held();
    status.failNext({ status: 503 }, 99);
    later(-1);
    await expect(held()).rejects.toMatchObject(down);
  });
});
