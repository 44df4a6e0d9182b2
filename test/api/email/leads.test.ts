import { afterAll, describe, expect, it } from 'vitest';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { askLink, askLogin, newAddress, textTo } from '../../support/people/mailbox.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own, baseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

describe('the email that attaches an address', () => {
  it('links to our own page regardless of return_to, and states what it grants', async () => {
    const device = await enrolledPhone();
    const { body: session } = await portalLogin(await goodBundle(device));
    const origin = 'https://portal.example.test';
    const path = `/v2/accounts/${own.account_id}/apps/page-${process.pid}`;
    const app = { name: 'Example portal', kind: 'portal', allowed_origins: [origin] };
    const made = await call('PUT', path, { token: own.api_key, body: app });
    expect(made.status).toBe(201);
    const more = { app_id: made.body['app_id'], return_to: `${origin}/collect` };
    const [attached, login] = [newAddress(), newAddress()];
    await askLink(String(session['session_token']), { email: attached, ...more });
    await askLogin({ email: login, ...more });
    const [attach, signIn] = await Promise.all([textTo(attached), textTo(login)]);
    expect(attach).toContain(`${baseUrl}/email/verify?locale=en#t=`);
    expect(attach).not.toContain('portal.example.test');
    expect(attach).toContain('goes to the person who asked for this message, and to their phone');
    expect(signIn).toContain(`${origin}/collect#t=`);
    const { rows } = await db.query<{ name: string; verified: boolean }>(
      'SELECT name, verified FROM accounts WHERE account_id = $1',
      [own.account_id],
    );
    const name = `${rows[0]?.name}, a name we have ${rows[0]?.verified ? '' : 'not '}verified`;
    expect(signIn).toContain(`${name}. The link leads to portal.example.test.`);
    expect(attach).toContain(`${name}. The link leads to ${new URL(baseUrl).host}.`);
  });
});
