import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { openKeys, watchStolenKeys } from '../../../activities/keys/directory/live-keys.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { mintCheckToken, readCheckToken } from '../../../activities/tokens/check-token.ts';
import {
  claimsTokenLifeMs,
  mintClaimsToken,
  readClaimsToken,
} from '../../../activities/tokens/claims-token.ts';
import {
  joinTokenLifeMs,
  mintJoinToken,
  readJoinToken,
} from '../../../activities/tokens/join-token.ts';
import { mintSessionToken, readSessionToken } from '../../../activities/tokens/session-token.ts';
import { apiConfig } from '../../../api/config.ts';
import { makeAccount } from '../../../cli/admin/admin.ts';
import { compromise, publish, publishedMsMin, rotate } from '../../../cli/keys/change-keys.ts';
import { listKeys } from '../../../cli/keys/list-keys.ts';
import type { Db } from '../../../db/client.ts';
import { tokenLifeMsMax, tokenOverlapMs } from '../../../domain/tokens/token-keys.ts';
import { agePublished, rotateInPeace } from '../../support/commands/rotate-in-peace.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { published } from './read-key-state.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-overlap-'));
const place = join(directory, 'keys');
const baseUrl = 'https://trust.example.test';
const since = '2026-11-01T00:00:00Z';
const log = { info: vi.fn(), error: vi.fn(), warn: vi.fn() };
let db: Db;
let drop: () => Promise<void>;
let account: string;

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  account = String(await makeAccount(db, { name: 'operator' }, new Date()));
  await createDevPki(place, { now: new Date(), baseUrl });
});
afterAll(async () => {
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

const given = () => ({ dataDir: directory, baseUrl, account });

/** Mints one token of each kind that the platform verifies, with the current key. */
async function mintEach({ tokens }: PlatformKeys, now: Date) {
  const iat = Math.floor(now.getTime() / 1000);
  const session = {
    sub: 'pu_1',
    sid: 'sid_1',
    jti: 'jti_1',
    iat,
    exp: iat + 3600,
    auth_time: iat,
    auth_method: 'cert',
    account_id: null,
    roles: [],
  } as const;
  const claims = {
    polyUserId: 'pu_1',
    jti: 'jti_2',
    verifiedClaims: [],
    keyThumbprint: 'k'.repeat(43),
    deviceAttestation: null,
  };
  const join = { join_session_id: 'js_1', created_at: now };
  return {
    session: await mintSessionToken(tokens, baseUrl, session),
    check: (await mintCheckToken(tokens, baseUrl, { linkSessionId: 'tc_1', jkt: 'a key' }, now))
      .token,
    join: await mintJoinToken(tokens, baseUrl, join),
    claims: await mintClaimsToken(tokens, baseUrl, claims, now),
  };
}

/** Returns which of the tokens these keys accept. */
const accepted = async (
  keys: PlatformKeys,
  made: Awaited<ReturnType<typeof mintEach>>,
  now: Date,
) => ({
  session: (await readSessionToken(keys, baseUrl, made.session, now)) !== null,
  check: (await readCheckToken(keys, baseUrl, made.check, now)) !== null,
  join: (await readJoinToken(keys, baseUrl, made.join, now)) !== null,
  claims: (await readClaimsToken(keys, baseUrl, made.claims, now)) !== null,
});
const all = { session: true, check: true, join: true, claims: true };
const none = { session: false, check: false, join: false, claims: false };

describe('tokens across a rotation', () => {
  it.each(['tokens', 'services-ca', 'people-ca', 'seal', 'tsa'] as const)(
    'are accepted by processes one step behind or ahead while %s is rotated',
    async (name) => {
      const seen: PlatformKeys[] = [loadKeys(place)];
      const made = [await mintEach(loadKeys(place), new Date())];
      const step = async (): Promise<void> => {
        seen.push(loadKeys(place));
        made.push(await mintEach(loadKeys(place), new Date()));
      };
      if (name !== 'seal' && name !== 'tsa') {
        await publish(db, { ...given(), name }, new Date());
        agePublished(place);
        await step();
      }
      await rotate(db, { ...given(), name }, new Date());
      await step();
      const [first, published2] = seen;
      for (const [index, tokens] of made.entries()) {
        // A process may be one step behind, but not two, because publication comes well before.
        for (const keys of seen.slice(Math.max(0, index - 1))) {
          expect([index, await accepted(keys, tokens, new Date())]).toEqual([index, all]);
        }
      }
      const changes = name === 'tokens' || name === 'services-ca';
      expect(seen.at(-1)?.tokens.kid === first?.tokens.kid).toBe(!changes);
      if (changes) expect(published2?.tokens.kid).toBe(first?.tokens.kid);
    },
  );

  it('are accepted until the last one has expired, and not after', async () => {
    const before = loadKeys(place);
    await rotateInPeace(db, given(), 'tokens');
    const after = loadKeys(place);
    const old = after.retiredTokens.find(({ kid }) => kid === before.tokens.kid);
    const end = old?.acceptedUntil?.getTime() ?? 0;
    expect(Math.abs(end - Date.now() - tokenOverlapMs)).toBeLessThan(60_000);
    expect(after.tokenKey(before.tokens.kid, new Date(end - 1))).not.toBeNull();
    expect(after.tokenKey(before.tokens.kid, new Date(end))).toBeNull();
    const listed = JSON.parse(await listKeys(db, directory)) as Record<string, string>[];
    const row = listed.find(({ kid }) => kid === before.tokens.kid);
    expect(row).toMatchObject({ state: 'retired', accepted_until: new Date(end).toISOString() });
  });

  it('of every kind expire within the overlap', () => {
    const { SESSION_CERT_SECONDS, SESSION_EMAIL_SECONDS } = apiConfig.shape;
    const lives = [claimsTokenLifeMs, joinTokenLifeMs];
    expect(Math.max(...lives)).toBeLessThanOrEqual(tokenLifeMsMax);
    for (const setting of [SESSION_CERT_SECONDS, SESSION_EMAIL_SECONDS]) {
      expect(setting.safeParse(String(tokenLifeMsMax / 1000 + 1)).success).toBe(false);
    }
  });

  it('signed by a stolen key or its published next key are refused at once', async () => {
    const live = openKeys({ directory: place }, log);
    await publish(db, { ...given(), name: 'tokens' }, new Date());
    await sleep(150);
    const next = live.next[0]?.kid ?? '';
    expect(live.tokenKey(next, new Date())).not.toBeNull();
    const made = await mintEach(live, new Date());
    expect(await accepted(live, made, new Date())).toEqual(all);
    await compromise(db, { ...given(), name: 'tokens', since }, new Date());
    await vi.waitFor(async () => expect(await accepted(live, made, new Date())).toEqual(none));
    expect(live.tokenKey(next, new Date())).toBeNull();
    expect(live.next).toEqual([]);
    for (const kid of [next, made.session]) expect(live.tokens.kid).not.toBe(kid);
    expect((await published(live, next))?.key_ops).toEqual([]);
    expect(await accepted(live, await mintEach(live, new Date()), new Date())).toEqual(all);
  });

  it('signed by a stolen key are refused within seconds by a process with old key files', async () => {
    const copy = join(directory, 'copy');
    cpSync(place, copy, { recursive: true });
    const live = openKeys({ directory: copy }, log);
    const made = await mintEach(live, new Date());
    const stop = await watchStolenKeys(db, live, log);
    try {
      await compromise(db, { ...given(), name: 'tokens', since }, new Date());
      await vi.waitFor(
        async () => expect(await accepted(live, made, new Date())).toEqual(none),
        5_000,
      );
      // It signs nothing with that key either.
      await expect(mintEach(live, new Date())).rejects.toMatchObject({
        code: 'dependency_unavailable',
      });
    } finally {
      stop();
    }
  });

  it('are verified with the previous keys when changed files do not load, and that is logged', async () => {
    const copy = join(directory, 'broken');
    cpSync(place, copy, { recursive: true });
    const live = openKeys({ directory: copy }, log);
    const made = await mintEach(live, new Date());
    rmSync(join(copy, 'tokens.cer.pem'));
    await sleep(150);
    expect(await accepted(live, made, new Date())).toEqual(all);
    expect(log.error).toHaveBeenCalledWith(
      expect.objectContaining({ err: expect.objectContaining({ fault: 'missing' }) }),
      'changed keys do not load; the keys before stay in use',
    );
  });
});

describe('the steps of a rotation', () => {
  it('are publish, wait, rotate; each one out of order is refused with a remedy', async () => {
    const now = new Date();
    const turn = (name: string, at = new Date()) => rotate(db, { ...given(), name }, at);
    await expect(turn('tokens')).rejects.toThrow(
      'tokens: its next key is not published; run admin keys publish tokens first',
    );
    await publish(db, { ...given(), name: 'tokens' }, now);
    await expect(publish(db, { ...given(), name: 'tokens' }, now)).rejects.toThrow(
      'tokens: the next key is published already; rotate it first',
    );
    const dueAt = new Date(now.getTime() + publishedMsMin);
    await expect(turn('tokens', new Date(dueAt.getTime() - 1))).rejects.toThrow(
      `rotate after ${dueAt.toISOString()}`,
    );
    await expect(publish(db, { ...given(), name: 'services-ca' }, now)).rejects.toThrow(
      'tokens: the next key is published already; rotate it first',
    );
    agePublished(place);
    await turn('tokens');
    await publish(db, { ...given(), name: 'services-ca' }, now);
    for (const name of ['tokens', 'seal', 'tsa']) {
      await expect(turn(name)).rejects.toThrow(
        `${name}: the next services-ca is published; rotate services-ca first`,
      );
    }
    await expect(publish(db, { ...given(), name: 'seal' }, now)).rejects.toThrow(
      'seal: is not published before it signs; rotate it',
    );
    agePublished(place);
    await turn('services-ca');
  });

  it('show current, next and retired keys in the key set, each once', async () => {
    await publish(db, { ...given(), name: 'tokens' }, new Date());
    const keys = loadKeys(place);
    const [next] = keys.next;
    for (const kid of [keys.tokens.kid, next?.kid, keys.retiredTokens[0]?.kid]) {
      expect(await published(keys, kid ?? '')).toBeDefined();
    }
    agePublished(place);
    await rotate(db, { ...given(), name: 'tokens' }, new Date());
    const after = loadKeys(place);
    expect([after.tokens.kid, after.next]).toEqual([next?.kid, []]);
  });
});
