import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { beginSession, call, collecting, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi } from '../../support/platform/second-api.ts';
import { connect, endSockets, subscribe } from '../events/connect.ts';
import { mustOwn, signed, told } from './proofs.ts';

const { baseUrl } = ownPlatform();
const checks = '/v2/trust-checks';
/** An API whose clock is past the life of the current nonces. */
const later = await startSecondApi({}, { clock: () => new Date(Date.now() + 11 * 60_000) });
afterAll(() => later.stop());
endSockets();

describe('a DPoP proof', () => {
  it('is accepted once', async () => {
    const { id, token } = await beginSession(await newLink());
    const headers = await signed(mustOwn(token), 'GET', `${checks}/${id}`, token);
    const get = () => told('GET', `${checks}/${id}`, { token, headers });
    expect(await get()).toEqual([200, undefined]);
    expect(await get()).toEqual([401, 'invalid_dpop_proof', 'jti']);
    const many = await signed(mustOwn(token), 'GET', `${checks}/${id}`, token);
    const race = await Promise.all(
      Array.from({ length: 8 }, () => told('GET', `${checks}/${id}`, { token, headers: many })),
    );
    expect(race.filter(([status]) => status === 200)).toHaveLength(1);
  });

  it('is valid only for its method, URL, token and body', async () => {
    const { id, token } = await beginSession(await newLink());
    const { token: otherToken, id: otherId } = await beginSession(await newLink());
    const path = `${checks}/${id}/open`;
    const browser = mustOwn(token);
    const post = (headers: Record<string, string>, raw = '{}') =>
      told('POST', path, { token, raw, headers });
    const refused = (rule: string) => [401, 'invalid_dpop_proof', rule];
    expect(await post(await signed(browser, 'PUT', path, token, '{}'))).toEqual(refused('htm'));
    const elsewhere = `${checks}/${otherId}/open`;
    expect(await post(await signed(browser, 'POST', elsewhere, token, '{}'))).toEqual(
      refused('htu'),
    );
    expect(await post(await signed(browser, 'POST', path, otherToken, '{}'))).toEqual(
      refused('ath'),
    );
    const none = await signed(browser, 'POST', path, token);
    expect(await post(none)).toEqual(refused('body_sha256'));
    expect(await post(await signed(browser, 'POST', path, token, '{}'), '{ }')).toEqual(
      refused('body_sha256'),
    );
    expect(await post(await signed(browser, 'POST', path, token, '{}'))).toEqual([200, undefined]);
  });

  it('covers the bytes of an upload', async () => {
    const { id, token } = await collecting(await newLink());
    const path = `${checks}/${id}/evidence/front`;
    const file = new Uint8Array([0xff, 0xd8, 0xff, 1]);
    const dpop = await mustOwn(token).sign({
      method: 'PUT',
      url: `${baseUrl}${path}`,
      token,
      body: new Uint8Array([0xff, 0xd8, 0xff, 2]),
    });
    const changed = { token, raw: file, headers: { dpop } };
    expect(await told('PUT', path, changed)).toEqual([401, 'invalid_dpop_proof', 'body_sha256']);
    const kept = await call('PUT', path, { token, raw: file });
    const sha256 = createHash('sha256').update(file).digest('hex');
    expect([kept.status, kept.body['sha256']]).toEqual([200, sha256]);
  });

  it('needs a new nonce when its nonce is older than two periods', async () => {
    const { id, token } = await beginSession(await newLink());
    const path = `${checks}/${id}`;
    const headers = await signed(mustOwn(token), 'GET', path, token);
    const asked = await call('GET', path, { token, headers, at: later.origin });
    expect([asked.status, asked.body['code']]).toEqual([401, 'use_dpop_nonce']);
    expect((await call('GET', path, { token, at: later.origin })).status).toBe(200);
  });
});

describe('a socket with a check token', () => {
  const proofOf = (token: string): Promise<string> =>
    mustOwn(token).sign({ method: 'GET', url: `${baseUrl}/socket.io/`, token });

  it('requires a new proof of its key in each handshake', async () => {
    const { id, token } = await beginSession(await newLink());
    const proof = await proofOf(token);
    const socket = await connect(token, { proof });
    expect(await subscribe(socket, { stream: `trust-check:${id}` })).toMatchObject({ ok: true });
    await expect(connect(token, { proof })).rejects.toThrow('invalid_dpop_proof');
    await expect(connect(token, { proof: null })).rejects.toThrow('invalid_dpop_proof');
    await expect(connect(token, { proof: { a: 1 } })).rejects.toThrow('invalid_dpop_proof');
    const ofGet = await signed(mustOwn(token), 'GET', `${checks}/${id}`, token);
    await expect(connect(token, { proof: ofGet.dpop })).rejects.toThrow('invalid_dpop_proof');
  });

  it('is refused without a proof, and receives a nonce for one', async () => {
    const { token } = await beginSession(await newLink());
    const bare = await connect(token, { isUnsigned: true }).catch((error: unknown) => error);
    expect(bare).toMatchObject({ data: { code: 'dpop_proof_required' } });
    const owner = mustOwn(token);
    owner.takeNonce('A'.repeat(22));
    const proof = await proofOf(token);
    const asked = await connect(token, { proof }).catch((error: unknown) => error);
    expect(asked).toMatchObject({ data: { code: 'use_dpop_nonce', nonce: expect.any(String) } });
    owner.takeNonce((asked as { data: { nonce: string } }).data.nonce);
    expect((await connect(token)).connected).toBe(true);
  });
});
