import { afterAll, describe, expect, it } from 'vitest';
import { call } from '../../support/http/client.ts';
import { newAddress } from '../../support/people/mailbox.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own, baseUrl } = ownPlatform();
const { app_id: app, api_key: token } = own;
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

interface Kept {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const mailTo = (address: string): Promise<Kept> =>
  eventually(`mail to ${address}`, async () => {
    const { rows } = await db.query<Kept>(
      'SELECT subject, text, html FROM outbox_messages WHERE recipient = $1',
      [address],
    );
    return rows[0];
  });

describe('the language of an email', () => {
  it.each([
    [{ locale: 'de-AT' }, 'fr', 'de', 'Ihr Link zum Anmelden'],
    [{}, 'sw, fr-CH;q=0.9, en;q=0.8', 'fr', 'Votre lien de connexion'],
    [{ locale: 'iw' }, undefined, 'he', 'קישור הכניסה שלך'],
    [{ locale: 'sw' }, 'de', 'en', 'Your link to sign in'],
    [{}, 'sw', 'en', 'Your link to sign in'],
    [{}, undefined, 'en', 'Your link to sign in'],
  ])(
    'follows the locale or Accept-Language of a sign-in (%j, %j)',
    async (body, ranges, language, subject) => {
      const email = newAddress();
      const headers: Record<string, string> = ranges ? { 'accept-language': ranges } : {};
      const asked = await call('POST', '/v2/email/login/request', {
        body: { email, ...body },
        headers,
      });
      expect([asked.status, asked.body]).toEqual([202, { status: 'accepted' }]);
      const mail = await mailTo(email);
      expect(mail.subject).toBe(subject);
      expect(mail.text).toContain(new URL(baseUrl).host);
      expect(mail.html).toContain(
        `<html lang="${language}" dir="${language === 'he' ? 'rtl' : 'ltr'}"`,
      );
    },
  );

  it('is used with the app name when signing in to an app', async () => {
    const email = newAddress();
    await call('POST', '/v2/email/login/request', { body: { email, app_id: app, locale: 'nl' } });
    const { rows } = await db.query<{ name: string }>('SELECT name FROM apps WHERE app_id = $1', [
      app,
    ]);
    expect((await mailTo(email)).text).toContain(`inloggen bij ${rows[0]?.name}.`);
  });

  it('is the locale of an emailed link, which stores it', async () => {
    const email = newAddress();
    const sent = await call('POST', `/v2/link/send/${app}`, {
      token,
      body: {
        send_to_email: email,
        locale: 'ar-eg',
        recipient_name: '<b>A</b>\r\nBcc: x@example.test',
        reference_note: '</div><script>alert(1)</script>',
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      },
    });
    expect(sent.status).toBe(200);
    const { subject, text, html } = await mailTo(email);
    expect(subject).toMatch(/^طلب من \u2068[^\u2069\r\n]+\u2069 لتأكيد هويتك$/);
    expect(text).toContain('مرحبًا \u2068<b>A</b> Bcc: x@example.test\u2069،');
    expect(text).toMatch(/يعمل حتى .+ UTC\./);
    expect(html).toContain('<html lang="ar" dir="rtl"');
    expect(html).toContain('&lt;/div&gt;&lt;script&gt;');
    const { rows } = await db.query('SELECT locale FROM links WHERE link_uuid = $1', [
      sent.body['link_uuid'],
    ]);
    expect(rows).toEqual([{ locale: 'ar-EG' }]);
  });

  it.each([
    '',
    'd',
    'de_AT',
    'german',
    'en-aa-bb',
    'de-',
    'de\n',
    'x-private',
    `de-${'a'.repeat(40)}`,
  ])('cannot be %j: 422', async (locale) => {
    const login = { email: newAddress(), locale };
    const link = { send_to_email: newAddress(), locale };
    const answers = [
      await call('POST', '/v2/email/login/request', { body: login }),
      await call('POST', `/v2/link/send/${app}`, { token, body: link }),
      await call('PUT', `/v2/link/${app}`, { token, body: { locale } }),
      await call('POST', '/v2/trust-checks', {
        body: { link_uuid: 'none', client: 'web', locale },
      }),
    ];
    const places = answers.map(({ status, body }) => [
      status,
      (body['detail'] as { loc: unknown }[]).map(({ loc }) => loc),
    ]);
    expect(places).toEqual(answers.map(() => [422, [['body', 'locale']]]));
  });
});
