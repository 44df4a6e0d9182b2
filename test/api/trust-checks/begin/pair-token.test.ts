import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { renderSVG } from 'uqr';
import { derivedId } from '../../../../db/ids.ts';
import { pairToken, readPairToken } from '../../../../domain/tokens/pair-token.ts';
import { enrolledPhone, signedCall } from '../../../support/checks/phone.ts';
import { call, newLink, type Answer } from '../../../support/http/client.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { baseUrl, own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());
const outcome = ({ status, body }: Answer) => [status, body['code']];

/** All callers here share one address, as behind the NAT of an office. */
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

/** Begins a page that waits for its phone. */
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
  it('joins the page whose token it scanned, from any network', async () => {
    const link = await newLink();
    const [one, other] = [await page(link), await page(link)];
    expect(one.pair_url).toBe(`${baseUrl}/v2/${own.app_id}/${link}#p=${one.pair_token}`);
    const elsewhere = { 'x-forwarded-for': '198.51.100.9' };
    const { status, body } = await begin(link, { pair_token: one.pair_token }, elsewhere);
    expect([status, body['link_session_id'], body['client']]).toEqual([201, one.id, 'web']);
    expect(one.id).not.toBe(other.id);
  });

  it('does not join a page by IP address, even if only one waits there', async () => {
    const link = await newLink();
    const waiting = await page(link);
    const { status, body } = await begin(link);
    expect([status, body['client']]).toEqual([201, 'mobile']);
    expect(body['link_session_id']).not.toBe(waiting.id);
    const path = `/v2/trust-checks/${String(body['link_session_id'])}`;
    expect((await call('GET', path, { token: waiting.token })).status).toBe(404);
  });

  it('joins the only waiting page on the same machine, in development', async () => {
    const link = await newLink();
    const here = { 'x-forwarded-for': '127.0.0.1' };
    const waiting = await begin(link, { client: 'web' }, here);
    const joined = await begin(link, {}, here);
    expect(joined.body['link_session_id']).toBe(waiting.body['link_session_id']);
  });
});

describe('a pair token', () => {
  it('belongs to one session: other links, forgeries and other spellings return 404', async () => {
    const link = await newLink();
    const { pair_token: token, id } = await page(link);
    const last = token.at(-1) ?? '';
    // 22 characters hold 132 bits, so the last character has several spellings.
    const spelled = 'AQgw'.includes(last) ? last : 'x';
    const wrong = [
      pairToken(Buffer.alloc(32), { linkSessionId: id, generation: 1 }),
      token.replace('.1.', '.2.'),
      token.replace('.1.', '.01.'),
      `${token.slice(0, -1)}${String.fromCharCode(spelled.charCodeAt(0) + 1)}`,
      `tc_${'0'.repeat(26)}.1.${token.split('.')[2] ?? ''}`,
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

  it('is refused for other phones after pairing, and after the session has ended', async () => {
    const link = await newLink();
    const { id, token, pair_token } = await page(link);
    await call('POST', `/v2/trust-checks/${id}/open`, { token, body: {} });
    const paired = await signedCall(await enrolledPhone(), 'POST', '/v2/trust-checks', {
      body: { link_uuid: link, client: 'mobile', pair_token },
    });
    expect([paired.status, paired.body['status']]).toEqual([201, 'paired']);
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

  it.each([true, false])(
    'can be used again by the phone that used it, single use %s',
    async (once) => {
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
    },
  );

  it('works once: of fifty concurrent callers one joins', async () => {
    const link = await newLink();
    const { id, pair_token } = await page(link);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => begin(link, { pair_token })),
    );
    const joined = answers.filter(({ status }) => status === 201);
    expect(joined.map(({ body }) => body['link_session_id'])).toEqual([id]);
    const refused = answers.filter(({ status }) => status !== 201).map(outcome);
    expect(refused).toHaveLength(49);
    for (const refusal of refused) expect(refusal).toEqual([410, 'pair_token_ended']);
    // The caller who joined gets a new pair token.
    const [, next] = String(joined[0]?.body['pair_url']).split('#p=');
    expect(next).not.toBe(pair_token);
    expect((await begin(link, { pair_token: next })).body['link_session_id']).toBe(id);
  });

  it('lets a retry join after the first answer was lost', async () => {
    const link = await newLink();
    const { id, pair_token } = await page(link);
    const headers = { ...office, 'idempotency-key': randomUUID() };
    const ask = () => begin(link, { pair_token }, headers);
    expect((await ask()).body['link_session_id']).toBe(id);
    // Simulates a crash between the use of the token and its answer.
    const { rows } = await db.query<{ pair_spent_by: string }>(
      'SELECT pair_spent_by FROM trust_checks WHERE link_session_id = $1',
      [id],
    );
    const kept = await db.query<{ id: Buffer; seed: string }>('SELECT * FROM idempotency_keys');
    const used = kept.rows.find(({ seed }) => derivedId('pair', seed) === rows[0]?.pair_spent_by);
    const died = await db.query(
      `UPDATE idempotency_keys SET state = 'running', response_sealed = NULL,
         locked_until = 'epoch' WHERE id = $1`,
      [used?.id],
    );
    expect(died.rowCount).toBe(1);
    expect((await ask()).body['link_session_id']).toBe(id);
    expect(outcome(await begin(link, { pair_token }))).toEqual([410, 'pair_token_ended']);
  });

  it('stays the same until it is used or about to expire, then is replaced', async () => {
    const link = await newLink();
    const { id, token, pair_url, pair_token } = await page(link);
    const renew = async () => {
      const { status, body } = await call('POST', `/v2/trust-checks/${id}/pair-token`, { token });
      expect(status).toBe(200);
      return String(body['pair_url']);
    };
    const endIn = (seconds: number) =>
      db.query(
        `UPDATE trust_checks SET pair_expires_at = now() + $2 * interval '1 s'
         WHERE link_session_id = $1`,
        [id, seconds],
      );
    expect(await renew()).toBe(pair_url);
    await endIn(50);
    const second = await renew();
    expect(second).not.toBe(pair_url);
    expect(outcome(await begin(link, { pair_token }))).toEqual([410, 'pair_token_ended']);
    const [, shown] = second.split('#p=');
    await endIn(-1);
    expect(outcome(await begin(link, { pair_token: shown }))).toEqual([410, 'pair_token_ended']);
    const third = await renew();
    const joined = await begin(link, { pair_token: third.split('#p=')[1] });
    expect([joined.status, joined.body['link_session_id']]).toEqual([201, id]);
    expect(await renew()).not.toBe(third);
    await call('POST', `/v2/trust-checks/${id}/cancel`, { token, body: {} });
    const late = await call('POST', `/v2/trust-checks/${id}/pair-token`, { token });
    expect(outcome(late)).toEqual([409, 'invalid_state']);
  });

  it('is encoded in the QR card of its session and in no other card', async () => {
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

  it('is compared exactly as spelled', () => {
    const secret = Buffer.alloc(32, 1);
    const named = { linkSessionId: `tc_${'a'.repeat(26)}`, generation: 12 };
    const token = pairToken(secret, named);
    expect(readPairToken([secret], token)).toEqual(named);
    expect(readPairToken([Buffer.alloc(32, 2)], token)).toBeNull();
    expect(readPairToken([secret], `${token}=`)).toBeNull();
  });
});
