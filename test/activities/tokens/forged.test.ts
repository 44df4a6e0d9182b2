import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevPki } from '../../../activities/certificates/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/certificates/load-keys.ts';
import { mintCheckToken, readCheckToken } from '../../../activities/tokens/check-token.ts';
import { isLinkToken, linkToken } from '../../../activities/tokens/link-token.ts';
import { mintSessionToken, readSessionToken } from '../../../activities/tokens/session-token.ts';

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
  check = (await mintCheckToken(keys.tokens, issuer, 'tc_1', now)).token;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const decode = (part = ''): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString());

/** Every way we know to make a token that must not pass, from one that does. */
function forge(token: string, otherToken: string, publicPem: string): string[] {
  const [head = '', body = '', tail = ''] = token.split('.');
  const header = decode(head);
  const own = decode(body);
  const forged: string[] = [];
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const withKey = (h: unknown, b: unknown): string => {
    const input = `${encode(h)}.${encode(b)}`;
    const options = { key: other, dsaEncoding: 'ieee-p1363' } as const;
    return `${input}.${signBytes('sha256', Buffer.from(input), options).toString('base64url')}`;
  };
  for (const alg of [
    'none',
    'None',
    'NONE',
    'HS256',
    'HS512',
    'RS256',
    'PS256',
    'ES384',
    'ES512',
    'EdDSA',
    '',
    null,
    1,
  ]) {
    const changed = encode({ ...header, alg });
    forged.push(`${changed}.${body}.`, `${changed}.${body}.${tail}`);
    const mac = createHmac('sha256', publicPem).update(`${changed}.${body}`).digest('base64url');
    forged.push(`${changed}.${body}.${mac}`);
  }
  for (const extra of ['jwk', 'jku', 'x5u', 'crit', 'zip', 'b64', 'cty', 'epk', 'enc']) {
    forged.push(
      withKey({ ...header, [extra]: ['x'] }, own),
      `${encode({ ...header, [extra]: {} })}.${body}.${tail}`,
    );
  }
  for (const typ of [
    'JWT',
    'at+jwt',
    'session+jwt ',
    'Session+JWT',
    'check+jwt2',
    'vbundle+jwt',
    '',
    null,
  ]) {
    forged.push(withKey({ ...header, typ }, own), `${encode({ ...header, typ })}.${body}.${tail}`);
  }
  for (const kid of ['', '../x', 'x'.repeat(43), null, 7, ['a']])
    forged.push(withKey({ ...header, kid }, own));
  for (const [name, value] of Object.entries({
    sub: 'pu_2',
    iss: 'https://evil.test',
    aud: 'x',
    exp: iat * 2,
    sid: 'other',
    roles: ['POLYADMIN'],
    account_id: 2,
  })) {
    forged.push(
      `${head}.${encode({ ...own, [name]: value })}.${tail}`,
      withKey(header, { ...own, [name]: value }),
    );
  }
  const doubled = `{"sub":"pu_9",${JSON.stringify(own).slice(1)}`;
  forged.push(withKey(header, doubled), `${head}.${encode(doubled)}.${tail}`);
  const zero = Buffer.alloc(64).toString('base64url');
  forged.push(
    `${head}.${body}.${zero}`,
    `${head}.${body}`,
    `${head}.${body}.${tail}.${tail}`,
    `.${body}.${tail}`,
  );
  forged.push(
    `${head}.${body}.${tail}=`,
    `${head}.${body}.${tail.slice(0, -1)}`,
    ` ${token}`,
    `${token}\n`,
    token.toUpperCase(),
  );
  forged.push(
    `${head}.${body}.${Buffer.from(tail, 'base64url').toString('base64')}`,
    otherToken,
    '',
    '..',
    'a.b.c',
  );
  forged.push(
    `${head}.${encode('[]')}.${tail}`,
    `${head}.${encode('null')}.${tail}`,
    withKey(header, '"x"'),
    'x'.repeat(9000),
  );
  for (let bit = 0; bit < 64; bit += 1) {
    const bytes = Buffer.from(tail, 'base64url');
    bytes[bit] = (bytes[bit] ?? 0) ^ 1;
    forged.push(`${head}.${body}.${bytes.toString('base64url')}`);
  }
  return forged;
}

describe('session and check tokens', () => {
  it('pass as they were minted', () => {
    expect(readSessionToken(keys.tokens, issuer, session, now)).toMatchObject({
      sub: 'pu_1',
      account_id: 1,
    });
    expect(readCheckToken(keys.tokens, issuer, check, now)).toMatchObject({ sub: 'tc_1' });
  });

  it('are refused in every one of more than 300 forged forms', () => {
    const pem = keys.tokens.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const sessions = forge(session, check, pem);
    const checks = forge(check, session, pem);
    expect(sessions.length + checks.length).toBeGreaterThan(300);
    for (const token of sessions) {
      expect(readSessionToken(keys.tokens, issuer, token, now), token.slice(0, 120)).toBeNull();
    }
    for (const token of checks) {
      expect(readCheckToken(keys.tokens, issuer, token, now), token.slice(0, 120)).toBeNull();
    }
  });

  it('hold to the second they expire, for their own issuer, by their own key', async () => {
    const at = (seconds: number): Date => new Date((iat + seconds) * 1000);
    expect(readSessionToken(keys.tokens, issuer, session, at(3599))).not.toBeNull();
    expect(readSessionToken(keys.tokens, issuer, session, at(3600))).toBeNull();
    expect(readSessionToken(keys.tokens, issuer, session, at(-1))).toBeNull();
    expect(readSessionToken(keys.tokens, 'https://other.test', session, now)).toBeNull();
    const bySeal = await mintSessionToken(keys.seal, issuer, claims);
    expect(readSessionToken(keys.tokens, issuer, bySeal, now)).toBeNull();
    const posing = await mintSessionToken({ ...keys.seal, kid: keys.tokens.kid }, issuer, claims);
    expect(readSessionToken(keys.tokens, issuer, posing, now)).toBeNull();
  });

  it('are refused with claims of a wrong type, though well signed', async () => {
    const wrong = [
      { roles: 'ADMIN' },
      { roles: ['ROOT'] },
      { account_id: '1' },
      { auth_method: 'magic' },
      { exp: 'never' },
    ];
    for (const change of wrong) {
      const token = await mintSessionToken(keys.tokens, issuer, { ...claims, ...change } as never);
      expect(readSessionToken(keys.tokens, issuer, token, now)).toBeNull();
    }
  });
});

describe('link tokens', () => {
  it('are derived, so that a repeated send carries the same one', () => {
    const secret = keys.secret('link-token');
    const token = linkToken(secret, 'a');
    expect(linkToken(secret, 'a')).toBe(token);
    expect(isLinkToken(secret, 'a', token)).toBe(true);
    expect(isLinkToken(secret, 'b', token)).toBe(false);
    expect(isLinkToken(keys.secret('other'), 'a', token)).toBe(false);
    for (const offered of ['', token.slice(1), `${token}=`, `${token}A`]) {
      expect(isLinkToken(secret, 'a', offered)).toBe(false);
    }
  });
});
