import { describe, expect, it } from 'vitest';
import { joinStateOf } from '../../../api/meetings/join-state.ts';
import { trustCheckStates } from '../../../workflows/trust-check/state.ts';
import {
  beginSession,
  call,
  collecting,
  newLink,
  pass,
  type Answer,
} from '../../support/http/client.ts';
import {
  getMeeting,
  meetingOnce,
  newMeetingLink,
  play,
  start,
  started,
} from '../../support/people/meetings.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connect, endSockets, subscribe } from '../events/connect.ts';

endSockets();
const { own, baseUrl } = ownPlatform();

const join = (link_uuid: string, more: Record<string, unknown> = {}, cookie?: string) =>
  call('POST', '/v2/join/session', {
    body: { link_uuid, display_name: 'A guest', ...more },
    ...(cookie === undefined ? {} : { headers: { cookie } }),
  });
const cookieOf = ({ headers }: Answer): string => headers.get('set-cookie')?.split(';')[0] ?? '';
const joined = (link: string, token?: string, cookie?: string) =>
  call('GET', `/v2/join/session?link_uuid=${link}`, {
    ...(token === undefined ? {} : { token }),
    ...(cookie === undefined ? {} : { headers: { cookie } }),
  });
const outcome = ({ status, body }: Answer) => [status, body['code']];
const tokenOf = ({ body }: Answer): string => String(body['join_token']);

describe('session.join', () => {
  it('is found only by its token or its browser’s cookie', async () => {
    const link = await newMeetingLink();
    const made = await join(link, { nonce: 'a-nonce-of-mine' });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({
      join_session_id: expect.stringMatching(/^js_/),
      link_uuid: link,
      status: 'created',
      participant_id: expect.stringMatching(/^pt_/),
      platform: 'sandbox',
      client: 'web',
      required_proofs: ['phone'],
      trust_check_session_id: null,
      join_url: null,
      socket: { url: baseUrl, token: tokenOf(made), room: null },
    });
    expect(made.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax/);
    const [, claims = ''] = tokenOf(made).split('.');
    const { nonce, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
      nonce: string;
      sub: string;
    };
    expect([nonce, sub]).toEqual(['a-nonce-of-mine', made.body['join_session_id']]);
    for (const found of [
      await joined(link, tokenOf(made)),
      await joined(link, undefined, cookieOf(made)),
    ]) {
      expect(found.body['join_session_id']).toBe(made.body['join_session_id']);
    }
    const addin = await join(link, { client: 'addin' });
    expect((await joined(link, tokenOf(addin))).body['client']).toBe('addin');
    const elsewhere = await newMeetingLink();
    for (const missed of [
      await joined(link),
      await joined(link, undefined, `${cookieOf(made).slice(0, -1)}_`),
      await joined(elsewhere, tokenOf(made)),
      await joined(elsewhere, undefined, cookieOf(made)),
      await joined('no-such-link', tokenOf(made)),
    ]) {
      expect(outcome(missed)).toEqual([404, 'not_found']);
    }
    for (const token of [own.api_key, own.member.session_token]) {
      expect(outcome(await joined(link, token))).toEqual([401, 'credential_invalid']);
    }
    expect(outcome(await joined(link, 'nonsense'))).toEqual([401, 'credential_malformed']);
  });

  it('returns the newest open session of a browser', async () => {
    const link = await newMeetingLink();
    const first = await join(link);
    const second = await join(link, {}, cookieOf(first));
    expect(cookieOf(second)).toBe(cookieOf(first));
    const found = await joined(link, undefined, cookieOf(first));
    expect(found.body['join_session_id']).toBe(second.body['join_session_id']);
  });

  it('is refused without a meeting to join', async () => {
    expect(outcome(await join('no-such-link'))).toEqual([404, 'not_found']);
    expect(outcome(await join(await newLink()))).toEqual([409, 'invalid_state']);
    const paused = await newMeetingLink();
    await call('PATCH', `/v2/${paused}`, { token: own.api_key, body: { paused: true } });
    expect(outcome(await join(paused))).toEqual([409, 'link_not_active']);
    const conf = await newMeetingLink({ platform: 'conf-a' });
    expect(outcome(await join(conf))).toEqual([409, 'platform_not_configured']);
    const link = await newMeetingLink();
    expect(outcome(await join(link, { platform: 'conf-b' }))).toEqual([409, 'invalid_state']);
    expect(outcome(await join(link, { meeting_id: 'AAAA' }))).toEqual([404, 'not_found']);
    const { meeting_id } = await started(link);
    expect((await join(link, { meeting_id })).status).toBe(200);
  });

  it('returns 422 for malformed values', async () => {
    const link = await newMeetingLink();
    for (const more of [
      { display_name: '' },
      { display_name: 'x'.repeat(121) },
      { display_name: { toString: 'x' } },
      { platform: 'elsewhere' },
      { client: 'toaster' },
      { nonce: 'short' },
      { nonce: 'with\nbreak' },
      { meeting_id: '../..' },
      { link_uuid: '../..' },
      { link_uuid: null },
    ]) {
      expect((await join(link, more)).status, JSON.stringify(more)).toBe(422);
    }
  });
});

describe('a join session', () => {
  it('admits a person as verified after their check has passed', { timeout: 60_000 }, async () => {
    const link = await newMeetingLink();
    const made = await join(link);
    const token = tokenOf(made);
    const early = await start(link, { join_session_id: made.body['join_session_id'] });
    expect(outcome(early)).toEqual([409, 'invalid_state']);
    const check = await collecting(link, 'web', undefined, { join_token: token });
    const verifying = await joined(link, token);
    expect(verifying.body).toMatchObject({
      status: 'verifying',
      trust_check_session_id: check.id,
    });
    await pass(check);
    const host = await started(link);
    const ready = await joined(link, token);
    expect(ready.body).toMatchObject({
      status: 'ready',
      join_url: `${baseUrl}/v2/meeting-by-link/${link}`,
      socket: { room: host.socket.stream },
    });
    const socket = await connect(token);
    const { stream } = host.socket;
    expect(await subscribe(socket, { stream })).toMatchObject({ ok: true });
    const outsider = await connect(tokenOf(await join(await newMeetingLink())));
    expect(await subscribe(outsider, { stream })).toEqual({ ok: false, code: 'not_found' });

    expect(outcome(await play(host, { kind: 'ended' }, token))).toEqual([403, 'role_required']);
    const other = { kind: 'joined', participant_id: host.participant_id };
    expect(outcome(await play(host, other, token))).toEqual([403, 'role_required']);
    expect((await play(host, { kind: 'joined' }, token)).status).toBe(202);
    const { participant_id } = made.body;
    const body = await meetingOnce(host, 'a verified one', (now) => now['verified_count'] === 1);
    expect(body['participants']).toMatchObject([
      { role: 'host', verification: 'unverified', attestation: null },
      {
        participant_id,
        display_name: 'A guest',
        status: 'joined',
        verification: 'verified',
        attestation: 'C',
        link_session_id: check.id,
      },
    ]);
    expect((await joined(link, token)).body['status']).toBe('joined');
    expect(outcome(await joined(link, undefined, cookieOf(made)))).toEqual([404, 'not_found']);
    const again = await started(link, { join_session_id: made.body['join_session_id'] });
    expect(again.participant_id).toBe(participant_id);

    const path = `/v2/trust-checks/${check.id}/revoke`;
    expect((await call('POST', path, { token: own.api_key })).status).toBe(200);
    const { body: after } = await getMeeting(host);
    expect(after['verified_count']).toBe(0);
    expect(after['participants']).toMatchObject([
      { role: 'host' },
      { participant_id, verification: 'failed', attestation: null },
    ]);
  });

  it('is ready only through its own check', async () => {
    const link = await newMeetingLink({}, { single_use: true });
    const first = await join(link);
    await beginSession(link, 'web', { join_token: tokenOf(first) });
    const second = await join(link);
    // Another holder of the link cannot use the check of the first.
    const body = { link_uuid: link, client: 'web', join_token: tokenOf(second) };
    const taken = await call('POST', '/v2/trust-checks', { body });
    expect(outcome(taken)).toEqual([409, 'already_begun']);
    expect((await joined(link, tokenOf(second))).body['status']).toBe('created');
    const elsewhere = await newMeetingLink();
    for (const join_token of ['nonsense', tokenOf(first)]) {
      const refused = await call('POST', '/v2/trust-checks', {
        body: { link_uuid: elsewhere, client: 'web', join_token },
      });
      expect(outcome(refused)).toEqual([401, 'credential_invalid']);
    }
    const foreign = await start(elsewhere, { join_session_id: first.body['join_session_id'] });
    expect(outcome(foreign)).toEqual([404, 'not_found']);
  });
});

describe('the state of a join session', () => {
  const made = new Date('2026-01-01T00:00:00Z');
  const later = (minutes: number) => new Date(made.getTime() + minutes * 60_000);
  const row = { status: 'created', created_at: made, expires_at: later(10) } as const;
  const state = (status: (typeof trustCheckStates)[number], at = later(1)) =>
    joinStateOf(row, { status, outcome_validity: 'valid' }, false, at);

  it('follows from the state of its check', () => {
    expect(Object.fromEntries(trustCheckStates.map((status) => [status, state(status)]))).toEqual({
      created: 'claimed',
      opened: 'claimed',
      paired: 'verifying',
      collecting: 'verifying',
      processing: 'verifying',
      requires_retry: 'verifying',
      in_review: 'verifying',
      passed: 'ready',
      failed: 'denied',
      declined: 'denied',
      expired: 'expired',
      abandoned: 'canceled',
      canceled: 'canceled',
    });
    expect(joinStateOf(row, { status: 'passed', outcome_validity: 'revoked' }, false, made)).toBe(
      'denied',
    );
  });

  it('expires after ten minutes unclaimed, and after a day in any case', () => {
    expect(joinStateOf(row, null, false, later(9))).toBe('created');
    expect(joinStateOf(row, null, false, later(10))).toBe('expired');
    expect(joinStateOf(row, null, true, later(9))).toBe('ready');
    expect(state('passed', later(24 * 60 - 1))).toBe('ready');
    expect(state('passed', later(24 * 60))).toBe('expired');
    expect(joinStateOf({ ...row, status: 'joined' }, null, false, later(24 * 60))).toBe('joined');
  });
});
