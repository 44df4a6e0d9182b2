import { describe, expect, it } from 'vitest';
import { provesItself } from '../../../api/http/auth/access-rules.ts';
import { roles, type Role } from '../../../domain/names.ts';
import { beginSession, call, newLink, type Answer } from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { newKey, samples, type Sample } from '../../support/people/samples.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign } = ownPlatform();

/** Webhooks and operators authenticate in their handlers, which have tests of their own. */
const guarded = contracts
  .filter(({ auth }) => !auth.includes('public') && !provesItself(auth))
  .map((contract) => ({ id: contract.id, contract }));
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
/** Creates one sample per operation, since every call is refused before it changes anything. */
function sampleOf(id: string): () => Promise<Sample> {
  const sample = samples[id];
  if (!sample) throw new Error(`no sample call for ${id}: name one in samples.ts`);
  return once(sample);
}
/** The token of a session unrelated to the sample. */
const otherToken = once(async () => (await beginSession(await newLink())).token);
const send = (method: string, sample: Sample, token?: string): Promise<Answer> =>
  call(method.toUpperCase(), sample.path, {
    ...(sample.body === undefined ? {} : { body: sample.body }),
    ...(sample.raw ? { raw: sample.raw } : {}),
    ...(token === undefined ? {} : { token }),
  });
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

/** Returns valid credentials of callers without access to the account's objects. */
async function strangersTo(id: string): Promise<string[]> {
  const contract = guarded.find((row) => row.id === id)?.contract;
  const others: string[] = [];
  if (contract?.auth.includes('check-token')) {
    others.push(await otherToken());
  }
  if (contract?.keyMode === 'test') {
    // Other keys are refused by mode before the account is compared.
    others.push(await newKey(['ADMIN'], { accountId: foreign.account_id, livemode: false }));
  } else if (contract?.auth.includes('key')) {
    others.push(own.subject.session_token, foreign.api_key);
  }
  if (contract?.auth.includes('session')) others.push(own.subject.session_token);
  return others;
}

describe.each(guarded)('$id', ({ id, contract }) => {
  const ready = sampleOf(id);

  it('returns 401 for missing, malformed and invalid credentials', async () => {
    const sample = await ready();
    // This operation reads no bearer token: its handler checks the nonce of the cookie.
    const isByCookie = contract.auth.includes('cookie-nonce');
    for (const [token, code] of [
      [undefined, 'credential_missing'],
      ['nonsense', 'credential_malformed'],
      [`${own.api_key.slice(0, -1)}!`, 'credential_malformed'],
      [`tk_test_${'0'.repeat(12)}_${'0'.repeat(32)}`, 'credential_invalid'],
    ] as const) {
      const refused = await send(contract.method, sample, token);
      expect(outcome(refused)).toEqual([401, isByCookie ? 'credential_invalid' : code]);
    }
  });

  it('returns 401 for a kind of credential that it does not accept', async () => {
    const sample = await ready();
    const wrong: string[] = [];
    if (!contract.auth.includes('key')) {
      wrong.push(own.api_key);
      if (!contract.auth.includes('session')) wrong.push(own.admin.session_token);
    }
    if (!contract.auth.includes('check-token')) {
      wrong.push(await otherToken());
    }
    for (const token of wrong) {
      expect(outcome(await send(contract.method, sample, token))).toEqual([
        401,
        'credential_invalid',
      ]);
    }
  });

  // These operations concern the caller's own account and cannot be called by strangers. Their 404
  // is an unknown app or `state`. The summary reports a key of another account by a code of its
  // own.
  const ownRefusal = [
    'email.requestLink',
    'apps.prescreenSummary',
    'meetings.connect',
    'meetings.redirect',
  ];
  const mayMiss = contract.errors.includes('not_found') && !ownRefusal.includes(id);
  it.runIf(mayMiss)('returns 404 to a stranger', async () => {
    const sample = await ready();
    for (const token of await strangersTo(id)) {
      const refused = await send(contract.method, sample, token);
      // A list without an account in its path shows the caller's own objects.
      const isOwnList = refused.status === 200 && Array.isArray(refused.body['items']);
      if (!isOwnList || token === own.subject.session_token) {
        expect(outcome(refused)).toEqual([404, 'not_found']);
      } else expect(refused.text).not.toContain(own.app_id);
    }
  });

  const { role } = contract;
  it.runIf(role && contract.auth.includes('key'))('returns 403 below its role', async () => {
    if (!role) return;
    const sample = await ready();
    const below: Role[] = roles.slice(0, roles.indexOf(role)).slice(-1);
    const key = await newKey(below, { livemode: contract.keyMode !== 'test' });
    const refused = await send(contract.method, sample, key);
    expect(outcome(refused)).toEqual([403, 'role_required']);
  });
});

it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
  'the API accepts the authorization scheme %s',
  async (scheme) => {
    const headers = { authorization: `${scheme} ${own.api_key}` };
    expect((await call('GET', '/v2/listlinks', { headers })).status).toBe(200);
    const unknown = { authorization: `${scheme} ${own.api_key.slice(0, -1)}!` };
    expect((await call('GET', '/v2/listlinks', { headers: unknown })).status).toBe(401);
  },
);
