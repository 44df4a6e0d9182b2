import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMailer } from '../../../activities/mail/config.ts';
import { createSendgridMailer } from '../../../activities/mail/sendgrid.ts';
import type { Mailer } from '../../../activities/mail/port.ts';
import type { Provider } from '../../stand-ins/provider.ts';
import { startSendgrid } from '../../stand-ins/sendgrid.ts';

const mail = {
  to: 'person@example.test',
  subject: 'A link for you',
  text: 'plain',
  html: '<p>rich</p>',
  idempotencyKey: 'link-invite/1',
};
let provider: Provider;
let mailer: Mailer;

beforeAll(async () => {
  provider = await startSendgrid('SG.key');
  mailer = createSendgridMailer({
    apiKey: 'SG.key',
    from: 'checks@example.test',
    baseUrl: provider.url,
  });
});
afterAll(() => provider.stop());

describe('mail by the provider', () => {
  it('is taken, with both parts, tracking off and its key', async () => {
    expect(await mailer.send(mail)).toEqual({ messageId: 'm1' });
    const body = provider.received.at(-1)?.body ?? '';
    expect(body).toContain('link-invite/1');
    expect(body).toContain('"click_tracking":{"enable":false');
  });

  it('is refused for good by a 4xx, and later by 429, 5xx or a broken line', async () => {
    provider.faults.push({ status: 400, body: { errors: [{ message: 'person@example.test' }] } });
    await expect(mailer.send(mail)).rejects.toMatchObject({ code: 'mail_rejected' });
    for (const fault of [{ status: 429, body: {} }, { status: 503, body: {} }, 'reset'] as const) {
      provider.faults.push(fault);
      await expect(mailer.send(mail)).rejects.toMatchObject({ code: 'dependency_unavailable' });
    }
  });

  it('never carries an address that is more than one, or a subject of two lines', async () => {
    const count = provider.received.length;
    for (const to of [
      'a@b.test,c@d.test',
      'a@b.test\r\nBcc: x@y.test',
      '<a@b.test>',
      'a b@c.test',
      '',
    ]) {
      await expect(mailer.send({ ...mail, to })).rejects.toMatchObject({ code: 'mail_rejected' });
    }
    const subject = 'x\r\nBcc: y@z.test';
    await expect(mailer.send({ ...mail, subject })).rejects.toMatchObject({
      code: 'mail_rejected',
    });
    expect(provider.received).toHaveLength(count);
  });

  it('fails with a wrong key and tells nothing of it', async () => {
    const other = createSendgridMailer({
      apiKey: 'SG.other',
      from: 'a@b.test',
      baseUrl: provider.url,
    });
    const error: unknown = await other.send(mail).catch((thrown: unknown) => thrown);
    expect(String(error)).not.toContain('SG.other');
    expect(error).toMatchObject({ code: 'mail_rejected' });
  });
});

describe('the configured mailer', () => {
  it('is never the outbox in production', () => {
    const outbox = { add: async () => ({ messageId: 'x' }) };
    expect(() => createMailer({ PROFILE: 'production' }, outbox)).toThrow('SENDGRID_API_KEY');
  });
});
