import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isSignedReport,
  readReportKey,
  readReports,
} from '../../../activities/delivery/mail/reports.ts';
import {
  eventKey,
  eventsRequest,
  mailEvent,
} from '../../support/stand-ins/mail/sendgrid-events.ts';

const now = new Date('2026-05-04T12:00:00Z');
const key = readReportKey(eventKey);
const after = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);

function signed(events: unknown = [mailEvent('delivered', 'a', 'one')], at = now) {
  const { raw, headers } = eventsRequest(events, at);
  const [timestamp = '', signature = ''] = Object.values(headers).slice(1);
  return { timestamp, signature, body: Buffer.from(raw) };
}

describe('isSignedReport', () => {
  it('covers the timestamp and every byte of the body', () => {
    const request = signed();
    expect(isSignedReport(key, request, now)).toBe(true);
    for (let at = 0; at < request.body.length; at += 1) {
      const body = Buffer.from(request.body);
      body[at] = (body[at] ?? 0) ^ 1;
      expect(isSignedReport(key, { ...request, body }, now)).toBe(false);
    }
    const later = String(Number(request.timestamp) + 1);
    expect(isSignedReport(key, { ...request, timestamp: later }, now)).toBe(false);
    // A byte that moves between timestamp and body breaks the signature, in both directions.
    const moved = { ...request, timestamp: request.timestamp.slice(0, -1) };
    const body = Buffer.concat([Buffer.from(request.timestamp.slice(-1)), request.body]);
    expect(isSignedReport(key, { ...moved, body }, now)).toBe(false);
  });

  it('accepts only a signature of this key', () => {
    const request = signed();
    const bytes = Buffer.from(request.signature, 'base64');
    const wrong = [
      '',
      'x',
      '*'.repeat(96),
      bytes.toString('hex'),
      bytes.subarray(1).toString('base64'),
      bytes.subarray(0, -1).toString('base64'),
      Buffer.alloc(72).toString('base64'),
      // r = s = 0, and r = s = 1.
      'MAYCAQACAQA=',
      'MAYCAQECAQE=',
    ];
    for (const signature of wrong) {
      expect(isSignedReport(key, { ...request, signature }, now), signature).toBe(false);
    }
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(isSignedReport(publicKey, request, now)).toBe(false);
  });

  it('accepts reports for 25 hours, and from a clock up to five minutes ahead', () => {
    const request = signed();
    const believed = [-300, 0, 25 * 3600].map((seconds) => after(seconds));
    const refused = [-301, 25 * 3600 + 1].map((seconds) => after(seconds));
    expect(believed.map((at) => isSignedReport(key, request, at))).toEqual([true, true, true]);
    expect(refused.map((at) => isSignedReport(key, request, at))).toEqual([false, false]);
    for (const timestamp of ['', '-1', '1e9', '0x10', ' 1', '9'.repeat(13)]) {
      expect(isSignedReport(key, { ...request, timestamp }, now)).toBe(false);
    }
  });

  it('needs a key on P-256', () => {
    const der = (made: { publicKey: Parameters<typeof createPublicKey>[0] }): string =>
      createPublicKey(made.publicKey).export({ format: 'der', type: 'spki' }).toString('base64');
    const others = [
      generateKeyPairSync('ec', {
        namedCurve: 'P-384',
        publicKeyEncoding: { format: 'pem', type: 'spki' },
        privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
      }),
      generateKeyPairSync('ed25519', {
        publicKeyEncoding: { format: 'pem', type: 'spki' },
        privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
      }),
    ];
    for (const text of ['', 'nonsense', ...others.map(der)]) {
      expect(() => readReportKey(text)).toThrow();
    }
  });
});

describe('readReports', () => {
  it('returns only the events of link mails', () => {
    const bytes = (events: unknown): Uint8Array => Buffer.from(eventsRequest(events).raw);
    const told = ['processed', 'deferred', 'delivered', 'bounce', 'blocked', 'dropped'];
    const kinds = [...told, 'spamreport', 'open', 'click', 'unsubscribe', 'group_unsubscribe'];
    const reports = readReports(bytes(kinds.map((kind) => mailEvent(kind, 'link-1', kind))));
    expect(reports.map(({ link_uuid, status }) => [link_uuid, status])).toEqual([
      ['link-1', 'deferred'],
      ['link-1', 'delivered'],
      ['link-1', 'bounced'],
      ['link-1', 'blocked'],
      ['link-1', 'failed'],
      ['link-1', 'complained'],
    ]);
    expect(new Set(reports.map(({ event_id }) => event_id)).size).toBe(6);
    // Only one type marks a bounce as a block; any other is permanent.
    const bounces = [undefined, 'bounce', 'BLOCKED', 7].map((type) => ({
      ...mailEvent('bounce', 'link-1', 'one'),
      type,
    }));
    expect(readReports(bytes(bounces)).map(({ status }) => status)).toEqual(
      bounces.map(() => 'bounced'),
    );
    for (const { event_id } of reports) expect(event_id).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const good = mailEvent('delivered', 'link-1', 'one');
    const others = [
      null,
      1,
      'text',
      [],
      {},
      { ...good, event: 'toString' },
      { ...good, event: 'DELIVERED' },
      { ...good, sg_event_id: undefined },
      { ...good, sg_event_id: 7 },
      { ...good, idempotency_key: 'email-login/x' },
      { ...good, idempotency_key: 'link-invite/' },
      { ...good, idempotency_key: "link-invite/x' OR 1=1" },
      { ...good, idempotency_key: `link-invite/${'x'.repeat(65)}` },
    ];
    expect(readReports(bytes(others))).toEqual([]);
  });

  it.each(['', '{}', 'null', '[', '"text"', '\u0000'])('throws for %j', (text) => {
    expect(() => readReports(Buffer.from(text))).toThrow();
  });
});
