import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { passphraseFile } from '../../../activities/keys/directory/key-files.ts';
import type { Person, Seed } from '../../../cli/data-directory/seed.ts';
import { withLowS } from '../../../domain/pki/low-s.ts';

/** Well below the 15 minutes for which a proof is valid, and longer than a test file takes. */
const renewedMs = 5 * 60_000;
const renewed = new Map<string, { readonly token: string; readonly atMs: number }>();

/**
 * Returns the seed with sessions that have a device proof given just now. The suite runs longer
 * than a proof is valid.
 */
export function withFreshProof(dataDir: string, seed: Seed): Seed {
  const proved = (person: Person): Person => ({
    ...person,
    session_token: freshOf(dataDir, person.session_token),
  });
  const { admin, member, subject } = seed;
  return { ...seed, admin: proved(admin), member: proved(member), subject: proved(subject) };
}

function freshOf(dataDir: string, token: string): string {
  const nowMs = Date.now();
  const known = renewed.get(token);
  if (known && nowMs - known.atMs < renewedMs) return known.token;
  const fresh = { token: provedAt(dataDir, token, nowMs), atMs: nowMs };
  renewed.set(token, fresh);
  return fresh.token;
}

/** Returns the same session with its device proof at another time. */
export function provedAt(dataDir: string, token: string, atMs: number): string {
  const [head = '', body = ''] = token.split('.');
  const claims: object = JSON.parse(Buffer.from(body, 'base64url').toString());
  const changed = { ...claims, auth_time: Math.floor(atMs / 1000) };
  const input = `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}`;
  const read = (name: string): string => readFileSync(join(dataDir, 'keys', name), 'utf8');
  const key = createPrivateKey({
    key: read('tokens.key.pem'),
    passphrase: read(passphraseFile).trim(),
  });
  const options = { key, dsaEncoding: 'ieee-p1363' } as const;
  const signature = withLowS(sign('sha256', Buffer.from(input), options));
  return `${input}.${signature.toString('base64url')}`;
}
