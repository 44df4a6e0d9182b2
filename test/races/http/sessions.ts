import { expect } from 'vitest';
import { addMembership } from '../../../db/queries/seeding.ts';
import { goodBundle } from '../../bundles.ts';
import { call } from '../../client.ts';
import { emailSession } from '../../email-users.ts';
import { enrolledPhone } from '../../phone.ts';
import { sidOf } from '../../sid-of.ts';
import { bareAccount, countRows, inTurn, raceDb } from '../ground.ts';
import { atOnce, expectFates, newAddress, told, type Race } from '../race.ts';

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
    const phone = await enrolledPhone();
    const userId = phone.enrolled?.polyUserId ?? '';
    await addMembership(raceDb(), [userId, accountId, ['MEMBER'], new Date()]);
    const members = { [accountId]: ['MEMBER'] } as const;
    return async (callers) => {
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
      const begun = new Date();
      const answers = await atOnce(callers, (place) => {
        const [token = '', other = ''] = [tokens[place], tokens[(place + 1) % callers]];
        if (place === middle) {
          const body = { everywhere: true };
          return call('POST', '/v2/session/sign_out', { token, body, headers: round });
        }
        // Nobody ends the very session that is to end them all.
        const which = place === middle - 1 ? acts.length - 1 : place % acts.length;
        const act = acts[which] ?? expect.fail('no act');
        return act(token, other, bundles[place] ?? '');
      });
      const outcomes = answers.map(told);
      const late = '401 credential_invalid';
      expectFates(outcomes, {}, ['200', '204', late]);
      expect(outcomes[middle]).toBe('204');
      const { rows } = await raceDb().query<{ sid: string; revoked_at: Date | null }>(
        'SELECT sid, revoked_at FROM sessions WHERE poly_user_id = $1 AND created_at >= $2',
        [userId, begun],
      );
      // What was raised before it ended with it; what comes later finds its session over.
      const left = rows.filter(({ revoked_at }) => revoked_at === null);
      const old = await countRows(
        'SELECT 1 FROM sessions WHERE sid = ANY ($1) AND revoked_at IS NULL',
        [tokens.map(sidOf)],
      );
      expect([left, old]).toEqual([[], 0]);
      const again = { token: tokens[middle] ?? '', headers: round };
      expect(told(await call('GET', '/v2/sessions', again))).toBe(late);
      await raceDb().query('UPDATE sessions SET revoked_at = now() WHERE poly_user_id = $1', [
        userId,
      ]);
      return outcomes;
    };
  },
};

export const sessionRaces: readonly Race[] = [signedOut];
