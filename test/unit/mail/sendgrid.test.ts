import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSendgridMailer } from '../../../activities/delivery/mail/sendgrid.ts';
import { startSendgrid, type Sendgrid } from '../../support/stand-ins/mail/sendgrid.ts';
import { patienceMsWith } from '../../support/stand-ins/provider.ts';
import { describeRefusedLetters, faultOf, letter } from './written-letters.ts';

const apiKey = 'SG.not-to-be-seen.anywhere';
const from = 'Trust Check <check@trust.test>';
let provider: Sendgrid;

beforeAll(async () => {
  provider = await startSendgrid({ apiKey, verifiedSenders: ['check@trust.test'] });
});
afterAll(async () => provider.stop());

const mailer = (options: { apiKey?: string; from?: string; timeoutMs?: number } = {}) =>
  createSendgridMailer({ apiKey, from, baseUrl: provider.url, ...options });

describe('a mail over SendGrid', () => {
  it('arrives as written, without tracking, with its idempotency key', async () => {
    const sent = await mailer().send({ ...letter, category: 'invitation' });
    const [mail] = provider.mails.slice(-1);
    expect(mail).toEqual({
      messageId: sent.messageId,
      to: ['anna@example.test'],
      from: 'check@trust.test',
      fromName: 'Trust Check',
      subject: letter.subject,
      text: letter.text,
      html: letter.html,
      customArgs: { idempotency_key: 'link-invite/1' },
      categories: ['invitation'],
      isTracked: false,
    });
  });

  it('arrives completely in every script, also when long', async () => {
    const subject = `Überprüfung – проверка – 確認 😀 "quoted" <b>`;
    const text = `${'x'.repeat(200_000)}\u0000 – 😀`;
    await mailer().send({ ...letter, subject, text });
    expect(provider.mails.at(-1)).toMatchObject({ subject, text });
  });

  it('can be sent many times in parallel, each with its own id', async () => {
    const sends = Array.from({ length: 20 }, (_, index) =>
      mailer().send({ ...letter, idempotencyKey: `many/${index}` }),
    );
    const ids = (await Promise.all(sends)).map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(20);
  });

  it('of one sender does not use the API key of another', async () => {
    const [good, bad] = [mailer(), mailer({ apiKey: 'SG.another' })];
    const [sent, refused] = await Promise.all([good.send(letter), faultOf(bad.send(letter))]);
    expect(sent.messageId).toMatch(/^stand-in-message-/);
    expect(refused).toMatchObject({ code: 'dependency_unavailable' });
  });
});

describeRefusedLetters(mailer, () => provider.requests.length);

describe('SendGrid', () => {
  it('rejects an invalid mail permanently', async () => {
    for (const status of [400, 404, 413, 422]) {
      provider.failNext({ status, body: { errors: [{ message: letter.to, field: 'to' }] } });
      const fault = await faultOf(mailer().send(letter));
      expect(fault).toMatchObject({ code: 'mail_rejected' });
      expect(inspect(fault, { depth: Infinity, showHidden: true })).not.toContain(letter.to);
    }
    expect(await faultOf(mailer().send({ ...letter, text: '' }))).toMatchObject({
      code: 'mail_rejected',
    });
  });

  it('is retried when our API key or sender is wrong', async () => {
    const later = { code: 'dependency_unavailable', retryAfterSeconds: 5 };
    expect(await faultOf(mailer({ apiKey: 'SG.wrong' }).send(letter))).toMatchObject(later);
    expect(await faultOf(mailer({ from: 'other@trust.test' }).send(letter))).toMatchObject(later);
  });

  it.for([
    [429, { 'Retry-After': '17' }, 17],
    [429, { 'X-RateLimit-Reset': '1767323055', Date: 'Fri, 02 Jan 2026 03:04:05 GMT' }, 10],
    [429, {}, 30],
    [500, {}, 5],
    [
      502,
      { 'Retry-After': 'Fri, 02 Jan 2026 03:05:05 GMT', Date: 'Fri, 02 Jan 2026 03:04:05 GMT' },
      60,
    ],
    [503, { 'Retry-After': '0' }, 1],
    [503, { 'Retry-After': '999999999' }, 3600],
    [503, { 'Retry-After': 'soon' }, 5],
    [503, { 'Retry-After': '-1' }, 5],
    [302, { Location: 'http://127.0.0.1:1/' }, 5],
  ] as const)(
    'is retried after the requested time when it answers %d',
    async ([status, headers, seconds]) => {
      provider.failNext({ status, headers, body: { errors: [] } });
      expect(await faultOf(mailer().send(letter))).toMatchObject({
        code: 'dependency_unavailable',
        retryAfterSeconds: seconds,
      });
    },
  );

  it.for(['hang', 'reset', 'trickle'] as const)(
    'times out or fails as unavailable on %s',
    async (fault) => {
      provider.failNext(fault);
      expect(
        await faultOf(mailer({ timeoutMs: patienceMsWith(fault) }).send(letter)),
      ).toMatchObject({
        code: 'dependency_unavailable',
      });
      provider.recover();
      expect((await mailer().send(letter)).messageId).toMatch(/^stand-in-message-/);
    },
  );

  it('is reported as unavailable when it refuses the connection', async () => {
    const fault = await faultOf(
      createSendgridMailer({ apiKey, from, baseUrl: 'http://127.0.0.1:1' }).send(letter),
    );
    expect(fault).toMatchObject({ code: 'dependency_unavailable' });
  });

  it('can omit the message id, and the key is used instead', async () => {
    provider.failNext({ status: 202 });
    expect(await mailer().send(letter)).toEqual({ messageId: 'link-invite/1' });
  });

  it('causes errors without the API key, the recipient or the content', async () => {
    const faults = ['hang', 'reset', { status: 500, body: letter }, { status: 400, body: letter }];
    for (const fault of faults as ('hang' | 'reset' | { status: number; body: unknown })[]) {
      provider.recover();
      provider.failNext(fault);
      const thrown = await faultOf(mailer({ timeoutMs: patienceMsWith(fault) }).send(letter));
      const shown = inspect(thrown, { depth: Infinity, showHidden: true });
      for (const hidden of [apiKey, letter.to, 'Line one', 'link-token', letter.subject]) {
        expect(shown).not.toContain(hidden);
      }
    }
  });
});
