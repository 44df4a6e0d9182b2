import { afterAll, describe, expect, it } from 'vitest';
import {
  ApiError,
  ConnectionError,
  createClient,
  type AnswerFacts,
  type CallOptions,
} from '../../../client/index.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import {
  clientOf,
  collecting,
  newLink,
  passedSession,
  withAffidavit,
} from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { openGate, type Act } from '../../support/stand-ins/gate.ts';

const { baseUrl, own, foreign } = ownPlatform();
const { app_id, account_id, api_key } = own;
const client = clientOf(api_key);
const gate = await openGate(baseUrl);

afterAll(() => gate.stop());

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const fault = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (fault instanceof ApiError) return fault;
  throw new Error('no refusal', { cause: fault });
}

describe('an error', () => {
  it('contains the problem of the service and the request id of its log', async () => {
    const seen: AnswerFacts[] = [];
    const onAnswer = (facts: AnswerFacts): void => void seen.push(facts);
    const fault = await refusal(client.links.raw({ link_uuid: 'nothing' }, { onAnswer }));
    expect(fault).toMatchObject({ name: 'ApiError', status: 404, code: 'not_found', faults: [] });
    expect(fault.requestId).toMatch(/^req_/);
    expect(fault.requestId).toBe(seen[0]?.requestId);
    expect(fault.problem['type']).toBe(`${baseUrl}/docs/errors/not_found`);
    expect(fault.message).toBe(`404 not_found: ${fault.detail}`);
  });

  it('of validation lists every fault', async () => {
    const body = { required_proofs: ['nonsense'], max_uses: 'many' } as never;
    const fault = await refusal(client.links.create({ app_id, body }));
    const places = fault.faults.map(({ loc }) => loc);
    expect(places).toEqual([
      ['body', 'required_proofs', 0],
      ['body', 'max_uses'],
    ]);
    expect([fault.status, fault.code]).toEqual([422, fault.faults[0]?.type]);
    expect(fault.detail).toContain('body.max_uses: ');
  });

  it.each<[string, (options: CallOptions) => Promise<unknown>, CallOptions, number, string]>([
    [
      'no credential',
      (options) => client.accounts.get({ account_id }, options),
      { token: null },
      401,
      'credential_missing',
    ],
    [
      'a role that is too low',
      (options) => client.members.list({ account_id }, options),
      { token: own.member.session_token },
      403,
      'role_required',
    ],
    [
      'the account of others',
      (options) => client.accounts.get({ account_id: foreign.account_id }, options),
      {},
      404,
      'not_found',
    ],
  ])('for %s has a status and code of its own', async (_what, call, options, status, code) => {
    expect(await refusal(call(options))).toMatchObject({ status, code });
  });

  it('thrown by onAnswer reaches the caller, and the call is not repeated', async () => {
    let told = 0;
    const onAnswer = (): never => {
      told += 1;
      throw new Error('no disk');
    };
    await expect(client.accounts.get({ account_id }, { onAnswer })).rejects.toThrow('no disk');
    expect(told).toBe(1);
  });

  it('is returned for two different calls with one idempotency key', async () => {
    const idempotencyKey = `two-calls-${process.pid}`;
    const make = (title: string) =>
      client.links.create({ app_id, body: { title } }, { idempotencyKey });
    const first = await make('One');
    expect((await make('One')).link_uuid).toBe(first.link_uuid);
    expect(await refusal(make('Two'))).toMatchObject({ status: 409, code: 'idempotency_mismatch' });
  });

  it.each<[string, Act]>([
    ['a page', { status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Bad</h1>' }],
    [
      'half of a problem',
      { status: 500, headers: { 'content-type': 'application/json' }, body: '{' },
    ],
    ['a list', { status: 400, headers: { 'content-type': 'application/json' }, body: '[1]' }],
    [
      'faults that are none',
      {
        status: 422,
        headers: { 'content-type': 'application/json' },
        body: '{"detail":[1,null,{"loc":1,"msg":2}]}',
      },
    ],
  ])('is an ApiError with an unknown code for %s', async (_what, act) => {
    gate.next(act);
    const other = createClient({ baseUrl: gate.url, token: api_key });
    const status = typeof act === 'object' ? act.status : 0;
    expect(await refusal(other.accounts.get({ account_id }))).toMatchObject({
      status,
      code: 'unknown_answer',
      requestId: null,
      faults: [],
    });
  });

  it('is a ConnectionError for a truncated success', async () => {
    gate.next({ status: 200, headers: { 'content-type': 'application/json' }, body: '{"account' });
    const other = createClient({ baseUrl: gate.url, token: api_key, retries: { repeatsMax: 0 } });
    const fault: unknown = await other.accounts
      .get({ account_id })
      .catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(ConnectionError);
    expect(fault).toMatchObject({ attempts: 1, cause: { name: 'SyntaxError' } });
  });
});

describe('a request of the client', () => {
  it('cannot leave its path', async () => {
    const before = gate.calls.length;
    const other = createClient({ baseUrl: `${gate.url}/`, token: api_key });
    for (const wrong of ['', '.', '..', undefined, null, {}, ['a']]) {
      await expect(other.apps.status({ app_id: wrong as string })).rejects.toThrow(TypeError);
    }
    expect(gate.calls.length).toBe(before);
    expect((await refusal(other.apps.status({ app_id: '../a?b#c%2e' }))).faults).toMatchObject([
      { loc: ['path', 'app_id'] },
    ]);
    expect(gate.calls.at(-1)?.target).toBe('/v2/app/..%2Fa%3Fb%23c%252e/status');
  });

  it('carries the token that a function returns for each call', async () => {
    const asked = clientOf(null, { token: async () => own.member.session_token });
    const accounts = await asked.accounts.list();
    expect(accounts.items.map((account) => account.account_id)).toEqual([account_id]);
    expect((await asked.accounts.get({ account_id }, { token: api_key })).account_id).toBe(
      account_id,
    );
  });

  it('can be signed by a phone over the bytes that are sent', async () => {
    const phone = await enrolledPhone();
    const device_id = phone.enrolled?.deviceId ?? '';
    let nonce = '';
    const renew = () =>
      clientOf(null).devices.renew(
        { device_id },
        {
          attest: ({ method, path, body }) => phone.attest({ method, path, body }, nonce),
          onAnswer: ({ headers }) => {
            nonce = headers.get('attest-nonce') ?? nonce;
          },
        },
      );
    expect(await refusal(renew())).toMatchObject({ status: 401, code: 'attest_nonce_required' });
    expect((await renew()).device_id).toBe(device_id);
  });

  it('can be conditional on the version that was read', async () => {
    const link_uuid = await newLink();
    let etag = '';
    const onAnswer = ({ headers }: AnswerFacts): void => {
      etag = headers.get('etag') ?? '';
    };
    await client.links.raw({ link_uuid }, { onAnswer });
    const change = (title: string) =>
      client.links.update({ app_id, link_uuid, body: { title }, headers: { 'if-match': etag } });
    expect((await change('First')).title).toBe('First');
    expect(await refusal(change('Second'))).toMatchObject({ code: 'precondition_failed' });
  });
});

describe('an answer of the client', () => {
  it('is parsed JSON, or the response for other media types', async () => {
    const link_uuid = await newLink({ title: 'A title' });
    expect(await client.links.preview({ app_id, link_uuid })).toMatchObject({ title: 'A title' });
    const card = await client.links.preview({ app_id, link_uuid, format_type: 'S' });
    if (!(card instanceof Response)) throw new Error('no card');
    expect(card.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
    expect(await card.text()).toContain('<svg');
    const pem = await client.keys.trustBundle();
    expect(await pem.text()).toContain('BEGIN CERTIFICATE');
  });

  it('is undefined if the cached copy is still valid', async () => {
    let etag = '';
    const keys = await client.keys.platformJwks(
      {},
      { onAnswer: ({ headers }) => void (etag = headers.get('etag') ?? '') },
    );
    expect(keys?.keys.length).toBeGreaterThan(0);
    const headers = { 'if-none-match': etag };
    expect(await client.keys.platformJwks({ headers })).toBeUndefined();
  });

  it('of a file is the file, and bytes are sent as bytes', async () => {
    const session = await collecting(await newLink());
    const bytes = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
    const checks = clientOf(session.token).trustChecks;
    const kept = await checks.upload({ id: session.id, name: 'front', body: bytes });
    expect([kept.size_bytes, kept.content_type]).toEqual([6, 'image/jpeg']);
    const passed = await passedSession();
    await withAffidavit(passed);
    const file = await client.logs.affidavit({ app_id, trust_check_session_id: passed.id });
    expect(new TextDecoder().decode(await file.bytes()).slice(0, 5)).toBe('%PDF-');
  });
});
