import { afterAll, describe, expect, it } from 'vitest';
import { languages } from '../../../../domain/languages/languages.ts';
import { say } from '../../../../domain/languages/say.ts';
import { handOverMessage } from '../../../../domain/proofs/phone/hand-over-message.ts';
import {
  beginSession,
  call,
  collecting,
  newLink,
  newNumber,
  type Answer,
  type Session,
} from '../../../support/http/client.ts';
import { askCode, outcome } from '../../../support/people/sms.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { startSecondApi } from '../../../support/platform/second-api.ts';

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const send = (session: Session, phone_number: string, headers = {}, at?: string): Promise<Answer> =>
  call('POST', `/v2/trust-checks/${session.id}/hand-over`, {
    token: session.token,
    body: { phone_number },
    headers,
    ...(at === undefined ? {} : { at }),
  });
async function textsTo(number: string): Promise<string[]> {
  const { rows } = await db.query<{ text: string }>(
    'SELECT text FROM outbox_messages WHERE recipient = $1 ORDER BY created_at',
    [number],
  );
  return rows.map(({ text }) => text);
}

describe('trust-checks.handOver', () => {
  it('sends a message in the locale of the check whose link joins once', async () => {
    const link = await newLink({ locale: 'de' });
    const session = await beginSession(link);
    const number = newNumber();
    const sent = await send(session, number);
    expect([sent.status, sent.body['sent_to']]).toEqual([202, expect.stringMatching(/^\+49 •/)]);
    expect(Date.parse(String(sent.body['expires_at']))).toBeGreaterThan(Date.now() + 9 * 60_000);
    const [text = ''] = await textsTo(number);
    const [said, url = ''] = text.split('\n');
    expect(said).toBe('Setzen Sie Ihre Prüfung für Example app hier fort:');
    expect(url).toMatch(/\?format_type=H#p=tc_\w+\.\d+\.[\w-]{22}$/);
    const join = () =>
      call('POST', '/v2/trust-checks', {
        body: { link_uuid: link, client: 'web', pair_token: url.split('#p=')[1] },
      });
    expect((await join()).body['link_session_id']).toBe(session.id);
    expect(outcome(await join())).toEqual([410, 'pair_token_ended']);
    const { rows } = await db.query<{ whole: string }>(
      'SELECT row_to_json(t)::text AS whole FROM trust_checks t WHERE link_session_id = $1',
      [session.id],
    );
    expect(rows[0]?.whole).not.toContain(number.slice(3));
  });

  it('sends to at most three numbers, and a repeated request sends one message', async () => {
    const session = await beginSession(await newLink());
    const [first, ...others] = [newNumber(), newNumber(), newNumber(), newNumber()];
    const key = { 'idempotency-key': `hand-over-${session.id}` };
    for (let times = 0; times < 2; times += 1) {
      expect(outcome(await send(session, first ?? '', key))).toEqual([202, null]);
    }
    expect(await textsTo(first ?? '')).toHaveLength(1);
    const outcomes = [];
    for (const number of others) outcomes.push(outcome(await send(session, number)));
    expect(outcomes).toEqual([
      [202, null],
      [202, null],
      [409, 'sends_exhausted'],
    ]);
    expect(await textsTo(others.at(-1) ?? '')).toEqual([]);
  });

  it('sends at most three messages for concurrent requests', async () => {
    const session = await beginSession(await newLink());
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send(session, newNumber()).then(outcome)),
    );
    expect(answers.filter(([status]) => status === 202)).toHaveLength(3);
  });

  it('refuses numbers that cannot receive SMS, and checks that have ended', async () => {
    const session = await beginSession(await newLink());
    for (const number of ['+4930123456', '+49900123456', '12', '+88212345678']) {
      const { status, text } = await send(session, number);
      expect([number, status, text]).toEqual([
        number,
        422,
        expect.stringContaining('phone_refused'),
      ]);
    }
    await session.lead('cancel');
    expect(outcome(await send(session, newNumber()))).toEqual([409, 'invalid_state']);
  });

  it('shares the hourly limit per number with codes', async () => {
    const api = await startSecondApi({ SMS_PER_NUMBER_HOURLY_MAX: '2' });
    const at = api.origin;
    const number = newNumber();
    try {
      for (const expected of [202, 202, 429]) {
        const session = await beginSession(await newLink());
        expect((await send(session, number, {}, at)).status).toBe(expected);
        // A refused message does not count against the limit of the check.
        const others = expected === 429 ? [newNumber(), newNumber(), newNumber()] : [];
        for (const each of others) expect((await send(session, each, {}, at)).status).toBe(202);
      }
      const code = await askCode(await collecting(await newLink()), number, { at });
      expect(outcome(code)).toEqual([429, 'rate_limited']);
    } finally {
      await api.stop();
    }
  });
});

describe('handOverMessage', () => {
  it.each(languages)('in %s contains the app name, the address and a warning', (language) => {
    const url = 'https://check.example/v2/a/b#p=c';
    const text = handOverMessage(url, 'Example\nhttps://evil.example #1', language);
    const [said = '', ...others] = text.split('\n');
    expect(others).toEqual([url, say(language, 'sms.hand_over_unasked')]);
    expect(said).toContain('Example https: evil.example 1');
  });
});
