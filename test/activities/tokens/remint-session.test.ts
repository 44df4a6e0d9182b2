import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { remintSession } from '../../../activities/tokens/open-session.ts';
import {
  mintSessionToken,
  readSessionToken,
  type SessionClaims,
} from '../../../activities/tokens/session-token.ts';
import { randomIds } from '../../../db/ids.ts';
import { roles as allRoles } from '../../../domain/names.ts';
import { platformKeys } from '../../support/keys/bundles.ts';

const keys = platformKeys();
const { tokens } = keys;
const issuer = 'https://trust.example.test';
const begunMs = Date.parse('2026-01-02T03:04:05Z');

const claims = (more: Partial<SessionClaims> = {}): SessionClaims => ({
  sub: 'pu_of_a_person',
  sid: 'sid_of_a_session',
  jti: 'jti_first',
  iat: begunMs / 1000,
  exp: begunMs / 1000 + 12 * 3600,
  auth_time: begunMs / 1000,
  auth_method: 'email',
  account_id: 1,
  roles: ['MEMBER'],
  ...more,
});

/** Switches the account at some time, from the claims of the token. */
async function remint(token: string, atMs: number, accountId: number): Promise<string> {
  const now = new Date(atMs);
  const read = await readSessionToken(keys, issuer, token, now);
  if (!read) throw new Error('the token is not good any more');
  const session = {
    sid: read.sid,
    polyUserId: read.sub,
    authMethod: read.auth_method,
    authTime: new Date(read.auth_time * 1000),
    expiresAt: new Date(read.exp * 1000),
    provider: read.idp,
  };
  return remintSession(
    { tokens, issuer, ids: randomIds },
    session,
    { accountId, roles: ['VIEWER'] },
    now,
  );
}

describe('a session that switches accounts', () => {
  it('expires at its original second after a thousand switches', async () => {
    let token = await mintSessionToken(tokens, issuer, claims());
    const lifeMs = 12 * 3600_000;
    for (let place = 0; place < 1_000; place += 1) {
      // The last switch happens within the last second of the session.
      const atMs = begunMs + Math.round((place / 999) * (lifeMs - 1));
      token = await remint(token, atMs, place + 2);
    }
    const end = new Date(begunMs + lifeMs);
    const last = await readSessionToken(keys, issuer, token, new Date(end.getTime() - 1));
    const { jti, iat, account_id, roles, ...kept } = claims();
    expect(last).toMatchObject({ ...kept, account_id: 1_001, roles: ['VIEWER'] });
    expect(await readSessionToken(keys, issuer, token, end)).toBeNull();
    expect([jti, iat, account_id, roles]).not.toEqual([last?.jti, last?.iat, 1_001, ['VIEWER']]);
  });

  it('keeps person, method, start and end through any switches', async () => {
    const anySession = fc.record({
      sub: fc.stringMatching(/^pu_[a-z0-9]{4}$/),
      sid: fc.stringMatching(/^sid_[a-z0-9]{4}$/),
      exp: fc.integer({ min: begunMs / 1000 + 2, max: begunMs / 1000 + 86_400 }),
      auth_time: fc.integer({ min: 0, max: begunMs / 1000 }),
      auth_method: fc.constantFrom('email' as const, 'cert' as const),
      account_id: fc.option(fc.integer({ min: 1, max: 99 }), { nil: null }),
      roles: fc.subarray([...allRoles]),
    });
    const moments = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        anySession,
        fc.option(fc.constant('idp')),
        moments,
        async (more, idp, at) => {
          const first = claims({ ...more, ...(idp === null ? {} : { idp }) });
          let token = await mintSessionToken(tokens, issuer, first);
          const before = await readSessionToken(keys, issuer, token, new Date(begunMs));
          const lifeMs = first.exp * 1000 - begunMs;
          for (const part of at.toSorted((a, b) => a - b)) {
            token = await remint(token, begunMs + Math.floor(part * lifeMs), 7);
          }
          const after = await readSessionToken(keys, issuer, token, new Date(first.exp * 1000 - 1));
          const fixed = [
            'sub',
            'sid',
            'exp',
            'auth_time',
            'auth_method',
            'acr',
            'amr',
            'idp',
            'aud',
          ];
          for (const name of fixed) expect(Object(after)[name]).toEqual(Object(before)[name]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('shows how the person authenticated', async () => {
    const shown = async (more: Partial<SessionClaims>): Promise<unknown> => {
      const token = await mintSessionToken(tokens, issuer, claims(more));
      const read = Object(await readSessionToken(keys, issuer, token, new Date(begunMs)));
      return [read.acr, read.amr];
    };
    const [email, cert] = ['urn:trustcheck:assurance:email', 'urn:trustcheck:assurance:cert'];
    expect(await shown({})).toEqual([email, ['otp']]);
    expect(await shown({ auth_method: 'cert' })).toEqual([cert, ['hwk', 'pop']]);
    expect(await shown({ idp: 'our-sign-in' })).toEqual([email, ['fed']]);
    expect(await shown({ idp: 'our-sign-in', auth_method: 'cert' })).toEqual([
      cert,
      ['hwk', 'pop'],
    ]);
  });
});
