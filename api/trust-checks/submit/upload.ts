import { createHash } from 'node:crypto';
import { evidenceKey } from '../../../activities/proofs/evidence/store.ts';
import { transaction, type Queryable } from '../../../db/client.ts';
import { derivedId } from '../../../db/ids.ts';
import { beginUpload, endUpload } from '../../../db/queries/evidence-uploads.ts';
import {
  countEvidence,
  findEvidence,
  insertEvidence,
  type EvidenceRow,
} from '../../../db/queries/evidence.ts';
import { lockTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { mediaTypeOf } from '../../../domain/images/media-type.ts';
import { framesMax } from '../../../domain/proofs/face/challenge.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { InvalidRequest } from '../../http/problem/problem.ts';
import { assertCollecting, findSessionOrThrow, retriesOf } from '../../running-checks/find.ts';
import { trustCheckContracts } from '../contract.ts';

/** For all proofs except biometric, which also has frames for each attempt. */
const filesMax = 40;
const takesFiles = ['collecting', 'requires_retry'] as const;

/**
 * Stores one file of evidence. First an upload note is written, then the file is sealed and stored,
 * then its row is written. So every row has its file, and every file has a note or a row. The same
 * bytes under the same name are the same evidence.
 */
export const upload = handler(trustCheckContracts.upload)(async (
  input,
  deps: Pick<Deps, 'db' | 'files' | 'ids'>,
) => {
  const { id, name } = input.path;
  if (input.body.length === 0) {
    throw new InvalidRequest([{ loc: ['body'], msg: 'Field required', type: 'missing' }]);
  }
  const session = await findSessionOrThrow(deps, id, input.caller, input.authorize);
  assertCollecting(session, takesFiles);
  const sha256 = createHash('sha256').update(input.body).digest('hex');
  const evidenceId = derivedId('ev', id, name, sha256);
  const body = {
    evidence_id: evidenceId,
    sha256,
    size_bytes: input.body.length,
    content_type: mediaTypeOf(input.body),
  };
  if ((await findEvidence(deps.db, id, [evidenceId])).length > 0) return { status: 200, body };
  // Checked again under the lock. This first check avoids storing files over the limit.
  await assertEvidenceLimit(deps.db, session);
  const objectKey = evidenceKey(id, evidenceId);
  const begun = { objectKey, evidenceId, uploadId: deps.ids.make('up') };
  const { now } = input.call;
  if (!(await beginUpload(deps.db, begun, now))) throw beingRemoved();
  const place = { ...body, link_session_id: id, name, object_key: objectKey };
  // For a file refused from here on, the note stays and a worker's sweep removes the object.
  // Removing it at once could remove the object of a concurrent upload of the same file.
  await deps.files.evidence.keep(
    { accountId: session.account_id, evidenceId, objectKey },
    input.body,
  );
  await keepRow(deps, { ...place, created_at: now });
  return { status: 200, body };
});

/** An earlier upload of the same file is being removed. A retry stores the file again. */
const beingRemoved = (): Failure => new Failure('dependency_unavailable', { retryAfterSeconds: 5 });

/** Returns the maximum number of files over all attempts, including those that a review adds. */
function filesMaxOf({ proofs, log }: TrustCheckRow): number {
  const attempts = proofs.find(({ type }) => type === 'biometric')?.max_attempts ?? 0;
  return (filesMax + framesMax * attempts) * (1 + retriesOf(log));
}

async function assertEvidenceLimit(on: Queryable, check: TrustCheckRow): Promise<void> {
  const count = await countEvidence(on, check.link_session_id);
  if (count >= filesMaxOf(check)) throw new Failure('evidence_limit');
}

/** Writes the row under the session's lock. Refuses a full, decided or redacted session. */
async function keepRow(
  deps: Pick<Deps, 'db'>,
  row: Omit<EvidenceRow, 'removed_at'>,
): Promise<void> {
  const id = row.link_session_id;
  await transaction(deps.db, async (tx) => {
    const locked = await lockTrustCheck(tx, id);
    if (!locked) throw new Failure('not_found');
    assertCollecting(locked, takesFiles);
    const isThere = (await findEvidence(tx, id, [row.evidence_id])).length > 0;
    const mayKeep = await endUpload(tx, row.object_key);
    if (isThere) return;
    if (!mayKeep) throw beingRemoved();
    await assertEvidenceLimit(tx, locked);
    await insertEvidence(tx, row);
  });
}
