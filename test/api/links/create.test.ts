import { describe, expect, it } from 'vitest';
import { call } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign } = ownPlatform();
const { app_id: app, api_key: token } = own;

const forms = [
  ['links.create', `/v2/link/${app}`],
  ['links.createShort', `/v2/${app}`],
  ['links.createInvite', `/v2/link/invite/${app}`],
  ['links.createImport', `/v2/link/import/${app}`],
  ['links.createByType', `/v2/link/type/meeting?app_id=${app}`],
] as const;

describe('links.create', () => {
  it.each(forms)('%s returns 200 with the link', async (id, path) => {
    const made = await call('PUT', path, {
      token,
      body: { title: 'A check', metadata: { a: 'b' } },
    });
    expect(made.status).toBe(200);
    const types = { createInvite: 'invite', createImport: 'import', createByType: 'meeting' };
    expect(made.body).toMatchObject({
      app_id: app,
      account_id: own.account_id,
      link_type: types[id.slice(6) as keyof typeof types] ?? 'trust_check',
      status: 'active',
      title: 'A check',
      metadata: { a: 'b' },
      single_use: false,
      required_proofs: ['device', 'nfc_passport', 'phone'],
    });
    expect(made.headers.get('etag')).toBe('"1"');
    expect(made.headers.get('request-id')).toMatch(/^req_/);
    expect(String(made.body['link_uuid'])).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(['invite', 'import'])('creates an %s link if the path names that type', async (type) => {
    const put = (query: string) =>
      call('PUT', `/v2/link/${type}/${app}${query}`, { token, body: { link_type: 'call' } });
    const made = [await put(''), await put(`?link_type=${type}`)];
    expect(made.map(({ status, body }) => [status, body['link_type']])).toEqual([
      [200, type],
      [200, type],
    ]);
    for (const other of [type === 'invite' ? 'import' : 'invite', 'call', '']) {
      const { status, body } = await put(`?link_type=${other}`);
      expect([status, body['detail']]).toEqual([
        422,
        [expect.objectContaining({ loc: ['query', 'link_type'] })],
      ]);
    }
  });

  it('prefers the link type in the query to the one in the body', async () => {
    for (const path of [`/v2/link/${app}`, `/v2/${app}`]) {
      const put = (query: string) =>
        call('PUT', `${path}${query}`, { token, body: { link_type: 'call' } });
      const made = [await put(''), await put('?link_type=prescreen')];
      expect(made.map(({ body }) => body['link_type'])).toEqual(['call', 'prescreen']);
    }
  });

  it('allows max_uses of at most 1 for single-use and emailed links', async () => {
    const send_to_email = 'recipient@example.test';
    const make = async (method: string, path: string, body: object) => {
      const { status, body: told } = await call(method, path, { token, body });
      const [fault] = Array.isArray(told['detail']) ? told['detail'] : [];
      return [status, fault ? fault.loc : [told['single_use'], told['max_uses']]];
    };
    const refused = [422, ['body', 'max_uses']];
    for (const [, path] of forms) {
      expect(await make('PUT', path, { single_use: true, max_uses: 5 })).toEqual(refused);
    }
    const send = (body: object) =>
      make('POST', `/v2/link/send/${app}`, { send_to_email, required_proofs: ['phone'], ...body });
    expect(await send({ max_uses: 2 })).toEqual(refused);
    for (const more of [{}, { max_uses: 2 }]) {
      const sent = await send({ ...more, single_use: false });
      expect(sent).toEqual([422, ['body', 'single_use']]);
    }
    expect(await send({ single_use: true })).toEqual([200, [true, 1]]);
    expect(await send({ max_uses: 1 })).toEqual([200, [true, 1]]);
    const put = (body: object) => make('PUT', `/v2/${app}`, body);
    expect(await put({ single_use: true, max_uses: 1 })).toEqual([200, [true, 1]]);
    expect(await put({ single_use: true })).toEqual([200, [true, null]]);
    expect(await put({ single_use: false, max_uses: 5 })).toEqual([200, [false, 5]]);
  });

  it.each([`/v2/link/invite/${app}`, `/v2/link/import/${app}`, `/v2/link/${app}`, `/v2/${app}`])(
    'accepts a missing body at %s and creates a link of defaults',
    async (path) => {
      const bare = await call('PUT', path, { token });
      const empty = await call('PUT', path, { token, body: {} });
      const fieldsOf = ({ body }: typeof bare) => [body['link_type'], body['required_proofs']];
      expect([bare.status, empty.status]).toEqual([200, 200]);
      expect(fieldsOf(bare)).toEqual(fieldsOf(empty));
    },
  );

  it('requires a body if the interface does', async () => {
    const made = await call('PUT', '/v2/link/type/trust_check', { token });
    expect([made.status, made.body['detail']]).toMatchObject([422, [{ loc: ['body'] }]]);
  });

  it('reports every fault of path, query and body at once', async () => {
    const made = await call('PUT', `/v2/link/UPPER?link_type=nope`, {
      token,
      body: { title: 5, max_attempts: 0, redirect_url: 'javascript:alert(1)' },
    });
    expect(made.status).toBe(422);
    const detail = made.body['detail'] as { loc: string[] }[];
    expect(detail.map(({ loc }) => loc.join('.'))).toEqual(
      expect.arrayContaining([
        'path.app_id',
        'query.link_type',
        'body.title',
        'body.max_attempts',
        'body.redirect_url',
      ]),
    );
  });

  it.each([
    ['no JSON', '{"title":'],
    ['a duplicate member', '{"title":"a","title":"b"}'],
    ['__proto__', '{"__proto__":{"a":1}}'],
    ['NaN', '{"max_uses":NaN}'],
    ['too deep', `{"transaction_data":${'['.repeat(30)}${']'.repeat(30)}}`],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['a list', '[]'],
    ['null', 'null'],
    ['a claim that there is none of', '{"requested_claims":["shoe_size"]}'],
    ['a proof that there is none of', '{"required_proofs":["palm"]}'],
    ['a face and no portrait', '{"required_proofs":["biometric","phone","device"]}'],
  ])('rejects a body with %s as 422', async (_name, raw) => {
    const made = await call('PUT', `/v2/${app}`, { token, raw });
    expect(made.status).toBe(422);
    expect(made.body['detail']).toBeInstanceOf(Array);
  });

  it('reports no other fault of a body that is not JSON', async () => {
    const signIn = await call('POST', '/portal_login', { raw: '{"raw_jwt":"a","raw_jwt":"b"}' });
    expect([signIn.status, (signIn.body['detail'] as unknown[]).length]).toEqual([422, 1]);
  });

  it('rejects 300 KiB with 413 and another media type with 415', async () => {
    const large = await call('PUT', `/v2/${app}`, {
      token,
      body: { title: 'x'.repeat(300 * 1024) },
    });
    expect(large.status).toBe(413);
    const typed = await call('PUT', `/v2/${app}`, {
      token,
      raw: 'title=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(typed.status).toBe(415);
    expect(typed.body).toMatchObject({ code: 'media_type_unsupported' });
  });

  it.each([
    ['no credential', {}],
    ['an unknown key', { token: 'tk_live_000000000000_00000000000000000000000000000000' }],
    ['a key in both headers', { token, headers: { 'x-api-key': token } }],
    ['garbage', { token: 'abc.def.ghi' }],
  ])('refuses %s', async (name, options) => {
    const made = await call('PUT', `/v2/${app}`, { ...options, body: {} });
    expect(made.status).toBe(name === 'a key in both headers' ? 400 : 401);
  });

  it('accepts the key in X-API-Key', async () => {
    const made = await call('PUT', `/v2/${app}`, { headers: { 'x-api-key': token }, body: {} });
    expect(made.status).toBe(200);
  });

  it('answers for a foreign app as for an unknown one', async () => {
    const hidden = await call('PUT', `/v2/${foreign.app_id}`, { token, body: {} });
    const unknown = await call('PUT', '/v2/no-such-app', { token, body: {} });
    expect([hidden.status, unknown.status]).toEqual([404, 404]);
    expect({ ...hidden.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
  });

  it('allows a member and refuses a stranger', async () => {
    const member = await call('PUT', `/v2/${app}`, { token: own.member.session_token, body: {} });
    const subject = await call('PUT', `/v2/${app}`, { token: own.subject.session_token, body: {} });
    expect([member.status, subject.status]).toEqual([200, 404]);
  });
});

describe('Idempotency-Key', () => {
  const key = (name: string) => ({ 'idempotency-key': `${name}-${process.pid}-${Math.random()}` });

  it('replays the same link and marks the replay', async () => {
    const headers = key('same');
    const options = { token, body: { title: 'once' }, headers };
    const first = await call('PUT', `/v2/${app}`, options);
    const again = await call('PUT', `/v2/${app}`, options);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
  });

  it('refuses another body for the same key', async () => {
    const headers = key('other');
    await call('PUT', `/v2/${app}`, { token, body: { title: 'one' }, headers });
    const other = await call('PUT', `/v2/${app}`, { token, body: { title: 'two' }, headers });
    expect(other.status).toBe(409);
    expect(other.body['code']).toBe('idempotency_mismatch');
  });

  it('admits one of fifty concurrent requests; the others get its answer or 409', async () => {
    const headers = key('race');
    const options = { token, body: { title: 'race' }, headers };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => call('PUT', `/v2/${app}`, options)),
    );
    const made = answers.filter(({ status }) => status === 200);
    const rest = answers.filter(({ status }) => status !== 200);
    expect(new Set(made.map(({ body }) => body['link_uuid'])).size).toBe(1);
    for (const { status, body } of rest) {
      expect([status, body['code']]).toEqual([409, 'idempotency_in_progress']);
    }
  });

  it('applies to one account only', async () => {
    const headers = key('cross');
    const mine = await call('PUT', `/v2/${app}`, { token, body: {}, headers });
    const theirs = await call('PUT', `/v2/${foreign.app_id}`, {
      token: foreign.api_key,
      body: {},
      headers,
    });
    expect(theirs.status).toBe(200);
    expect(theirs.body['link_uuid']).not.toBe(mine.body['link_uuid']);
  });
});

it.each(['GER', 'D', 'AAA', 'deu', ''])(
  'a link cannot have the country code %s, which no document has',
  async (code) => {
    const bodies = [
      { policy: { allowed_countries: ['DEU', code] } },
      { matching_params: { issuing_country: code } },
      { matching_params: { nationality: code } },
    ];
    for (const body of bodies) {
      const refused = await call('PUT', `/v2/${app}`, { token, body });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain('must be an ISO 3166-1 alpha-3 code, as DEU');
    }
  },
);
