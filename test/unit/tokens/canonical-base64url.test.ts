import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  attestNonceExpiry,
  attestNonceLifeMs,
  makeAttestNonce,
} from '../../../domain/tokens/attest-nonce.ts';
import { bytesOfBase64url } from '../../../domain/tokens/canonical-base64url.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** All texts that differ only in the last character and decode to the same bytes. */
function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text, 'base64url');
  const all = Array.from(alphabet, (last) => text.slice(0, -1) + last);
  return all.filter((other) => Buffer.from(other, 'base64url').equals(bytes));
}

describe('canonical base64url', () => {
  it.each([1, 2, 3, 16, 32, 38])('has one valid spelling for %i bytes', (length) => {
    const bytes = randomBytes(length);
    const text = bytes.toString('base64url');
    expect(spellingsOf(text)).toHaveLength({ 0: 1, 1: 16, 2: 4 }[length % 3] ?? 0);
    expect(spellingsOf(text).filter((one) => bytesOfBase64url(one) !== null)).toEqual([text]);
    expect(bytesOfBase64url(text)).toEqual(bytes);
  });

  it.each(['', 'A', 'AAAAA', 'AA==', 'AA=', 'A+8A', 'A/8A', 'AAA\n', ' AAA', 'AAÄ', 'AAAA.'])(
    'excludes %j',
    (text) => expect(bytesOfBase64url(text)).toBeNull(),
  );
});

it('is required for a nonce', () => {
  const now = new Date('2026-11-21T00:00:00Z');
  const secret = Buffer.alloc(32, 7);
  const nonce = makeAttestNonce(secret, Buffer.alloc(16, 9), now);
  const spellings = spellingsOf(nonce);
  expect(spellings).toHaveLength(4);
  const good = spellings.filter((one) => attestNonceExpiry([secret], one, now));
  expect(good).toEqual([nonce]);
  const expiry = new Date(now.getTime() + attestNonceLifeMs);
  expect(attestNonceExpiry([secret], nonce, now)).toEqual(expiry);
  for (const other of [nonce.slice(0, -1), `${nonce}A`, '', 'A'.repeat(51)]) {
    expect(attestNonceExpiry([secret], other, now)).toBeNull();
  }
});
