import { addProofChallenge } from '../../db/queries/evidence.ts';
import { derivedId } from '../../db/ids.ts';
import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { mustFindSession } from '../trust-checks/find.ts';
import { proofContracts } from './contract.ts';

const lifeMs = 5 * 60_000;
/** RND.IFD of active authentication (ICAO 9303-11 §6.1). */
const chipChallengeBytes = 8;

/** Gives the challenge a chip has to sign. Each is good for one judgement. */
export const challenge = handler(proofContracts.challenge)(async (
  input,
  deps: Pick<Deps, 'db' | 'ids'>,
) => {
  const { id } = input.path;
  const session = await mustFindSession(deps, id, input.caller, input.authorize);
  const { proof } = input.body;
  if (!session.proofs.some(({ type }) => type === proof)) throw new Failure('proof_not_expected');
  if (session.status === 'paired') throw new Failure('consent_required');
  if (session.status !== 'collecting') {
    throw new Failure('invalid_state', { detail: `The check is ${session.status}` });
  }
  const row = await addProofChallenge(deps.db, {
    challenge_id: derivedId('ch', input.seed),
    link_session_id: id,
    proof,
    challenge: deps.ids.bytes(chipChallengeBytes),
    expires_at: new Date(input.call.now.getTime() + lifeMs),
  });
  if (!row) throw new Failure('not_found');
  return {
    status: 201,
    body: {
      challenge_id: row.challenge_id,
      challenge: row.challenge.toString('base64url'),
      expires_at: row.expires_at.toISOString(),
    },
  };
});
