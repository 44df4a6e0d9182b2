import { describe, expect, it } from 'vitest';
import { tokenLifeMs } from '../../../activities/identity/email/requests.ts';
import { masterSecretsOf } from '../../../activities/keys/directory/master-secrets.ts';
import { clientStateOf, readNotifications } from '../../../activities/meetings/platforms/conf-b.ts';
import {
  readReportUrl,
  reportUrlLifeMs,
  writeReportUrl,
} from '../../../activities/meetings/report/report-url.ts';
import { createDiskStore, isDiskUrlGood } from '../../../activities/storage/disk.ts';
import { presignSecondsMax } from '../../../activities/storage/object-store.ts';
import { derivedId, randomIds } from '../../../db/ids.ts';
import { codeLifeMs } from '../../../domain/proofs/phone/code.ts';
import {
  overlapMsOf,
  secretPurposes,
  signsOnMsMax,
  type ExpiringPurpose,
  type PinnedPurpose,
  type StoredPurpose,
} from '../../../domain/secret-purposes.ts';
import {
  attestNonceExpiry,
  attestNonceLifeMs,
  makeAttestNonce,
} from '../../../domain/tokens/attest-nonce.ts';
import { dpopNonce, dpopNonceExpiry, dpopNonceLifeMs } from '../../../domain/tokens/dpop-nonce.ts';
import { isLinkToken, linkToken } from '../../../domain/tokens/link-token.ts';
import { pairToken, pairTokenLifeMs, readPairToken } from '../../../domain/tokens/pair-token.ts';
import { secretVersion } from '../../support/keys/own-secrets.ts';

const retiredAt = new Date('2026-11-20T12:00:00Z');
const after = (ms: number): Date => new Date(retiredAt.getTime() + ms);
const first = secretVersion();
const second = secretVersion({ version: 2, secret: Buffer.alloc(32, 2) });
const third = secretVersion({ version: 3, secret: Buffer.alloc(32, 3) });

const before = masterSecretsOf([first]);
const published = masterSecretsOf([first, { ...second, state: 'next', publishedAt: retiredAt }]);
const rotated = masterSecretsOf([second, { ...first, state: 'retired', endedAt: retiredAt }]);
const stolen = masterSecretsOf([third, { ...second, state: 'revoked', endedAt: retiredAt }, first]);
const robbed = masterSecretsOf([second, { ...first, state: 'revoked', endedAt: retiredAt }]);

const purposesOf = (kind: 'expiring' | 'stored' | 'pinned') =>
  Object.entries(secretPurposes).filter(([, purpose]) => purpose.kind === kind);
const expiring = purposesOf('expiring').map(([name]) => name as ExpiringPurpose);
const stored = purposesOf('stored').map(([name]) => name as StoredPurpose);
const pinned = purposesOf('pinned').map(([name]) => name as PinnedPurpose);

/** Values as callers hold them, each with a function that reads it again. */
interface Value {
  readonly lifeMs: number;
  readonly make: (secret: Buffer, now: Date) => string | Promise<string>;
  readonly isRead: (secrets: readonly Buffer[], value: string, now: Date) => boolean;
}

const session = derivedId('tc', 'session');
const meeting = derivedId('mt', 'meeting');
const reportKey = `reports/1/${randomIds.make('rp')}.pdf`;
const values: Partial<Record<ExpiringPurpose, Value>> = {
  'attest-nonce': {
    lifeMs: attestNonceLifeMs,
    make: (secret, now) => makeAttestNonce(secret, Buffer.alloc(16), now),
    isRead: (secrets, value, now) => attestNonceExpiry(secrets, value, now) !== null,
  },
  'conf-b-client-state': {
    lifeMs: 0,
    make: (secret) => clientStateOf(secret, meeting),
    isRead: (secrets, clientState) =>
      readNotifications(secrets, { value: [{ id: 'n', clientState }] })?.length === 1,
  },
  'dpop-nonce': {
    lifeMs: dpopNonceLifeMs,
    make: (secret, now) => dpopNonce(secret, now),
    isRead: (secrets, value, now) => dpopNonceExpiry(secrets, value, now) !== null,
  },
  'link-token': {
    lifeMs: 0,
    make: (secret) => linkToken(secret, 'link'),
    isRead: (secrets, value) => isLinkToken(secrets, 'link', value),
  },
  'object-urls': {
    lifeMs: presignSecondsMax * 1000,
    make: (secret, now) =>
      createDiskStore({
        directory: '/nowhere',
        baseUrl: 'http://x',
        secret: () => secret,
        clock: () => now,
      }).presign('k/x', { ttlSeconds: presignSecondsMax, contentType: 'image/png' }),
    isRead: (secrets, value, now) => {
      const { searchParams } = new URL(value);
      const part = (name: string): string => searchParams.get(name) ?? '';
      const [expires, filename, type] = [part('expires'), part('filename'), part('type')];
      const parts = { expires, filename, type, signature: part('signature') };
      return isDiskUrlGood(secrets, 'k/x', parts, now);
    },
  },
  'pair-token': {
    lifeMs: pairTokenLifeMs,
    make: (secret) => pairToken(secret, { linkSessionId: session, generation: 1 }),
    isRead: (secrets, value) => readPairToken(secrets, value)?.linkSessionId === session,
  },
  'report-urls': {
    lifeMs: reportUrlLifeMs,
    make: (secret, now) => writeReportUrl(secret, reportKey, new Date(now.getTime() + 60_000)),
    isRead: (secrets, value, now) => readReportUrl(secrets, value, now)?.key === reportKey,
  },
};

describe('an expiring purpose', () => {
  it.each(Object.entries(values) as [ExpiringPurpose, Value][])(
    '%s reads an older value after a rotation, and refuses it after retirement',
    async (purpose, { make, isRead }) => {
      const at = after(1000);
      const value = await make(before.secret(purpose), at);
      const reads = (keys: typeof before, now: Date): boolean =>
        isRead(keys.acceptedSecrets(purpose, now), value, at);
      expect(reads(published, at)).toBe(true);
      expect(reads(rotated, at)).toBe(true);
      const overlapMs = overlapMsOf(purpose);
      if (overlapMs !== null) expect(reads(rotated, after(overlapMs - 1))).toBe(true);
      // Without an end, it is accepted for as long as the version is kept.
      const ended = overlapMs === null ? masterSecretsOf([second]) : rotated;
      expect(reads(ended, after(overlapMs ?? 0))).toBe(false);
      expect(reads(robbed, at)).toBe(false);
      // A process with the old files accepts values of the next version.
      const early = await make(rotated.secret(purpose), at);
      expect(isRead(published.acceptedSecrets(purpose, at), early, at)).toBe(true);
      expect(isRead(before.acceptedSecrets(purpose, at), early, at)).toBe(false);
    },
  );

  it.each(expiring)('%s makes values with the current version only', (purpose) => {
    expect(published.secret(purpose)).toEqual(before.secret(purpose));
    expect(rotated.secret(purpose)).not.toEqual(before.secret(purpose));
    expect(published.acceptedSecrets(purpose, retiredAt)).toHaveLength(2);
  });

  it('is accepted for at least the lifetime of its values', () => {
    const shown = Object.entries(values) as [ExpiringPurpose, Value][];
    for (const [purpose, { lifeMs }] of shown) {
      expect([purpose, (overlapMsOf(purpose) ?? Infinity) >= signsOnMsMax + lifeMs]).toEqual([
        purpose,
        true,
      ]);
    }
  });

  it('face-marks accepts a stolen version too', () => {
    expect(robbed.acceptedSecrets('face-marks', after(1000))).toHaveLength(2);
  });
});

describe('a stored purpose', () => {
  it.each(stored)('%s uses the version of its row, until that version is stolen', (purpose) => {
    expect(rotated.secretOf(purpose, 1)).toEqual(before.secret(purpose));
    expect(published.secretOf(purpose, 2)).toEqual(rotated.secret(purpose));
    expect(stolen.secretOf(purpose, 2)).toBeNull();
    // A removed version never comes back; a newer one comes with the new key files.
    expect(rotated.secretOf(purpose, 0)).toBeNull();
    expect(() => before.secretOf(purpose, 2)).toThrow(
      expect.objectContaining({ code: 'dependency_unavailable' }),
    );
  });

  it('lasts at least as long as its values', () => {
    expect(secretPurposes['sms-code'].lifeMs).toBeGreaterThanOrEqual(codeLifeMs);
    expect(secretPurposes['email-token'].lifeMs).toBeGreaterThanOrEqual(tokenLifeMs);
  });
});

describe('a pinned purpose', () => {
  it.each(pinned)('%s keeps the first version, stolen or not', (purpose) => {
    for (const keys of [published, rotated, robbed]) {
      expect(keys.secret(purpose)).toEqual(before.secret(purpose));
    }
    expect(robbed.secretOf(purpose, 1)).toEqual(before.secret(purpose));
  });
});

it('a process with a stolen current version makes no values', () => {
  const bare = masterSecretsOf([{ ...first, state: 'revoked', endedAt: retiredAt }]);
  const refusal = expect.objectContaining({ code: 'dependency_unavailable' });
  expect(() => bare.secret('pair-token')).toThrow(refusal);
  expect(() => bare.secretVersion).toThrow(refusal);
});
