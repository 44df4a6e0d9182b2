import { describe, expect, it } from 'vitest';
import { leadingTo } from '../../support/checks/leading-to.ts';
import { enroll, newPhone } from '../../support/checks/phone.ts';
import { beginSession, call, collecting, newLink, newNumber } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();
leadingTo('https://good.test');
const token = own.api_key;
const create = (body: Record<string, unknown>) => call('PUT', `/v2/${own.app_id}`, { token, body });

describe('text that no database column accepts', () => {
  it.each([
    ['a title with NUL', { title: 'a\u0000b' }],
    ['metadata with NUL', { metadata: { a: '\u0000' } }],
    ['a name with NUL', { transaction_data: { 'a\u0000': 1 } }],
    ['half a character', { transaction_data: { a: '\ud800' } }],
  ])('is rejected with 422: %s', async (_what, body) => {
    expect((await create(body)).status).toBe(422);
  });

  it.each([
    ['/v2/events?stream=%00', 422],
    ['/v2/events/%00', 404],
    ['/pki/ocsp/%00', 404],
    ['/assets/%00', 404],
    ['/v2/trust-checks?app_id=%00', 422],
    ['/v2/affidavits/%00/x/download', 404],
  ])('in %s is answered with %i', async (path, status) => {
    expect((await call('GET', path, { token })).status).toBe(status);
  });

  it('is removed from an SVG card if it is a control character', async () => {
    const made = await create({ title: 'one\u0001two\u001fthree' });
    const card = await call('GET', `/v2/${String(made.body['link_uuid'])}?format_type=S`);
    expect(card.headers.get('content-type')).toContain('image/svg+xml');
    expect(card.text).toContain('onetwothree');
    expect(card.text).not.toMatch(/[^\P{Cc}\t\n\r]/u);
  });

  it('leaves no session that cannot be ended', async () => {
    const session = await beginSession(await newLink());
    await session.lead('open');
    await session.lead('pair');
    const refused = await session.step('consent', { accepted: false, tos_version: 'x\u0000' });
    expect(refused.status).toBe(422);
    expect((await session.step('cancel')).body['status']).toBe('canceled');
  });
});

describe('redirect_url of a link', () => {
  it.each([
    'abc',
    '//evil.test',
    'https://',
    'https:///good.test',
    'https://@good.test/',
    'https://good.test\\@evil.test/',
    'https://evil.test\r\nX: y',
    'https://\uff47ood.test/',
    'https://good.test/\u202e',
    'https://good.test/✓',
    'javascript:alert(1)',
  ])('cannot be %j', async (redirect_url) => {
    expect((await create({ redirect_url })).status).toBe(422);
  });

  it.each(['https://good.test', 'HTTPS://Good.test/Done?a=b#c', 'https://good.test:443/%E2%9C%93'])(
    'can be %j',
    async (redirect_url) => {
      expect((await create({ redirect_url })).status).toBe(200);
    },
  );
});

describe('expires_at of a link', () => {
  it.each(['9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00Z'])('cannot be %s', async (at) => {
    const { status, body } = await create({ expires_at: at });
    const told = { loc: ['body', 'expires_at'], msg: 'must be a date of the years 1970 to 9998' };
    expect([status, body['detail']]).toEqual([422, [expect.objectContaining(told)]]);
  });
});

describe('concurrent requests', () => {
  it('for the first code of a session send one message', async () => {
    const session = await collecting(await newLink());
    const phone_number = newNumber();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => session.step('phone/code', { phone_number })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([202, ...Array.from({ length: 7 }, () => 429)]);
  });

  it('of 24 enrollments all succeed', async () => {
    const phones = await Promise.all(Array.from({ length: 24 }, () => newPhone()));
    const answers = await Promise.all(phones.map((phone) => enroll(phone)));
    expect(answers.map(({ status }) => status)).toEqual(phones.map(() => 201));
  });
});
