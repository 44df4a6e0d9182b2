import { describe, expect, it } from 'vitest';
import { idOfKey } from '../../../api/http/idempotency.ts';
import {
  beginSession,
  call,
  codeFor,
  collecting,
  newLink,
  newNumber,
  passedSession,
  withAffidavit,
} from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign, databaseUrl } = ownPlatform();

async function eventsOf(id: string): Promise<{ type: string; sequence: number }[]> {
  const { body } = await call('GET', `/v2/trust-checks/${id}/events?limit=500`, {
    token: own.api_key,
  });
  return body['items'] as { type: string; sequence: number }[];
}

describe('a trust check', () => {
  it('passes with the code that was sent and emits one event per step', async () => {
    const session = await passedSession();
    const done = await withAffidavit(session);
    expect(done.body).toMatchObject({
      status: 'passed',
      reason_code: null,
      proofs: [{ type: 'phone', status: 'passed', attempt: 1 }],
      consent: { accepted: true, tos_version: '1' },
      sandbox: false,
    });
    const events = await eventsOf(session.id);
    expect(events.map(({ type }) => type)).toEqual([
      'trust_check.created',
      'trust_check.opened',
      'trust_check.paired',
      'trust_check.consented',
      'proof.updated',
      'trust_check.processing',
      'trust_check.passed',
      'affidavit.available',
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  });

  it('fails after the last wrong code with a reason code', async () => {
    const session = await collecting(await newLink({ max_attempts: 3 }));
    const number = newNumber();
    await session.step('phone/code', { phone_number: number });
    const code = await codeFor(number);
    const wrong = code === '123456' ? '654321' : '123456';
    const outcomes = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const judged = await session.step('proofs/phone', { code: wrong });
      outcomes.push([judged.body['status'], judged.body['reason_code']]);
    }
    expect(outcomes).toEqual([
      ['requires_retry', 'code_wrong'],
      ['requires_retry', 'code_wrong'],
      ['failed', 'code_wrong'],
    ]);
    const ended = await session.get();
    expect(ended.body).toMatchObject({ status: 'failed', reason_code: 'max_attempts_reached' });
    const late = await session.step('proofs/phone', { code });
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
  });

  it('accepts at most five guesses of a code, even from concurrent callers', async () => {
    const session = await collecting(await newLink({ max_attempts: 10 }));
    const number = newNumber();
    await session.step('phone/code', { phone_number: number });
    const code = await codeFor(number);
    // A guess is refused while another is judged, so the callers repeat until the check has failed.
    let next = 100_000;
    await eventually('the end', async () => {
      const guesses = Array.from({ length: 12 }, () => String((next += 1)));
      const wrong = guesses.filter((guess) => guess !== code);
      const answers = await Promise.all(
        wrong.map((guess) => session.step('proofs/phone', { code: guess })),
      );
      // 503 means that the API stopped waiting for the answer; the step itself continues.
      for (const { status } of answers) expect([200, 409, 503]).toContain(status);
      return (await session.get()).body['status'] === 'failed';
    });
    // A workflow task that is lost under load runs again, and its guesses still count.
    const db = openTestDb(databaseUrl);
    const { rows } = await db.query('SELECT guesses FROM phone_codes WHERE link_session_id = $1', [
      session.id,
    ]);
    await db.end();
    expect(rows).toEqual([{ guesses: 5 }]);
    expect((await session.step('proofs/phone', { code })).status).toBe(409);
  });

  it('is declined if consent is refused, and refuses submissions before consent', async () => {
    const session = await beginSession(await newLink());
    await session.step('open');
    await session.step('pair');
    const early = await session.step('proofs/phone', { code: '123456' });
    expect([early.status, early.body['code']]).toEqual([409, 'consent_required']);
    const refused = await session.step('consent', { accepted: false, tos_version: '1' });
    expect(refused.body).toMatchObject({ status: 'declined', reason_code: 'consent_declined' });
  });

  it('returns the current terms if consent names other ones', async () => {
    const session = await beginSession(await newLink());
    await session.step('open');
    await session.step('pair');
    const stale = await session.step('consent', { accepted: true, tos_version: '0' });
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({ code: 'tos_changed', tos_version: '1' });
  });

  it('can be canceled by either side, once', async () => {
    const mine = await beginSession(await newLink());
    expect((await mine.step('cancel')).body).toMatchObject({ reason_code: 'user_closed' });
    const again = await mine.step('cancel');
    expect([again.status, again.body['code']]).toEqual([409, 'invalid_state']);
    const theirs = await beginSession(await newLink());
    const path = `/v2/trust-checks/${theirs.id}/cancel`;
    const canceled = await call('POST', path, { token: own.api_key, body: {} });
    expect(canceled.body).toMatchObject({ status: 'canceled', reason_code: 'requester_canceled' });
  });

  it('accepts steps only in their order', async () => {
    const session = await beginSession(await newLink());
    const consent = await session.step('consent', { accepted: true, tos_version: '1' });
    expect([consent.status, consent.body['code']]).toEqual([409, 'invalid_state']);
    expect((await session.step('pair')).status).toBe(409);
    expect((await session.step('open')).body['status']).toBe('opened');
    expect((await session.step('open')).body['status']).toBe('opened');
    expect((await session.step('retry')).status).toBe(409);
    const review = await call('POST', `/v2/trust-checks/${session.id}/review`, {
      token: own.api_key,
      body: { decision: 'approve', note: 'fine' },
    });
    expect(review.status).toBe(409);
  });

  it('requires a device if one of its proofs needs a device', async () => {
    const session = await beginSession(await newLink({ required_proofs: ['phone', 'device'] }));
    await session.step('open');
    const paired = await session.step('pair');
    expect([paired.status, paired.body['code']]).toEqual([409, 'device_required']);
  });

  it('compares claims with the expected values', async () => {
    const number = newNumber();
    const other = newNumber();
    const link = await newLink({ matching_params: { phone_number: other } });
    const session = await collecting(link);
    await session.step('phone/code', { phone_number: number });
    await session.step('proofs/phone', { code: await codeFor(number) });
    const ended = await call('GET', `/v2/trust-checks/${session.id}`, { token: own.api_key });
    expect(ended.body).toMatchObject({
      status: 'failed',
      reason_code: 'mismatch',
      matching: { phone_number: 'mismatch' },
      // No claim was requested, so none is released.
      claims: {},
    });
  });
});

describe('phone codes', () => {
  it('are not resent within a minute, and the answer masks the number', async () => {
    const session = await collecting(await newLink());
    const number = newNumber();
    const sent = await session.step('phone/code', { phone_number: number });
    expect(sent.status).toBe(202);
    expect(String(sent.body['sent_to'])).not.toContain(number.slice(4, -2));
    const again = await session.step('phone/code', { phone_number: number });
    expect([again.status, again.body['code']]).toEqual([429, 'resend_too_soon']);
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('are sent once if the process dies before it answers and the request is repeated', async () => {
    const session = await collecting(await newLink());
    const number = newNumber();
    const key = `send-${session.id}`;
    const send = () =>
      session.step('phone/code', { phone_number: number }, { 'idempotency-key': key });
    const first = await send();
    const id = idOfKey({ scope: [session.id, null], operation: 'trust-checks.sendCode', key });
    const db = openTestDb(databaseUrl);
    try {
      const died = await db.query(
        `UPDATE idempotency_keys SET state = 'running', response_sealed = NULL,
           locked_until = 'epoch' WHERE id = $1`,
        [id],
      );
      expect(died.rowCount).toBe(1);
      const again = await send();
      expect([again.status, again.body]).toEqual([202, first.body]);
      expect(again.headers.get('idempotent-replayed')).toBeNull();
      const sent = await db.query('SELECT 1 FROM outbox_messages WHERE recipient = $1', [number]);
      expect(sent.rowCount).toBe(1);
    } finally {
      await db.end();
    }
  });

  it.each(['+4990012345678', '+491', '015112345678', '+1900 555 0100', '', '+49\u0661\u0662'])(
    'are refused for %j',
    async (phone_number) => {
      const session = await collecting(await newLink());
      const sent = await session.step('phone/code', { phone_number });
      expect(sent.status).toBe(422);
    },
  );
});

describe('a single-use link', () => {
  it('serves one session at a time and is consumed by it', async () => {
    const link = await newLink({ single_use: true });
    const first = await beginSession(link);
    const again = async () => {
      const body = { link_uuid: link, client: 'web' };
      const second = await call('POST', '/v2/trust-checks', { body });
      return [second.status, second.body['code']];
    };
    expect(await again()).toEqual([409, 'already_begun']);
    await first.step('open');
    await first.step('pair');
    expect(await again()).toEqual([409, 'already_begun']);
    await first.step('consent', { accepted: false, tos_version: '1' });
    const preview = await call('GET', `/v2/${link}?format_type=J`);
    expect(preview.body).toMatchObject({ status: 'consumed', actionable: false });
  });

  it('becomes free again when its session is canceled', async () => {
    const link = await newLink({ single_use: true });
    const session = await beginSession(link);
    await session.step('cancel');
    const preview = await call('GET', `/v2/${link}?format_type=J`);
    expect(preview.body).toMatchObject({ status: 'active', actionable: true });
  });
});

describe('trust-checks.get and trust-checks.list', () => {
  it('show a session only to its check token and its account', async () => {
    const session = await beginSession(await newLink());
    const other = await beginSession(await newLink());
    const path = `/v2/trust-checks/${session.id}`;
    const seen = async (token: string) => (await call('GET', path, { token })).status;
    expect(await seen(session.token)).toBe(200);
    expect(await seen(own.api_key)).toBe(200);
    expect(await seen(own.member.session_token)).toBe(200);
    expect(await seen(other.token)).toBe(404);
    expect(await seen(foreign.api_key)).toBe(404);
    expect(await seen(own.subject.session_token)).toBe(404);
    expect((await call('GET', path)).status).toBe(401);
    expect(
      (await call('GET', `/v2/trust-checks/tc_${'0'.repeat(26)}`, { token: own.api_key })).status,
    ).toBe(404);
  });

  it('list sessions of the caller’s own account by page and filter', async () => {
    const link = await newLink({ reference_id: `ref-${Math.random()}` });
    const session = await beginSession(link);
    const list = (query: string, token: string) =>
      call('GET', `/v2/trust-checks?${query}`, { token });
    const mine = await list(`link_uuid=${link}&page_size=1`, own.api_key);
    expect(mine.body).toMatchObject({ page: 1, page_size: 1, total: 1, pages: 1 });
    expect(JSON.stringify(mine.body['items'])).toContain(session.id);
    const theirs = await list(`link_uuid=${link}`, foreign.api_key);
    expect(theirs.body).toMatchObject({ items: [], total: 0 });
    expect((await list(`account_id=${foreign.account_id}`, own.api_key)).status).toBe(404);
    const numbers = ['0', '2147483648', '99999999999', '1.5'].map((id) => `account_id=${id}`);
    for (const wrong of [...numbers, 'page=0', 'page=1&page=2', 'page_size=101']) {
      expect((await list(wrong, own.api_key)).status).toBe(422);
    }
  });
});
