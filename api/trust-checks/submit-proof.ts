import { derivedId } from '../../db/ids.ts';
import { addSubmission } from '../../db/queries/proofs.ts';
import { accountOwner } from '../../db/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import { submitProofUpdate } from '../../workflows/trust-check/messages.ts';
import type { AttestedDevice } from '../auth/caller.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { InvalidRequest } from '../problem.ts';
import { change, type ChangeDeps } from './change.ts';
import { trustCheckContracts } from './contract.ts';
import { mustFindSession } from './find.ts';
import { neededOf } from './schemas.ts';

/**
 * Hands in one proof: the input is sealed in the store first, the workflow gets its id only. The
 * submission's id comes from the request's seed, so that a repeat is the same submission.
 */
export const submitProof = handler(trustCheckContracts.submitProof)(async (
  input,
  deps: ChangeDeps & Pick<Deps, 'sealer'>,
) => {
  const { id, proof } = input.path;
  const session = await mustFindSession(deps, id, input.caller, input.authorize);
  if (!session.proofs.some((row) => row.type === proof)) throw new Failure('proof_not_expected');
  if (session.device_id && input.attested?.deviceId !== session.device_id) {
    throw new Failure('device_not_paired');
  }
  const missing = (neededOf[proof] ?? []).filter((name) => input.body[name] === undefined);
  if (missing.length > 0) {
    throw new InvalidRequest(
      missing.map((name) => ({ loc: ['body', name], msg: 'Field required', type: 'missing' })),
    );
  }
  const submissionId = derivedId('sub', input.seed);
  const sealed = await deps.sealer.seal(
    accountOwner(session.account_id),
    `proof_submissions|input|${submissionId}`,
    JSON.stringify({ ...input.body, ...attestOf(input.attested) }),
  );
  await addSubmission(deps.db, {
    id: submissionId,
    sessionId: id,
    proof,
    inputSealed: sealed,
    now: input.call.now,
  });
  const args = { proof, submission_id: submissionId };
  const changed = await change(deps, id, submitProofUpdate, [args], submissionId);
  const judged = changed.proofs.find((row) => row.type === proof);
  if (!judged) throw new Failure('proof_not_expected');
  return { status: 200, body: judged };
});

/** What the device proof is judged on: which device signed this very request, and its evidence. */
function attestOf(device: AttestedDevice | null) {
  if (!device) return {};
  const { deviceId: device_id, headerSha256: header_sha256, evidence } = device;
  return { attest: { device_id, header_sha256, evidence } };
}
