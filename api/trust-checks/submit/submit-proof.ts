import { sealInput } from '../../../activities/proofs/submission-input.ts';
import { subjectOf } from '../../../activities/trust-checks/sandbox-outcomes.ts';
import { derivedId } from '../../../db/ids.ts';
import { addSubmission, isSubmitted, removeUnjudged } from '../../../db/queries/proofs.ts';
import { shownProofsOf } from '../../../db/queries/session-object.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { Failure, type FailureCode } from '../../../workflows/failures.ts';
import {
  submitProofUpdate,
  type SubmitProofArgs,
} from '../../../workflows/trust-check/messages.ts';
import { isTrustCheckFinal } from '../../../workflows/trust-check/state.ts';
import type { Deps } from '../../deps.ts';
import type { AttestedDevice } from '../../http/auth/caller.ts';
import { handler } from '../../http/contract.ts';
import { change, type ChangeDeps, assertLegalStep } from '../../running-checks/change.ts';
import { assertCollecting, findSessionOrThrow } from '../../running-checks/find.ts';
import { markProcessing } from '../../running-checks/process.ts';
import { proofSeenBySubject } from '../../running-checks/subject-view.ts';
import { checkSigningKey } from '../begin/pair.ts';
import { trustCheckContracts } from '../contract.ts';
import { validateEvidence, validateMembers } from './validate-submission.ts';
import { integrityOf, type PlayIntegrityFacts } from './integrity.ts';

/**
 * Submits one proof. The input is sealed in the database first; the workflow receives only its id.
 * The id derives from the request's seed, so a repeated request is the same submission. No input is
 * stored before consent, and none that the workflow refuses.
 */
export const submitProof = handler(trustCheckContracts.submitProof)(async (
  input,
  deps: ChangeDeps & Pick<Deps, 'sealer' | 'attestation'>,
) => {
  const { id, proof } = input.path;
  validateMembers(proof, input.body);
  const session = await findSessionOrThrow(deps, id, input.caller, input.authorize);
  await validateEvidence(deps, id, input.body);
  if (session.device_id && input.attested?.deviceId !== session.device_id) {
    throw new Failure('device_not_paired');
  }
  if (input.attested) checkSigningKey(input.attested, input.caller.jkt);
  if (!session.proofs.some((row) => row.type === proof)) throw new Failure('proof_not_expected');
  if (input.body.review_request && !session.asked.policy.review_on_unsure) {
    throw new Failure('review_not_offered');
  }
  if (subjectOf(session) === 'abandon') {
    throw new Failure('invalid_state', {
      detail: 'Its sandbox_subject has left: advance the time',
    });
  }
  const submissionId = derivedId('sub', input.seed);
  // A known submission continues. The workflow of an ended check may have no record of it.
  const isDecided = isTrustCheckFinal(session.status);
  const isKnown = isDecided || (await isSubmitted(deps.db, submissionId));
  if (!isKnown) {
    assertCollecting(session, ['collecting']);
    assertLegalStep(session, submissionId, { kind: 'settle', proof, submission_id: submissionId });
  }
  const integrity =
    proof === 'device' ? await integrityOf(deps, input.attested, input.call.now) : {};
  const submitted = { ...input.body, ...attestOf(input.attested, integrity) };
  const sealed = await sealInput(deps.sealer, session, submissionId, submitted);
  await addSubmission(deps.db, {
    id: submissionId,
    sessionId: id,
    proof,
    inputSealed: sealed,
    now: input.call.now,
  });
  const changed = await judge(deps, id, { proof, submission_id: submissionId }).catch(
    async (error: unknown) => {
      const isRefused = error instanceof Failure && refusals.has(error.code);
      if (isRefused) await removeUnjudged(deps.db, submissionId);
      throw error;
    },
  );
  const judged = shownProofsOf(changed).find((row) => row.type === proof);
  if (!judged) throw new Failure('proof_not_expected');
  const status = judged.status === 'processing' ? 202 : 200;
  return { status, body: proofSeenBySubject(changed, judged) };
});

/** Waits for the verdict, as long as a call waits for the Temporal server. */
async function judge(deps: ChangeDeps, id: string, args: SubmitProofArgs): Promise<TrustCheckRow> {
  try {
    return await change(deps, id, submitProofUpdate, [args], args.submission_id);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'dependency_unavailable') throw error;
    return markProcessing(deps, id, args);
  }
}

/** Failures that refuse a submission finally: it is never judged. */
const refusals = new Set<FailureCode>(['invalid_state', 'consent_required', 'proof_not_expected']);

/** Returns the input of the device proof: the device that signed this request, and its evidence. */
function attestOf(device: AttestedDevice | null, integrity: PlayIntegrityFacts) {
  if (!device) return {};
  const { deviceId: device_id, headerSha256: header_sha256, evidence } = device;
  return { attest: { device_id, header_sha256, evidence, ...integrity } };
}
