import { io } from 'socket.io-client';
import { describe, expect, it } from 'vitest';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connect, endSockets, subscribe } from './connect.ts';

endSockets();
const { baseUrl } = ownPlatform();

describe('a socket', () => {
  it('is closed by a message over 16 KiB, but not by a smaller one', async () => {
    const { id, token } = await beginSession(await newLink());
    const stream = `trust-check:${id}`;
    const socket = await connect(token);
    const ended = new Promise<string>((resolve) => socket.once('disconnect', resolve));
    const long = { stream, padding: 'x'.repeat(15 * 1024) };
    // The message is processed and refused for its unknown member.
    expect(await subscribe(socket, long)).toEqual({ ok: false, code: 'malformed_json' });
    socket.emit('subscribe', { stream, padding: 'x'.repeat(16 * 1024) }, () => undefined);
    expect(await ended).toMatch(/^transport (close|error)$/);
    // A new connection is accepted.
    expect(await subscribe(await connect(token), { stream })).toMatchObject({ ok: true });
  });

  it('accepts a token only in its auth payload, since URLs are logged', async () => {
    const { token } = await beginSession(await newLink());
    const authorization = `Bearer ${token}`;
    for (const way of [
      { query: { token } },
      { query: { token, auth: JSON.stringify({ token }) }, auth: {} },
      { query: { token }, auth: { token: '' } },
      { query: { token }, auth: { token: [token] } },
      { extraHeaders: { authorization, cookie: `token=${token}` } },
    ]) {
      const socket = io(baseUrl, {
        transports: ['websocket'],
        reconnection: false,
        forceNew: true,
        ...way,
      });
      const refusal = await new Promise<string>((resolve) => {
        socket.once('connect', () => resolve('let in'));
        socket.once('connect_error', ({ message }) => resolve(message));
      });
      socket.disconnect();
      expect(refusal).toMatch(/^credential_(?:missing|malformed|invalid)$/);
    }
    expect((await connect(token)).connected).toBe(true);
  });

  it('reports a malformed token with the same code as REST', async () => {
    for (const [token, code] of [
      ['a.b', 'credential_malformed'],
      ['tk_live_x', 'credential_malformed'],
      ['eyJhbGciOiJFUzI1NiJ9.e30.c2ln', 'credential_malformed'],
    ] as const) {
      const asked = await call('GET', '/v2/accounts', { token });
      const told = await connect(token).catch(({ message }: Error) => message);
      expect([told, asked.body['code']]).toEqual([code, code]);
    }
  });
});
