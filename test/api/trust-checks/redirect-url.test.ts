import { describe, expect, it } from 'vitest';
import { leadingTo } from '../../support/checks/leading-to.ts';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();
const origin = `https://on-from-${process.pid}.example`;
leadingTo(origin);
const seenBy = async (id: string, token: string): Promise<unknown> =>
  (await call('GET', `/v2/trust-checks/${id}`, { token })).body['redirect_url'];

describe('redirect_url of a check', () => {
  it('is shown only to the holder of the check token, after the check has ended', async () => {
    const redirect_url = `${origin}/done?order=7`;
    const { id, token } = await beginSession(await newLink({ redirect_url }));
    expect(await seenBy(id, token)).toBeNull();
    const path = `/v2/trust-checks/${id}/cancel`;
    expect((await call('POST', path, { token: own.api_key, body: {} })).status).toBe(200);
    expect(await seenBy(id, token)).toBe(redirect_url);
    expect(await seenBy(id, own.api_key)).toBeNull();
  });
});
