import { transaction } from '../../../../db/client.ts';
import {
  addProofChallenge,
  noteProviderSession,
  takeProofChallenge,
} from '../../../../db/queries/evidence.ts';
import { atOnce, type Race } from '../../../support/races/race.ts';
import { newSession } from '../../../support/races/stage.ts';
import { winners } from './once.ts';

const challenge = winners(
  {
    name: 'proof-challenge',
    rule: 'a challenge of a session is answered once',
    statements: ['proof_challenges.take', 'proof_challenges.insert'],
  },
  async (on) => {
    const { link_session_id } = await newSession(on, { status: 'collecting' });
    const now = new Date();
    const challenge_id = on.ids.make('ch');
    const row = {
      challenge_id,
      link_session_id,
      proof: 'nfc_passport' as const,
      challenge: on.ids.bytes(8),
      secret_version: 1,
      expires_at: new Date(+now + 60_000),
    };
    await atOnce(8, () => addProofChallenge(on.db, row));
    const wanted = { sessionId: link_session_id, proof: row.proof, now };
    return {
      act: (place) =>
        transaction(on.db, (tx) =>
          takeProofChallenge(tx, { ...wanted, challengeId: place % 2 ? challenge_id : null }),
        ),
      left: [
        'SELECT used_at IS NOT NULL AS is_used FROM proof_challenges WHERE link_session_id = $1',
        [link_session_id],
        [{ is_used: true }],
      ],
    };
  },
);

const providerSession = winners(
  {
    name: 'provider-session',
    rule: 'a challenge has one session of its provider',
    statements: ['proof_challenges.note_session'],
  },
  async (on) => {
    const { link_session_id } = await newSession(on, { status: 'collecting' });
    const challenge_id = on.ids.make('ch');
    const until = new Date(Date.now() + 60_000);
    await addProofChallenge(on.db, {
      challenge_id,
      link_session_id,
      proof: 'biometric',
      challenge: on.ids.bytes(32),
      secret_version: 1,
      expires_at: until,
      provider: 'http',
    });
    return {
      act: async () => {
        const mine = on.ids.uuid();
        const row = await noteProviderSession(on.db, challenge_id, mine, until);
        return row?.provider_session === mine;
      },
      left: [
        'SELECT provider_session IS NOT NULL AS is_bound FROM proof_challenges WHERE challenge_id = $1',
        [challenge_id],
        [{ is_bound: true }],
      ],
    };
  },
);

export const challengeRaces: readonly Race[] = [challenge, providerSession];
