import {
  actionsOf,
  faceChallengeBytes,
  faceChallengeLifeMs,
} from '../../activities/face/actions.ts';
import { addProofChallenge } from '../../db/queries/evidence.ts';
import { derivedId } from '../../db/ids.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { mustFindSession } from '../trust-checks/find.ts';
import { proofContracts } from './contract.ts';

const kinds = {
  /** RND.IFD of active authentication (ICAO 9303-11 §6.1). */
  nfc_passport: { sizeBytes: 8, lifeMs: 5 * 60_000 },
  biometric: { sizeBytes: faceChallengeBytes, lifeMs: faceChallengeLifeMs },
} as const;

/**
 * Gives the challenge a chip has to sign, or a person to act by. Each is good for one judgement, of
 * this session, whose phone is the same from its pairing to its end.
 */
export const challenge = handler(proofContracts.challenge)(async (
  input,
  deps: Pick<Deps, 'db' | 'ids'>,
) => {
  const { id } = input.path;
  const session = await mustFindSession(deps, id, input.caller, input.authorize);
  const { proof } = input.body;
  mustAwait(session, proof);
  const { sizeBytes, lifeMs } = kinds[proof];
  const row = await addProofChallenge(deps.db, {
    challenge_id: derivedId('ch', input.seed),
    link_session_id: id,
    proof,
    challenge: deps.ids.bytes(sizeBytes),
    expires_at: new Date(input.call.now.getTime() + lifeMs),
  });
  if (!row) throw new Failure('not_found');
  return {
    status: 201,
    body: {
      challenge_id: row.challenge_id,
      challenge: row.challenge.toString('base64url'),
      ...(proof === 'biometric' ? { actions: [...actionsOf(row.challenge)] } : {}),
      expires_at: row.expires_at.toISOString(),
    },
  };
});

/** A face that could not be handed in yet is asked for nothing: its challenge would only end. */
function mustAwait({ proofs, status }: TrustCheckRow, proof: keyof typeof kinds): void {
  const asked = proofs.find(({ type }) => type === proof);
  if (!asked) throw new Failure('proof_not_expected');
  if (status === 'paired') throw new Failure('consent_required');
  if (status !== 'collecting') {
    throw new Failure('invalid_state', { detail: `The check is ${status}` });
  }
  if (asked.status === 'waiting_for_prerequisite') {
    throw new Failure('invalid_state', { detail: `The proof is ${asked.status}` });
  }
}
