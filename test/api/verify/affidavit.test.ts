import { describe, expect, it } from 'vitest';
import { call, passedSession, withAffidavit } from '../../client.ts';
import { ownPlatform } from '../../own-platform.ts';

const { own } = ownPlatform();

describe('verify.affidavit', () => {
  it('names the file and says when its outcome was revoked, and nothing of the person', async () => {
    const session = await passedSession();
    const done = await withAffidavit(session);
    const { affidavit_id, sha256 } = done.body['affidavit'] as Record<string, string>;
    const page = await call('GET', `/verify/${affidavit_id}`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).toContain(sha256);
    expect(page.text).toContain('not revoked');
    expect(page.text).not.toContain(session.id);
    await call('POST', `/v2/trust-checks/${session.id}/revoke`, { token: own.api_key });
    const after = await call('GET', `/verify/${affidavit_id}`);
    expect(after.text).toContain('revoked by the requester');
  });

  it('knows no other', async () => {
    expect((await call('GET', `/verify/aff_${'0'.repeat(26)}`)).status).toBe(404);
    expect((await call('GET', '/verify/nonsense')).status).toBe(422);
  });
});
