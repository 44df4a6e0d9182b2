import { describe, expect, it } from 'vitest';
import { checkPage } from '../../../api/links/visitor/pages/check.ts';
import { catalogs } from '../../../domain/languages/say.ts';
import { checkFactsOf } from '../../support/fixtures/check-facts.ts';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign, baseUrl } = ownPlatform();
const { app_id: app, api_key: token } = own;

const places = (uuid: string) => [`/v2/link/${app}/${uuid}`, `/v2/${app}/${uuid}`, `/v2/${uuid}`];

describe('links.update', () => {
  it('changes the given fields and increments the version, by every alias', async () => {
    const uuid = await newLink({ title: 'before', metadata: { kept: 'yes' } });
    for (const [index, path] of places(uuid).entries()) {
      const changed = await call('PATCH', path, { token, body: { title: `after ${index}` } });
      expect(changed.status).toBe(200);
      expect(changed.body).toMatchObject({ title: `after ${index}`, metadata: { kept: 'yes' } });
      expect(changed.headers.get('etag')).toBe(`"${index + 2}"`);
    }
  });

  it('pauses and resumes a link', async () => {
    const uuid = await newLink();
    const paused = await call('PATCH', `/v2/${uuid}`, { token, body: { paused: true } });
    expect(paused.body['status']).toBe('paused');
    const begun = await call('POST', '/v2/trust-checks', {
      body: { link_uuid: uuid, client: 'web' },
    });
    expect([begun.status, begun.body['code']]).toEqual([409, 'link_not_active']);
    const resumed = await call('PATCH', `/v2/${uuid}`, { token, body: { paused: false } });
    expect(resumed.body['status']).toBe('active');
  });

  it('does not change the fields that only the service sets', async () => {
    const headers = { prefer: 'handling=lenient' };
    const fixed = {
      link_uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      app_id: foreign.app_id,
      account_id: foreign.account_id,
      created_by: 'somebody',
      status: 'consumed',
    };
    const names = Object.keys(fixed);
    const made = await call('PUT', `/v2/${app}`, { token, body: fixed, headers });
    const uuid = String(made.body['link_uuid']);
    const before = await call('GET', `/v2/raw/${uuid}`, { token });
    const of = (answer: Record<string, unknown>) => names.map((name) => answer[name]);
    const kept = [uuid, app, own.account_id, token.slice(0, 20), 'active'];
    expect([of(made.body), of(before.body)]).toEqual([kept, kept]);
    const unlimited = { single_use: true, max_uses: 1, use_count: 9 };
    for (const path of places(uuid)) {
      const body = { ...fixed, ...unlimited };
      expect((await call('PATCH', path, { token, body })).status).toBe(422);
      const changed = await call('PATCH', path, { token, body, headers });
      const ignored = changed.headers.get('x-ignored-fields')?.split(', ');
      expect([changed.status, ignored]).toEqual([200, [...names, ...Object.keys(unlimited)]]);
    }
    const after = await call('GET', `/v2/raw/${uuid}`, { token });
    expect(after.body).toEqual(before.body);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  it('compares If-Match with the version', async () => {
    const uuid = await newLink();
    const stale = await call('PATCH', `/v2/${uuid}`, {
      token,
      body: { title: 'x' },
      headers: { 'if-match': '"7"' },
    });
    expect(stale.status).toBe(412);
    const fresh = await call('PATCH', `/v2/${uuid}`, {
      token,
      body: { title: 'x' },
      headers: { 'if-match': '"1"' },
    });
    expect(fresh.status).toBe(200);
  });

  it('refuses a member who did not create the link, and strangers', async () => {
    const uuid = await newLink();
    const body = { title: 'mine now' };
    const member = await call('PATCH', `/v2/${uuid}`, { token: own.member.session_token, body });
    const stranger = await call('PATCH', `/v2/${uuid}`, { token: foreign.api_key, body });
    expect([member.status, member.body['code']]).toEqual([403, 'role_required']);
    expect(stranger.status).toBe(404);
  });

  it('stores expected values that previews hide and managers can read', async () => {
    const uuid = await newLink({ matching_params: { full_name: 'Anna Specimen' } });
    const preview = await call('GET', `/v2/${uuid}?format_type=J`);
    expect(preview.text).not.toContain('Specimen');
    const raw = await call('GET', `/v2/raw/${uuid}`, { token });
    expect(raw.body['matching_params']).toEqual({ full_name: 'Anna Specimen' });
  });
});

describe('links.remove', () => {
  it.each([0, 1, 2])('deletes once by alias %i and returns 404 afterwards', async (index) => {
    const uuid = await newLink();
    const path = places(uuid)[index] ?? '';
    const gone = await call('DELETE', path, { token });
    expect(gone.body).toEqual({ link_uuid: uuid, deleted: true });
    expect((await call('DELETE', path, { token })).status).toBe(404);
    expect((await call('GET', path.replace('/link/', '/'), {})).status).toBe(404);
  });

  it('cancels the session that leases the link', async () => {
    const uuid = await newLink({ single_use: true });
    const session = await beginSession(uuid);
    await call('DELETE', `/v2/${uuid}`, { token });
    const ended = await session.get();
    expect(ended.body).toMatchObject({ status: 'canceled', reason_code: 'link_deleted' });
  });
});

describe('links.preview', () => {
  const shown = async (path: string, headers: Record<string, string>) => {
    const { status, headers: got } = await call('GET', path, { headers });
    return [status, got.get('content-type')?.split(';')[0]];
  };

  it('returns the format that the client accepts', async () => {
    const uuid = await newLink({ title: '<script>alert(1)</script>' });
    const path = `/v2/${app}/${uuid}`;
    expect(await shown(path, { accept: 'application/json' })).toEqual([200, 'application/json']);
    expect(await shown(path, { accept: 'image/*' })).toEqual([200, 'image/svg+xml']);
    const asImage = { 'sec-fetch-dest': 'image', accept: '*/*' };
    expect(await shown(path, asImage)).toEqual([200, 'image/svg+xml']);
    const asPage = { accept: 'text/html,application/json;q=0.9' };
    expect(await shown(path, asPage)).toEqual([200, 'text/html']);
    for (const format of ['J', 'S', 'H']) {
      const answer = await call('GET', `/v2/preview/${format}/${app}/${uuid}`);
      expect(answer.status).toBe(200);
      if (format !== 'J') expect(answer.text).not.toContain('<script>alert');
    }
    expect((await call('GET', `${path}?format_type=X`)).status).toBe(422);
  });

  it('shows on its page whether simulated evidence is accepted', async () => {
    const uuid = await newLink();
    const mark = catalogs.en['check.development'];
    expect((await call('GET', `/v2/preview/H/${app}/${uuid}`)).text).toContain(mark);
    // The texts of every page include this phrase, so the test looks for the element.
    const shown = async (isDevelopment: boolean): Promise<boolean> =>
      (await checkPage(checkFactsOf({ isDevelopment }))).content.includes(`>${mark}<`);
    expect([await shown(true), await shown(false)]).toEqual([true, false]);
  });

  it('shows the time of a meeting in UTC', async () => {
    const meeting = { topic: 'A talk', scheduled_at: '2030-01-01T10:00:00+02:00' };
    const uuid = await newLink({ link_type: 'meeting', meeting });
    const { body } = await call('GET', `/v2/${uuid}?format_type=J`);
    expect(body['meeting']).toEqual({ topic: 'A talk', scheduled_at: '2030-01-01T08:00:00.000Z' });
  });

  it('hides details of a meeting that managers can read', async () => {
    const shown = { platform: 'sandbox', topic: 'A talk', scheduled_at: '2030-01-01T10:00:00Z' };
    const kept = {
      organization: 'An organization',
      duration_minutes: 45,
      host_email: 'host@example.test',
    } as const;
    const meeting = { ...shown, platform: 'sandbox', ...kept } as const;
    const uuid = await newLink({ link_type: 'meeting', meeting });
    const scheduled_at = '2030-01-01T10:00:00.000Z';
    const raw = await call('GET', `/v2/raw/${uuid}`, { token });
    expect(raw.body['meeting']).toEqual({ ...shown, ...kept, scheduled_at });
    const preview = await call('GET', `/v2/${uuid}?format_type=J`);
    expect(preview.body['meeting']).toEqual({ ...shown, scheduled_at });
    const none = await call('GET', `/v2/raw/${await newLink()}`, { token });
    expect(none.body['meeting']).toBeNull();
  });

  it('returns 404 for unknown and malformed ids and foreign apps; HEAD is like GET', async () => {
    const uuid = await newLink();
    expect((await call('GET', '/v2/6f9619ff-8b86-4d01-b42d-00cf4fc964ff')).status).toBe(404);
    expect((await call('GET', `/v2/${foreign.app_id}/${uuid}`)).status).toBe(404);
    const head = await fetch(`${baseUrl}/v2/${uuid}`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('changes nothing, however often it is opened', async () => {
    const uuid = await newLink({ single_use: true });
    await Promise.all(Array.from({ length: 20 }, () => call('GET', `/v2/${uuid}`)));
    const raw = await call('GET', `/v2/raw/${uuid}`, { token });
    expect(raw.body).toMatchObject({ status: 'active', use_count: 0, sessions: [] });
  });
});

describe('links.send', () => {
  it('emails a single-use link with a token that is required to begin', async () => {
    const email = `person-${process.pid}-${Math.floor(Math.random() * 1e9)}@example.test`;
    const sent = await call('POST', `/v2/link/send/${app}`, {
      token,
      body: { send_to_email: email, recipient_name: 'A\r\nBcc: x@example.test' },
    });
    expect(sent.status).toBe(200);
    expect(sent.body).toMatchObject({ single_use: true, delivery: { status: 'queued' } });
    const uuid = String(sent.body['link_uuid']);
    const mail = await eventually('the invitation', async () => {
      const { body } = await call('GET', '/outbox/messages?limit=200');
      const items = body['items'] as { recipient: string; text: string }[];
      return items.find(({ recipient }) => recipient === email);
    });
    const linkToken = /#t=([A-Za-z0-9_-]{22})/.exec(mail.text)?.[1];
    expect(linkToken).toBeDefined();
    const begin = (link_token?: string) =>
      call('POST', '/v2/trust-checks', { body: { link_uuid: uuid, client: 'web', link_token } });
    expect((await begin()).status).toBe(401);
    expect((await begin('A'.repeat(22))).status).toBe(401);
    expect((await begin(linkToken)).status).toBe(201);
    const patched = await call('PATCH', `/v2/${uuid}`, { token, body: { single_use: false } });
    expect([patched.status, patched.body['detail']]).toMatchObject([
      422,
      [{ loc: ['body', 'single_use'], type: 'unknown_field' }],
    ]);
    const still = await call('GET', `/v2/raw/${uuid}`, { token });
    expect(still.body).toMatchObject({ single_use: true });
    await eventually('the delivery state', async () => {
      const raw = await call('GET', `/v2/raw/${uuid}`, { token });
      return (raw.body['delivery'] as { status: string }).status === 'sent';
    });
  });
});

describe('an address to which links are emailed', () => {
  it('gets at most five emails per account and day; further links report a failed delivery', async () => {
    const email = `often-${process.pid}-${Date.now()}@example.test`;
    const send = (to: string) =>
      call('POST', `/v2/link/send/${app}`, { token, body: { send_to_email: to } });
    const spellings = [email, email.toUpperCase(), email, email, email, email.replace('o', 'O')];
    const sent = await Promise.all(spellings.map(send));
    expect(sent.map(({ status, body }) => [status, body['delivery']])).toEqual(
      sent.map(() => [200, { status: 'queued' }]),
    );
    const ids = sent.map(({ body }) => String(body['link_uuid']));
    const deliveries = await eventually('what became of each', async () => {
      const raw = await Promise.all(ids.map((id) => call('GET', `/v2/raw/${id}`, { token })));
      const states = raw.map(({ body }) => (body['delivery'] as { status: string }).status);
      return !states.includes('queued') && states;
    });
    expect(deliveries.toSorted()).toEqual(['failed', ...ids.slice(1).map(() => 'sent')]);
    const { body } = await call('GET', '/outbox/messages?limit=200');
    const items = body['items'] as { recipient: string }[];
    const mailed = items.filter(({ recipient }) => recipient.toLowerCase() === email);
    expect(mailed).toHaveLength(5);
    const refused = ids[deliveries.indexOf('failed')];
    const stream = `link:${refused}`;
    const { body: told } = await call('GET', `/v2/events?stream=${stream}`, { token });
    expect(told['items']).toContainEqual(
      expect.objectContaining({
        type: 'link.delivery_updated',
        data: { object: expect.objectContaining({ delivery_status: 'failed' }) },
      }),
    );
  });
});

describe('a link with sessions', () => {
  it('cancels all its sessions when it is deleted', async () => {
    const uuid = await newLink();
    const sessions = [await beginSession(uuid), await beginSession(uuid)];
    const removed = await call('DELETE', `/v2/${uuid}`, { token: own.api_key });
    expect(removed.status).toBe(200);
    for (const session of sessions) {
      expect((await session.get()).body).toMatchObject({
        status: 'canceled',
        reason_code: 'link_deleted',
      });
    }
  });

  it('cannot expire in the past or before its not_before', async () => {
    const uuid = await newLink();
    const change = (body: unknown) => call('PATCH', `/v2/${uuid}`, { token: own.api_key, body });
    expect((await change({ expires_at: '2020-01-01T00:00:00Z' })).status).toBe(422);
    const soon = (hours: number) => new Date(Date.now() + hours * 3600_000).toISOString();
    expect((await change({ not_before: soon(2), expires_at: soon(1) })).status).toBe(422);
    expect((await change({ not_before: soon(1), expires_at: soon(2) })).status).toBe(200);
    expect((await change({ not_before: soon(3) })).status).toBe(422);
  });
});
