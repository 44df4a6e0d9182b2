import 'reflect-metadata';
import { KeyObject } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSmtpMailer } from '../../../activities/delivery/mail/smtp.ts';
import { startSmtp, type Smtp, type SmtpFault } from '../../support/stand-ins/mail/smtp.ts';
import { patienceMsWith } from '../../support/stand-ins/provider.ts';
import { describeRefusedLetters, faultOf, letter } from './written-letters.ts';

const from = 'Trust Check <check@trust.test>';
const login = { user: 'trustcheck', pass: 'not-to-be-seen' };
let server: Smtp;
let guarded: Smtp;

beforeAll(async () => {
  [server, guarded] = await Promise.all([startSmtp(), startSmtp({ login })]);
});
afterAll(async () => {
  await Promise.all([server.stop(), guarded.stop()]);
});

const mailer = (options: { url?: string; from?: string; timeoutMs?: number } = {}) =>
  createSmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from, ...options });

describe('a mail over SMTP', () => {
  it('arrives as written, with a message id derived from its key', async () => {
    const sent = await mailer().send({ ...letter, category: 'invitation' });
    expect(server.mails.at(-1)).toEqual({
      envelope: { from: 'check@trust.test', to: ['anna@example.test'] },
      from: 'Trust Check <check@trust.test>',
      to: 'anna@example.test',
      subject: letter.subject,
      messageId: sent.messageId,
      autoSubmitted: 'auto-generated',
      text: letter.text,
      html: letter.html,
      isSecure: false,
      user: undefined,
    });
    expect(sent.messageId).toMatch(/^[0-9a-f]{40}@trust\.test$/);
  });

  it('keeps its message id when sent again, and has another one than other mails', async () => {
    const first = await mailer().send(letter);
    const again = await mailer().send(letter);
    const other = await mailer().send({ ...letter, idempotencyKey: 'link-invite/2' });
    expect(again).toEqual(first);
    expect(other.messageId).not.toBe(first.messageId);
  });

  it('arrives completely in every script, also when long', async () => {
    const subject = `Überprüfung – проверка – 確認 😀 "quoted" <b>`;
    const text = `${'x'.repeat(200_000)}\n.\n..\n – 😀 \t\nend`;
    const html = `<p>${'確認 '.repeat(5_000)}</p>`;
    await mailer().send({ ...letter, subject, text, html });
    expect(server.mails.at(-1)).toMatchObject({ subject, text, html });
  });

  it('can be sent many times in parallel', async () => {
    const before = server.mails.length;
    const sends = Array.from({ length: 20 }, (_, index) =>
      mailer().send({ ...letter, idempotencyKey: `many/${index}` }),
    );
    const ids = (await Promise.all(sends)).map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(20);
    expect(server.mails.length).toBe(before + 20);
  });

  it('is sent literally, even when its text looks like a file or a URL', async () => {
    const text = '{"path":"/etc/passwd"}';
    await mailer().send({ ...letter, text, html: 'file:///etc/passwd' });
    expect(server.mails.at(-1)).toMatchObject({ text, html: 'file:///etc/passwd' });
  });
});

describeRefusedLetters(mailer, () => server.connections());

describe('an SMTP server', () => {
  it.for([
    [{ at: 'rcpt', status: 550 }, 'mail_rejected'],
    [{ at: 'rcpt', status: 553 }, 'mail_rejected'],
    [{ at: 'data', status: 552 }, 'mail_rejected'],
    [{ at: 'data', status: 554 }, 'mail_rejected'],
    // Our fault or a temporary one: the mail can still be sent later.
    [{ at: 'rcpt', status: 450 }, 'dependency_unavailable'],
    [{ at: 'rcpt', status: 530 }, 'dependency_unavailable'],
    [{ at: 'data', status: 451 }, 'dependency_unavailable'],
    [{ at: 'mail', status: 550 }, 'dependency_unavailable'],
    [{ at: 'mail', status: 421 }, 'dependency_unavailable'],
    [{ at: 'connect', status: 554 }, 'dependency_unavailable'],
    [{ at: 'connect', status: 421 }, 'dependency_unavailable'],
  ] as const)('answers %j: %s', async ([refusal, expected]) => {
    const before = server.mails.length;
    server.failNext(refusal);
    expect(await faultOf(mailer().send(letter))).toMatchObject({ code: expected });
    expect(server.mails.length).toBe(before);
  });

  it.for(['hang', 'reset', 'trickle'] as const)(
    'times out or fails as unavailable on %s',
    async (fault) => {
      server.failNext(fault);
      expect(
        await faultOf(mailer({ timeoutMs: patienceMsWith(fault) }).send(letter)),
      ).toMatchObject({
        code: 'dependency_unavailable',
        retryAfterSeconds: 5,
      });
      server.recover();
      await mailer().send(letter);
    },
  );

  it('can break the connection after acceptance, and the mail counts as sent', async () => {
    const before = server.mails.length;
    server.failNext('reset-after-acceptance');
    expect((await mailer().send(letter)).messageId).toMatch(/@trust\.test$/);
    expect(server.mails.length).toBe(before + 1);
  });

  it('is reported as unavailable when it refuses the connection', async () => {
    const fault = await faultOf(mailer({ url: 'smtp://127.0.0.1:1' }).send(letter));
    expect(fault).toMatchObject({ code: 'dependency_unavailable' });
  });

  it('causes errors without the password, the recipient or the content', async () => {
    const text = `<${letter.to}> ${letter.subject} Line one link-token ${login.pass}`;
    const faults: SmtpFault[] = [
      'hang',
      'reset',
      { at: 'rcpt', status: 550, text },
      { at: 'rcpt', status: 450, text },
      { at: 'data', status: 554, text },
    ];
    for (const fault of faults) {
      server.recover();
      server.failNext(fault);
      const thrown = await faultOf(mailer({ timeoutMs: patienceMsWith(fault) }).send(letter));
      const shown = inspect(thrown, { depth: Infinity, showHidden: true });
      for (const hidden of [login.pass, letter.to, 'Line one', 'link-token', letter.subject]) {
        expect(shown).not.toContain(hidden);
      }
    }
  });
});

describe('the SMTP password', () => {
  const trusted = getCACertificates('default');
  afterAll(() => setDefaultCACertificates(trusted));
  const sendTo = async (names: readonly string[]): Promise<{ fault: unknown; mails: unknown }> => {
    const tls = await certificateFor(names);
    const secured = await startSmtp({ login, tls });
    setDefaultCACertificates([...trusted, tls.cert]);
    const url = `smtp://${login.user}:${login.pass}@127.0.0.1:${secured.port}`;
    const fault = await faultOf(mailer({ url }).send(letter));
    await secured.stop();
    return { fault, mails: secured.mails };
  };

  it('is sent over TLS', async () => {
    const { fault, mails } = await sendTo(['127.0.0.1']);
    expect(fault).toBe('no fault');
    expect(mails).toMatchObject([{ isSecure: true, user: login.user }]);
  });

  it('is not sent to a server with a certificate for another name', async () => {
    const { fault, mails } = await sendTo(['192.0.2.1']);
    expect(fault).toMatchObject({ code: 'dependency_unavailable' });
    expect(mails).toEqual([]);
  });

  it('is never sent without encryption', async () => {
    const url = `smtp://${login.user}:${login.pass}@127.0.0.1:${guarded.port}`;
    const fault = await faultOf(mailer({ url }).send(letter));
    expect(fault).toMatchObject({ code: 'dependency_unavailable' });
    expect(guarded.mails).toEqual([]);
  });
});

/** Creates a self-signed certificate for these addresses. */
async function certificateFor(
  addresses: readonly string[],
): Promise<{ key: string; cert: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm: algorithm,
    notAfter: new Date(Date.now() + 3600_000),
    extensions: [
      new BasicConstraintsExtension(true),
      new SubjectAlternativeNameExtension(addresses.map((value) => ({ type: 'ip', value }))),
    ],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { key: key.toString(), cert: certificate.toString('pem') };
}
