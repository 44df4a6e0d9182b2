import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSignedReport, readReportKey } from '../../../activities/delivery/mail/reports.ts';
import { readReportUrl, writeReportUrl } from '../../../activities/meetings/report/report-url.ts';
import { createDiskStore, isDiskUrlGood } from '../../../activities/storage/disk.ts';
import { mintCheckToken, readCheckToken } from '../../../activities/tokens/check-token.ts';
import { mintJoinToken, readJoinToken } from '../../../activities/tokens/join-token.ts';
import { mintSessionToken, readSessionToken } from '../../../activities/tokens/session-token.ts';
import { randomIds } from '../../../db/ids.ts';
import { attestNonceExpiry, makeAttestNonce } from '../../../domain/tokens/attest-nonce.ts';
import { isLinkToken, linkToken } from '../../../domain/tokens/link-token.ts';
import { forgedTokens } from '../../activities/sso/forged.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { forge } from '../../support/keys/forge.ts';
import { startKeyedIssuer, type KeyedIssuer } from '../../support/people/sso.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { eventKey, eventsRequest } from '../../support/stand-ins/mail/sendgrid-events.ts';
import { newSigningKey } from '../../support/stand-ins/oauth/issuer.ts';
import { wrongBundles } from '../../support/wrong-bundles/all.ts';
import { eachOf } from '../authz/cells.ts';
import { atOnce } from './lists.ts';

const { own, baseUrl } = ownPlatform();
const keys = platformKeys();
const now = new Date();
const later = new Date(now.getTime() + 60_000);
let issuer: KeyedIssuer;
beforeAll(async () => {
  issuer = await startKeyedIssuer();
});
afterAll(() => issuer.issuer.stop());

/** Returns variants of a secret that keep most of its characters. */
function changed(word: string, others: readonly string[]): string[] {
  const other = (letter: string): string => (letter === 'a' ? 'b' : 'a');
  const flipped = [...word].map(
    (letter, at) => word.slice(0, at) + other(letter) + word.slice(at + 1),
  );
  const ends = [word.slice(1), word.slice(0, -1), `${word}=`, `${word}a`, `a${word}`, `${word}.`];
  const spelled = [word.toUpperCase(), word.toLowerCase(), [...word].toReversed().join('')];
  const odd = ['a', '.', '..', 'null', 'undefined', '[object Object]', 'x'.repeat(4_000)];
  const made = [...flipped, ...ends, ...spelled, ...odd, word + word, ...others];
  return [...new Set(made)].filter((each) => each !== word);
}

/** A kind of token: a valid one, forged ones, and the function that verifies them. */
interface Kind {
  readonly good: string;
  readonly forged: readonly string[];
  readonly isTaken: (token: string) => boolean | Promise<boolean>;
}

async function kinds(): Promise<Record<string, Kind>> {
  const { tokens } = keys;
  const pem = tokens.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const iat = Math.floor(now.getTime() / 1000);
  const session = await mintSessionToken(tokens, baseUrl, {
    sub: own.admin.poly_user_id,
    sid: 'sid_1',
    jti: 'jti_1',
    iat,
    exp: iat + 3600,
    auth_time: iat,
    auth_method: 'cert',
    account_id: own.account_id,
    roles: ['ADMIN'],
  });
  const { token: check } = await mintCheckToken(
    tokens,
    baseUrl,
    { linkSessionId: 'tc_1', jkt: 'a key' },
    now,
  );
  const join = await mintJoinToken(tokens, baseUrl, { join_session_id: 'js_1', created_at: now });
  const [linkSecret, nonceSecret, reportSecret, objectSecret] = [
    keys.secret('link-token'),
    keys.secret('attest-nonce'),
    keys.secret('report-urls'),
    keys.secret('object-urls'),
  ];
  const random = randomIds.bytes(16);
  const reportKey = `reports/1/${randomIds.make('rp')}.pdf`;
  const key = 'affidavits/1/x/v1.pdf';
  const disk = createDiskStore({
    directory: '/nowhere',
    baseUrl,
    secret: () => objectSecret,
    clock: () => now,
  });
  const url = new URL(
    await disk.presign(key, { ttlSeconds: 60, filename: 'a.pdf', contentType: 'application/pdf' }),
  );
  const part = (name: string): string => url.searchParams.get(name) ?? '';
  const parts = { expires: part('expires'), filename: 'a.pdf', type: 'application/pdf' };
  const { raw, headers } = eventsRequest([{ event: 'delivered' }], now);
  const timestamp = headers['x-twilio-email-event-webhook-timestamp'] ?? '';
  const signature = headers['x-twilio-email-event-webhook-signature'] ?? '';
  const body = Buffer.from(raw);
  const elsewhere =
    eventsRequest('[]', now).headers['x-twilio-email-event-webhook-signature'] ?? '';
  const word = (name: string, secret = linkSecret): string => linkToken(secret, name);
  const text = (bytes: string): string => Buffer.from(bytes).toString('base64url');
  return {
    session: {
      good: session,
      forged: [...forge(session, check, pem), join],
      isTaken: async (token) => (await readSessionToken(keys, baseUrl, token, now)) !== null,
    },
    check: {
      good: check,
      forged: [...forge(check, session, pem), join],
      isTaken: async (token) => (await readCheckToken(keys, baseUrl, token, now)) !== null,
    },
    join: {
      good: join,
      forged: [...forge(join, session, pem), check],
      isTaken: async (token) => (await readJoinToken(keys, baseUrl, token, now)) !== null,
    },
    link: {
      good: word('a'),
      forged: changed(word('a'), [word('b'), word('A'), word('a', nonceSecret), '']),
      isTaken: (token) => isLinkToken([linkSecret], 'a', token),
    },
    'attest nonce': {
      good: makeAttestNonce(nonceSecret, random, now),
      forged: changed(makeAttestNonce(nonceSecret, random, now), [
        makeAttestNonce(linkSecret, random, now),
        makeAttestNonce(nonceSecret, random, new Date(0)),
      ]),
      isTaken: (token) => attestNonceExpiry([nonceSecret], token, now) !== null,
    },
    'address of a report': {
      good: writeReportUrl(reportSecret, reportKey, later),
      forged: changed(writeReportUrl(reportSecret, reportKey, later), [
        writeReportUrl(linkSecret, reportKey, later),
        writeReportUrl(reportSecret, '../../etc/passwd', later),
        text(`${reportKey}?expires=99999999999&signature=${'A'.repeat(43)}`),
        text(`https://evil.test/${reportKey}`),
        text(reportKey),
      ]),
      isTaken: (token) => readReportUrl([reportSecret], token, now) !== null,
    },
    'download of an affidavit': {
      good: part('signature'),
      forged: changed(part('signature'), ['']),
      isTaken: (token) => isDiskUrlGood([objectSecret], key, { ...parts, signature: token }, now),
    },
    'report of the mail provider': {
      good: signature,
      // Without its padding the signature is the same.
      forged: changed(signature, ['', elsewhere]).filter(
        (token) => !Buffer.from(token, 'base64').equals(Buffer.from(signature, 'base64')),
      ),
      isTaken: (token) =>
        isSignedReport(readReportKey(eventKey), { signature: token, timestamp, body }, now),
    },
    'API key': {
      good: own.api_key,
      forged: changed(own.api_key, [own.api_key.replace('live', 'test'), own.api_key.slice(0, 20)]),
      isTaken: async (token) => {
        const answer = await call('GET', '/v2/rate-limits', { headers: { 'x-api-key': token } });
        return answer.status !== 401;
      },
    },
    'invite token': await overHttp('/exchange_invite_token', async () => {
      const body = { raw_jwt: 'a.b.c' };
      const made = await call('POST', '/create_invite_exchange_token', { body });
      return String(made.body['token']);
    }),
  };
}

/** Returns a kind of token that is issued and verified over HTTP. */
async function overHttp(path: string, make: () => Promise<string>): Promise<Kind> {
  const good = await make();
  return {
    good,
    forged: changed(good, []).filter((token) => token.length <= 256),
    isTaken: async (token) => {
      const headers = { 'x-forwarded-for': '10.7.7.7' };
      return (await call('POST', path, { body: { token }, headers })).status === 200;
    },
  };
}

describe('forged tokens', () => {
  it('are refused for every kind of token', async () => {
    const all = await kinds();
    const count: Record<string, number> = {};
    const taken: unknown[] = [];
    for (const [kind, { good, forged, isTaken }] of Object.entries(all)) {
      await eachOf([...new Set(forged)], atOnce, async (token) => {
        if (await isTaken(token)) taken.push([kind, token.slice(0, 120)]);
      });
      // Tested last, since some tokens are valid once. It proves that only forgeries are refused.
      if (!(await isTaken(good))) taken.push([kind, 'the good one is refused']);
      count[kind] = new Set(forged).size;
    }
    expect(taken).toEqual([]);
    // Tests of their own cover these by rule: test/activities/sso, test/api/session.
    const rsa = newSigningKey('RS256', 'key-rsa');
    count['access token'] = new Set(forgedTokens(issuer, rsa).map(({ token }) => token)).size;
    const phones = [await enrolledPhone('android'), await enrolledPhone('android')] as const;
    count['bundle'] = (await wrongBundles(...phones)).length;
    process.stderr.write(`forged tokens: ${JSON.stringify(count)}\n`);
    for (const [kind, forged] of Object.entries(count)) {
      expect(forged, kind).toBeGreaterThanOrEqual(30);
    }
    const total = Object.values(count).reduce((sum, each) => sum + each, 0);
    expect(total).toBeGreaterThanOrEqual(1_000);
  });
});
