import { createHash } from 'node:crypto';
import { evidenceKey } from '../../activities/evidence/evidence-store.ts';
import { mediaTypeOf } from '../../activities/evidence/media-type.ts';
import { transaction } from '../../db/client.ts';
import { derivedId } from '../../db/ids.ts';
import { countEvidence, findEvidence, insertEvidence } from '../../db/queries/evidence.ts';
import { lockTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { InvalidRequest } from '../problem.ts';
import { trustCheckContracts } from './contract.ts';
import { mustFindSession } from './find.ts';

const filesMax = 40;

/**
 * Takes one file of evidence: sealed and stored before its row is written, so that a row never names
 * a file that is not there. The same bytes under the same name are the same piece of evidence.
 */
export const upload = handler(trustCheckContracts.upload)(async (
  input,
  deps: Pick<Deps, 'db' | 'evidence'>,
) => {
  const { id, name } = input.path;
  const session = await mustFindSession(deps, id, input.caller, input.authorize);
  checkCollecting(session);
  if (input.body.length === 0) {
    throw new InvalidRequest([{ loc: ['body'], msg: 'Field required', type: 'missing' }]);
  }
  const sha256 = createHash('sha256').update(input.body).digest('hex');
  const evidenceId = derivedId('ev', id, name, sha256);
  const body = {
    evidence_id: evidenceId,
    sha256,
    size_bytes: input.body.length,
    content_type: mediaTypeOf(input.body),
  };
  if ((await findEvidence(deps.db, id, [evidenceId])).length > 0) return { status: 200, body };
  const objectKey = evidenceKey(id, evidenceId);
  await deps.evidence.keep({ accountId: session.account_id, evidenceId, objectKey }, input.body);
  const kept = await transaction(deps.db, async (tx) => {
    const locked = await lockTrustCheck(tx, id);
    if (!locked || (await countEvidence(tx, id)) >= filesMax) return false;
    checkCollecting(locked);
    const row = { ...body, link_session_id: id, name, object_key: objectKey };
    await insertEvidence(tx, { ...row, created_at: input.call.now });
    return true;
  });
  if (!kept) {
    await deps.evidence.remove({ object_key: objectKey });
    throw new Failure('evidence_limit');
  }
  return { status: 200, body };
});

/** Nothing of a person is taken before consent, nor after the decision. */
function checkCollecting({ status, redacted_at }: TrustCheckRow): void {
  if (status === 'paired') throw new Failure('consent_required');
  if (!['collecting', 'requires_retry'].includes(status) || redacted_at) {
    throw new Failure('invalid_state', { detail: `The check is ${status}` });
  }
}
