import { expect } from 'vitest';
import { addMembership } from '../../../../db/queries/seeding.ts';
import { enrolledPhone } from '../../../support/checks/phone.ts';
import { call } from '../../../support/http/client.ts';
import { goodBundle } from '../../../support/keys/bundles.ts';
import { emailSession } from '../../../support/people/email-users.ts';
import { sidOf } from '../../../support/people/sid-of.ts';
import { bareAccount, countRows, inTurn, raceDb } from '../../../support/races/ground.ts';
import { atOnce, expectFates, newAddress, told, type Race } from '../../../support/races/race.ts';

/** Resolves when `count` calls have been noted. */
function afterSome(count: number): { readonly came: Promise<void>; readonly note: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let noted = 0;
  if (count === 0) resolve();
  const note = (): void => {
    noted += 1;
    if (noted === count) resolve();
  };
  return { came: promise, note };
}

const signedOut: Race = {
  name: 'signed-out',
  rule: 'who signs out everywhere has no session left, whatever one of theirs does meanwhile',
  statements: [
    'poly_users.lock',
    'sessions.end',
    'sessions.end_of_user',
    'sessions.note_account',
    'sessions.live',
  ],
  async prepare() {
    const { accountId } = await bareAccount();
    const members = { [accountId]: ['MEMBER'] } as const;
    let rounds = 0;
    return async (callers) => {
      rounds += 1;
      // A new person each time, because sign-outs are limited per person.
      const phone = await enrolledPhone();
      const userId = phone.enrolled?.polyUserId ?? '';
      await addMembership(raceDb(), [userId, accountId, ['MEMBER'], new Date()]);
      const round = newAddress();
      const tokens = await inTurn(callers, () => emailSession(raceDb(), userId, members));
      const bundles = await inTurn(callers, () => goodBundle(phone));
      const acts = [
        (token: string, other: string) =>
          call('DELETE', `/v2/sessions/${sidOf(other)}`, { token, headers: round }),
        (token: string) =>
          call('POST', '/v2/session/switch_account', {
            token,
            body: { account_id: accountId },
            headers: round,
          }),
        (token: string, _other: string, raw_jwt: string) =>
          call('POST', '/v2/session/step_up', { token, body: { raw_jwt }, headers: round }),
      ];
      const middle = Math.floor(callers / 2);
      // Sent among the other calls: at the start, it would end all of them.
      const some = afterSome(rounds % Math.ceil(callers / 2));
      const begun = new Date();
      const answers = await atOnce(callers, async (place) => {
        const [token = '', other = ''] = [tokens[place], tokens[(place + acts.length) % callers]];
        if (place === middle) {
          await some.came;
          const body = { everywhere: true };
          return call('POST', '/v2/session/sign_out', { token, body, headers: round });
        }
        const act = acts[place % acts.length] ?? expect.fail('no act');
        // No caller ends the session that signs out everywhere.
        const ended = other === tokens[middle] ? token : other;
        return act(token, ended, bundles[place] ?? '').finally(some.note);
      });
      const outcomes = answers.map(told);
      const late = '401 credential_invalid';
      expectFates(outcomes, {}, ['200', '204', late]);
      expect(outcomes[middle]).toBe('204');
      const { rows } = await raceDb().query<{ sid: string; revoked_at: Date | null }>(
        'SELECT sid, revoked_at FROM sessions WHERE poly_user_id = $1 AND created_at >= $2',
        [userId, begun],
      );
      // Sessions raised before it ended with it; later calls find their session ended.
      const left = rows.filter(({ revoked_at }) => revoked_at === null);
      const old = await countRows(
        'SELECT 1 FROM sessions WHERE sid = ANY ($1) AND revoked_at IS NULL',
        [tokens.map(sidOf)],
      );
      expect([left, old]).toEqual([[], 0]);
      const again = { token: tokens[middle] ?? '', headers: round };
      expect(told(await call('GET', '/v2/sessions', again))).toBe(late);
      return outcomes;
    };
  },
};

export const sessionRaces: readonly Race[] = [signedOut];
