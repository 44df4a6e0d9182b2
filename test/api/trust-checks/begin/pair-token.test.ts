import { describe, expect, it } from 'vitest';
import { renderSVG } from 'uqr';
import { pairToken, sessionOfPairToken } from '../../../../domain/tokens/pair-token.ts';
import { enrolledPhone, signedCall } from '../../../support/checks/phone.ts';
import { call, newLink, type Answer } from '../../../support/http/client.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const outcome = ({ status, body }: Answer) => [status, body['code']];

/** Everybody here seems to come from one address, as behind that of an office. */
const office = { 'x-forwarded-for': '203.0.113.17' };
const begin = (link: string, more: Record<string, unknown> = {}, headers = office) =>
  call('POST', '/v2/trust-checks', {
    body: { link_uuid: link, client: 'mobile', ...more },
    headers,
  });

interface Waiting {
  readonly id: string;
  readonly token: string;
  readonly pair_token: string;
  readonly pair_url: string;
  readonly qr_svg_url: string;
}

/** A page that waits for its phone. */
async function page(link: string): Promise<Waiting> {
  const { status, body } = await begin(link, { client: 'web' });
  expect(status).toBe(201);
  const [id, token, pair_url, qr_svg_url] = [
    'link_session_id',
    'check_token',
    'pair_url',
    'qr_svg_url',
  ].map((name) => String(body[name])) as [string, string, string, string];
  return { id, token, pair_url, qr_svg_url, pair_token: pair_url.split('#p=')[1] ?? '' };
}

describe('a phone', () => {
  it('joins the page whose token it was shown, wherever either is', async () => {
    const link = await newLink();
    const [one, other] = [await page(link), await page(link)];
    expect(one.pair_url).toBe(`${baseUrl}/v2/${own.app_id}/${link}#p=${one.pair_token}`);
    const elsewhere = { 'x-forwarded-for': '198.51.100.9' };
    const { status, body } = await begin(link, { pair_token: one.pair_token }, elsewhere);
    expect([status, body['link_session_id'], body['client']]).toEqual([201, one.id, 'web']);
    expect(one.id).not.toBe(other.id);
  });

  it('joins no page by its address, even as the only one that waits there', async () => {
    const link = await newLink();
    const waiting = await page(link);
    const { status, body } = await begin(link);
    expect([status, body['client']]).toEqual([201, 'mobile']);
    expect(body['link_session_id']).not.toBe(waiting.id);
    const path = `/v2/trust-checks/${String(body['link_session_id'])}`;
    expect((await call('GET', path, { token: waiting.token })).status).toBe(404);
  });

  it('of this machine joins the lone page on it, in development', async () => {
    const link = await newLink();
    const here = { 'x-forwarded-for': '127.0.0.1' };
    const waiting = await begin(link, { client: 'web' }, here);
    const joined = await begin(link, {}, here);
    expect(joined.body['link_session_id']).toBe(waiting.body['link_session_id']);
  });
});

describe('a pair token', () => {
  it('is of one session: another link, a forgery and another spelling find nothing', async () => {
    const link = await newLink();
    const { pair_token: token, id } = await page(link);
    const last = token.at(-1) ?? '';
    // 22 characters hold 132 bits: the last of them has spellings of its own.
    const spelled = 'AQgw'.includes(last) ? last : 'x';
    const wrong = [
      pairToken(Buffer.alloc(32), id),
      `${token.slice(0, -1)}${String.fromCharCode(spelled.charCodeAt(0) + 1)}`,
      `tc_${'0'.repeat(26)}.${token.split('.')[1] ?? ''}`,
      token.toUpperCase(),
      id,
      '',
    ];
    for (const pair_token of wrong) {
      expect([pair_token, ...outcome(await begin(link, { pair_token }))]).toEqual([
        pair_token,
        404,
        'not_found',
      ]);
    }
    expect(outcome(await begin(await newLink(), { pair_token: token }))).toEqual([
      404,
      'not_found',
    ]);
    for (const pair_token of [`${token}${'a'.repeat(64)}`, '\u0000', 1, null, [token]]) {
      expect((await begin(link, { pair_token })).status).toBe(422);
    }
  });

  it('is good for nobody else once a phone is paired, and after the end', async () => {
    const link = await newLink();
    const { id, token, pair_token } = await page(link);
    await call('POST', `/v2/trust-checks/${id}/open`, { token, body: {} });
    const path = `/v2/trust-checks/${id}/pair`;
    const paired = await signedCall(await enrolledPhone(), 'POST', path, { token, body: {} });
    expect(paired.status).toBe(200);
    expect(outcome(await begin(link, { pair_token }))).toEqual([409, 'already_paired']);
    const other = await signedCall(await enrolledPhone(), 'POST', '/v2/trust-checks', {
      body: { link_uuid: link, client: 'mobile', pair_token },
    });
    expect(outcome(other)).toEqual([409, 'already_paired']);
    const ended = await page(link);
    const cancel = `/v2/trust-checks/${ended.id}/cancel`;
    expect((await call('POST', cancel, { token: ended.token })).status).toBe(200);
    const late = await begin(link, { pair_token: ended.pair_token });
    expect(outcome(late)).toEqual([409, 'invalid_state']);
  });

  it.each([true, false])('is good again for the phone that has it, single use %s', async (once) => {
    const link = await newLink({ required_proofs: ['device'], single_use: once });
    const { id, pair_token } = await page(link);
    const device = await enrolledPhone();
    const body = { link_uuid: link, client: 'mobile', pair_token };
    const ask = () => signedCall(device, 'POST', '/v2/trust-checks', { body });
    for (const answer of [await ask(), await ask()]) {
      expect([answer.status, answer.body['link_session_id'], answer.body['status']]).toEqual([
        201,
        id,
        'paired',
      ]);
    }
  });

  it('stands in the card of the session, and in no other card', async () => {
    const link = await newLink();
    const { pair_url, qr_svg_url, pair_token } = await page(link);
    const drawn = (text: string): unknown => / d="([^"]+)"/.exec(text)?.[1];
    const [card, plain] = await Promise.all(
      [qr_svg_url, `${baseUrl}/v2/${own.app_id}/${link}?format_type=S`].map(async (url) => {
        const answer = await call('GET', url.slice(baseUrl.length));
        expect(answer.headers.get('content-type')).toContain('image/svg+xml');
        return drawn(answer.text);
      }),
    );
    expect(card).toBe(drawn(renderSVG(pair_url, { border: 2 })));
    expect(plain).not.toBe(card);
    for (const wrong of [`${pair_token}"><script>`, 'x', '']) {
      const path = `/v2/${link}?format_type=S&pair_token=${encodeURIComponent(wrong)}`;
      expect((await call('GET', path)).status).toBe(422);
    }
  });

  it('is compared as it is spelled', () => {
    const secret = Buffer.alloc(32, 1);
    const id = `tc_${'a'.repeat(26)}`;
    expect(sessionOfPairToken([secret], pairToken(secret, id))).toBe(id);
    expect(sessionOfPairToken([Buffer.alloc(32, 2)], pairToken(secret, id))).toBeNull();
    expect(sessionOfPairToken([secret], `${pairToken(secret, id)}=`)).toBeNull();
  });
});
