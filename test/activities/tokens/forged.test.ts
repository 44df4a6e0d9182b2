import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { mintCheckToken, readCheckToken } from '../../../activities/tokens/check-token.ts';
import { mintSessionToken, readSessionToken } from '../../../activities/tokens/session-token.ts';
import { isLinkToken, linkToken } from '../../../domain/tokens/link-token.ts';
import { forge } from '../../support/keys/forge.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-tokens-'));
const issuer = 'https://trust.example.test';
const now = new Date('2026-11-21T06:00:00Z');
const iat = now.getTime() / 1000;
let keys: PlatformKeys;
let session = '';
let check = '';

const claims = {
  sub: 'pu_1',
  sid: 'sid_1',
  jti: 'jti_1',
  iat,
  exp: iat + 3600,
  auth_time: iat,
  auth_method: 'cert',
  account_id: 1,
  roles: ['ADMIN'],
} as const;

beforeAll(async () => {
  await createDevPki(join(directory, 'keys'), { now, baseUrl: issuer });
  keys = loadKeys(join(directory, 'keys'));
  session = await mintSessionToken(keys.tokens, issuer, claims);
  check = (await mintCheckToken(keys.tokens, issuer, { linkSessionId: 'tc_1', jkt: 'a key' }, now))
    .token;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('session and check tokens', () => {
  it('pass unchanged', async () => {
    expect(await readSessionToken(keys, issuer, session, now)).toMatchObject({
      sub: 'pu_1',
      account_id: 1,
    });
    expect(await readCheckToken(keys, issuer, check, now)).toMatchObject({ sub: 'tc_1' });
  });

  it('are refused in every one of more than 300 forged forms', async () => {
    const pem = keys.tokens.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const sessions = forge(session, check, pem);
    const checks = forge(check, session, pem);
    expect(sessions.length + checks.length).toBeGreaterThan(300);
    for (const token of sessions) {
      expect(await readSessionToken(keys, issuer, token, now), token.slice(0, 120)).toBeNull();
    }
    for (const token of checks) {
      expect(await readCheckToken(keys, issuer, token, now), token.slice(0, 120)).toBeNull();
    }
  });

  it('are valid until the second they expire, for their issuer and by their key only', async () => {
    const at = (seconds: number): Date => new Date((iat + seconds) * 1000);
    expect(await readSessionToken(keys, issuer, session, at(3599))).not.toBeNull();
    expect(await readSessionToken(keys, issuer, session, at(3600))).toBeNull();
    expect(await readSessionToken(keys, issuer, session, at(-1))).toBeNull();
    expect(await readSessionToken(keys, 'https://other.test', session, now)).toBeNull();
    const bySeal = await mintSessionToken(keys.seal, issuer, claims);
    expect(await readSessionToken(keys, issuer, bySeal, now)).toBeNull();
    const posing = await mintSessionToken({ ...keys.seal, kid: keys.tokens.kid }, issuer, claims);
    expect(await readSessionToken(keys, issuer, posing, now)).toBeNull();
  });

  it('are refused with claims of a wrong type, although signed', async () => {
    const wrong = [
      { roles: 'ADMIN' },
      { roles: ['ROOT'] },
      { account_id: '1' },
      { auth_method: 'magic' },
      { exp: 'never' },
    ];
    for (const change of wrong) {
      const token = await mintSessionToken(keys.tokens, issuer, { ...claims, ...change } as never);
      expect(await readSessionToken(keys, issuer, token, now)).toBeNull();
    }
  });
});

describe('link tokens', () => {
  it('are derived, so that a repeated mail contains the same one', () => {
    const secret = keys.secret('link-token');
    const token = linkToken(secret, 'a');
    expect(linkToken(secret, 'a')).toBe(token);
    expect(isLinkToken([secret], 'a', token)).toBe(true);
    expect(isLinkToken([secret], 'b', token)).toBe(false);
    expect(isLinkToken([randomBytes(32)], 'a', token)).toBe(false);
    for (const offered of ['', token.slice(1), `${token}=`, `${token}A`]) {
      expect(isLinkToken([secret], 'a', offered)).toBe(false);
    }
  });
});
