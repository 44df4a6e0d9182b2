import { afterAll, describe, expect, it } from 'vitest';
import {
  codeFor,
  collecting,
  newLink,
  newNumber,
  type Session,
} from '../../../support/http/client.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
afterAll(() => db.end());

const minuteMs = 60_000;

/** Backdates the session's last message by this many minutes. */
const age = (session: Session, minutes: number): Promise<unknown> =>
  db.query(
    `UPDATE phone_codes SET sent_at = sent_at - $2::int * interval '1 minute',
       expires_at = expires_at - $2::int * interval '1 minute' WHERE link_session_id = $1`,
    [session.id, minutes],
  );

/** Sends a code; returns it with the minutes it is still valid. */
async function send(session: Session, phone_number: string) {
  const { status, body } = await session.step('phone/code', { phone_number });
  expect(status).toBe(202);
  const leftMs = Date.parse(String(body['expires_at'])) - Date.now();
  return { code: await codeFor(phone_number), left: Math.round(leftMs / minuteMs) };
}

const judged = async (session: Session, code: string): Promise<unknown> => {
  const { body } = await session.step('proofs/phone', { code });
  return body['reason_code'] ?? body['status'];
};

describe('a code that is requested again', () => {
  it('stays the same for five minutes and keeps its expiry', async () => {
    const [session, number] = [await collecting(await newLink()), newNumber()];
    const first = await send(session, number);
    expect(first.left).toBe(10);
    for (const left of [8, 6]) {
      await age(session, 2);
      expect(await send(session, number)).toEqual({ code: first.code, left });
    }
    expect(await judged(session, first.code)).toBe('passed');
  });

  it('is replaced, and the old one dies, if its master-secret version was compromised', async () => {
    const [session, number] = [await collecting(await newLink()), newNumber()];
    const first = await send(session, number);
    // Version 0 does not exist, like a version that was compromised or removed.
    await db.query('UPDATE phone_codes SET secret_version = 0 WHERE link_session_id = $1', [
      session.id,
    ]);
    expect(await judged(session, first.code)).toBe('code_not_sent');
    await age(session, 2);
    const second = await send(session, number);
    expect([second.left, second.code === first.code]).toEqual([10, false]);
    expect(await judged(session, second.code)).toBe('passed');
  });

  it.each([6, 9, 30])(
    'is replaced after %d minutes, and the old one is invalid',
    async (minutes) => {
      const session = await collecting(await newLink({ max_attempts: 10 }));
      const number = newNumber();
      const first = await send(session, number);
      expect(await judged(session, first.code === '000000' ? '000001' : '000000')).toBe(
        'code_wrong',
      );
      await age(session, minutes);
      const second = await send(session, number);
      expect(second.left).toBe(10);
      expect(second.code).not.toBe(first.code);
      expect(await judged(session, first.code)).toBe('code_wrong');
      // A replaced code does not reset the number of guesses.
      const { rows } = await db.query(
        'SELECT guesses FROM phone_codes WHERE link_session_id = $1 ORDER BY series DESC LIMIT 1',
        [session.id],
      );
      expect(rows).toEqual([{ guesses: 2 }]);
      expect(await judged(session, second.code)).toBe('passed');
    },
  );
});
