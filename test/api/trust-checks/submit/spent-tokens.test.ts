import { afterAll, describe, expect, it } from 'vitest';
import {
  beginSession,
  call,
  newLink,
  passedSession,
  withAffidavit,
  type Answer,
} from '../../../support/http/client.ts';
import { newMember } from '../../../support/people/members.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, foreign, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

/** Every operation on a session with a valid request body. */
const operations: readonly [string, string, unknown][] = [
  ['GET', '', undefined],
  ['GET', '/events', undefined],
  ['GET', '/evidence', undefined],
  ['POST', '/open', {}],
  ['POST', '/pair', {}],
  ['POST', '/pair-token', {}],
  ['POST', '/hand-over', { phone_number: '+4915112345678' }],
  ['POST', '/consent', { accepted: true, tos_version: '1' }],
  ['POST', '/phone/code', { phone_number: '+4915112345678' }],
  ['PUT', '/evidence/front', 'bytes'],
  ['POST', '/challenges', { proof: 'nfc_passport' }],
  ['POST', '/proofs/phone', { code: '000000' }],
  ['POST', '/retry', {}],
  ['POST', '/cancel', {}],
  ['POST', '/review', { decision: 'approve', note: 'fine' }],
  ['POST', '/revoke', {}],
  ['POST', '/redact', {}],
];
/** Operations that a reloaded page may call at any time. */
const reads = new Set(['', '/events', '/open']);
const ofCheckToken = operations.filter(
  ([, name]) => !['/evidence', '/review', '/revoke', '/redact'].includes(name),
);

const ask = (id: string, [method, name, body]: readonly [string, string, unknown], token: string) =>
  call(method, `/v2/trust-checks/${id}${name}`, {
    token,
    ...(method === 'PUT'
      ? { raw: String(body), headers: { 'content-type': 'application/octet-stream' } }
      : body === undefined
        ? {}
        : { body }),
  });
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code'] ?? null];

const ends: Readonly<Record<string, () => Promise<{ id: string; token: string }>>> = {
  passed: passedSession,
  canceled: async () => {
    const session = await beginSession(await newLink());
    await session.step('cancel');
    return session;
  },
  deleted: async () => {
    const link = await newLink();
    const session = await beginSession(link);
    await call('DELETE', `/v2/${link}`, { token: own.api_key });
    return session;
  },
  redacted: async () => {
    const session = await passedSession();
    await withAffidavit(session);
    const done = await call('POST', `/v2/trust-checks/${session.id}/redact`, {
      token: own.api_key,
      body: {},
    });
    expect(done.status).toBe(200);
    return session;
  },
};

describe.each(Object.entries(ends))('a session that was %s', (_name, end) => {
  it('can be read with its check token and not changed', async () => {
    const { id, token } = await end();
    const before = (await call('GET', `/v2/trust-checks/${id}`, { token })).body['status'];
    for (const operation of ofCheckToken) {
      const answer = await ask(id, operation, token);
      const [, name] = operation;
      // These checks require no passport, and that fault precedes the state.
      const refusal = name === '/challenges' ? 'proof_not_expected' : 'invalid_state';
      const expected = reads.has(name) ? [200, null] : [409, refusal];
      expect([name, ...outcome(answer)]).toEqual([name, ...expected]);
    }
    const after = await call('GET', `/v2/trust-checks/${id}`, { token });
    expect(after.body['status']).toBe(before);
  });

  it('has a token that is refused for other sessions', async () => {
    const { token } = await end();
    const other = await beginSession(await newLink());
    for (const operation of ofCheckToken) {
      expect([operation[1], ...outcome(await ask(other.id, operation, token))]).toEqual([
        operation[1],
        404,
        'not_found',
      ]);
    }
  });
});

describe('a session', () => {
  it('returns the same answer as an unknown id to callers of another account', async () => {
    const { id } = await passedSession();
    const unknown = `tc_${'0'.repeat(26)}`;
    const shown = ({ status, body }: Answer) => ({ status, body: { ...body, request_id: '' } });
    for (const operation of operations) {
      for (const token of [foreign.api_key, foreign.admin.session_token]) {
        const mine = await ask(id, operation, token);
        const none = await ask(unknown, operation, token);
        expect(shown(mine), operation[1]).toEqual(shown(none));
        expect([401, 404], operation[1]).toContain(mine.status);
      }
    }
  });

  it('returns the same 401 after the caller’s membership or account has ended', async () => {
    const { id } = await passedSession();
    const { token, losses } = await newMember(db);
    for (const [what, { take }] of Object.entries(losses)) {
      await take();
      // The token is not cached yet, so its first use reads the database.
      for (const operation of operations) {
        const refused = await ask(id, operation, token);
        expect([what, operation[1], ...outcome(refused)]).toEqual([
          what,
          operation[1],
          401,
          'credential_invalid',
        ]);
      }
    }
  });
});
