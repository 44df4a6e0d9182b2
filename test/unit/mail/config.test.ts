import { describe, expect, it } from 'vitest';
import { createMailer, mailConfig } from '../../../activities/delivery/mail/config.ts';
import type { OutboxMessage } from '../../../activities/delivery/outbox.ts';

const kept: OutboxMessage[] = [];
const outbox = {
  add: async (message: OutboxMessage) => {
    kept.push(message);
    return { messageId: `msg_${kept.length}` };
  },
};
const whole = { SENDGRID_API_KEY: 'SG.not-to-be-seen', SENDGRID_FROM: 'check@trust.test' };
const server = { SMTP_URL: 'smtp://mail.test:1025', SMTP_FROM: 'check@trust.test' };
const letter = {
  to: 'anna@example.test',
  subject: 'Subject',
  text: 'text',
  html: '<p>text</p>',
  idempotencyKey: 'link-invite/1',
};

describe('the mailer of a process', () => {
  it('is the outbox in development, with the same rules', async () => {
    const mailer = createMailer({ PROFILE: 'development' }, outbox);
    const { to: recipient, ...rest } = letter;
    expect(await mailer.send(letter)).toEqual({ messageId: 'msg_1' });
    expect(kept).toEqual([{ channel: 'mail', recipient, ...rest }]);
    const refused = mailer.send({ ...letter, to: 'a@b.test\r\nBcc: c@d.test' });
    await expect(refused).rejects.toMatchObject({ code: 'mail_rejected' });
    expect(kept).toHaveLength(1);
  });

  it('is not the outbox in production', () => {
    expect(() => createMailer({ PROFILE: 'production' }, outbox)).toThrow(
      'wrong settings: SENDGRID_API_KEY, SENDGRID_FROM: required (or SMTP_URL, SMTP_FROM)',
    );
  });

  it.for(['development', 'production'] as const)(
    'needs all settings of SendGrid in %s',
    (PROFILE) => {
      const { SENDGRID_API_KEY, SENDGRID_FROM } = whole;
      expect(() => createMailer({ PROFILE, SENDGRID_API_KEY }, outbox)).toThrow(/SENDGRID_FROM/);
      expect(() => createMailer({ PROFILE, SENDGRID_FROM }, outbox)).toThrow(/SENDGRID_API_KEY/);
      const SENDGRID_BASE_URL = 'https://mail.test';
      expect(() => createMailer({ PROFILE, SENDGRID_BASE_URL }, outbox)).toThrow(/SENDGRID_/);
      expect(() => createMailer({ PROFILE, SENDGRID_API_KEY }, outbox)).not.toThrow(
        /not-to-be-seen/,
      );
      expect(() => createMailer({ PROFILE, ...whole }, outbox)).not.toThrow();
    },
  );

  it.for(['development', 'production'] as const)(
    'is one SMTP server, with all its settings, in %s',
    (PROFILE) => {
      const { SMTP_URL, SMTP_FROM } = server;
      expect(() => createMailer({ PROFILE, ...server }, outbox)).not.toThrow();
      expect(() => createMailer({ PROFILE, SMTP_URL }, outbox)).toThrow(
        'wrong settings: SMTP_FROM: required',
      );
      expect(() => createMailer({ PROFILE, SMTP_FROM }, outbox)).toThrow(
        'wrong settings: SMTP_URL: required',
      );
      expect(() => createMailer({ PROFILE, ...whole, ...server }, outbox)).toThrow(/set one$/);
      expect(() => createMailer({ PROFILE, ...whole, SMTP_URL }, outbox)).toThrow(/set one$/);
    },
  );

  it.for([
    ['SMTP_URL', 'smtp://mail.test', true],
    ['SMTP_URL', 'smtp://mail.test:1025', true],
    ['SMTP_URL', 'smtps://user:p%40ss@[::1]:465/', true],
    ['SMTP_URL', 'smtp://user:50%25off@mail.test', true],
    ['SMTP_URL', 'smtp://user:50%off@mail.test', false],
    ['SMTP_URL', 'smtp://50%off:password@mail.test', false],
    ['SMTP_URL', 'smtp://user:%ff@mail.test', false],
    ['SMTP_URL', 'smtp://user@mail.test', false],
    ['SMTP_URL', 'smtp://:password@mail.test', false],
    ['SMTP_URL', 'smtp://mail.test/path', false],
    ['SMTP_URL', 'smtp://mail.test?ignoreTLS=true', false],
    ['SMTP_URL', 'smtp:mail.test', false],
    ['SMTP_URL', 'https://mail.test', false],
    ['SMTP_URL', 'mail.test:25', false],
    ['SMTP_FROM', 'check@trust.test\r\nBcc: x@y.test', false],
    ['SENDGRID_FROM', 'check@trust.test', true],
    ['SENDGRID_FROM', 'Trust Check <check@trust.test>', true],
    ['SENDGRID_FROM', 'check', false],
    ['SENDGRID_FROM', 'check@trust.test\r\nBcc: x@y.test', false],
    ['SENDGRID_FROM', 'a\nb <check@trust.test>', false],
    ['SENDGRID_FROM', '<check@trust.test>', false],
    ['SENDGRID_API_KEY', 'another', false],
    ['SENDGRID_BASE_URL', 'file:///etc', false],
  ] as const)('accepts %s=%j: %s', ([name, value, isGood]) => {
    expect(mailConfig.safeParse({ ...whole, [name]: value }).success).toBe(isGood);
  });
});
