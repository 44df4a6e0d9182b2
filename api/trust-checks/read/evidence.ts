import { filesOf } from '../../../activities/proofs/evidence/evidence-repository.ts';
import { listEvidenced } from '../../../db/queries/evidence-files.ts';
import {
  findTrustCheck,
  isRedacted,
  type TrustCheckRow,
} from '../../../db/queries/trust-checks.ts';
import { evidenceKinds } from '../../../domain/judging/files.ts';
import { hasRole } from '../../../domain/names.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps, Files } from '../../deps.ts';
import { assertRecentDeviceProof } from '../../http/auth/assurance.ts';
import { personIn } from '../../http/auth/session-scope.ts';
import { handler, type Input } from '../../http/contract.ts';
import { isReasonWithheld } from '../../running-checks/subject-view.ts';
import { trustCheckContracts } from '../contract.ts';
import { isOf } from '../person.ts';

type EvidenceDeps = Pick<Deps, 'db' | 'sealer' | 'files'>;
/** Of the files only the limit of concurrent exports. */
type PiecesDeps = Pick<Deps, 'db' | 'sealer'> & { readonly files: Pick<Files, 'exports'> };

/** Size of one part of a line. The export checks for a redaction before each part. */
const pieceBytesMax = 128 * 1024;

/**
 * Streams the evidence of a session, one file per line, oldest first. Keeps one submission in
 * memory at a time, and the images of one of its files: a session may have many, of tens of
 * megabytes each. A redaction ends the stream before the next part.
 */
export const evidence = handler(trustCheckContracts.evidence)(async (input, deps: EvidenceDeps) => {
  const session = await findTrustCheck(deps.db, input.path.id);
  if (!session) throw new Failure('not_found');
  if (!input.reaches(session)) throw new Failure('not_found');
  await checkReader(deps, input, session);
  if (session.redacted_at) throw new Failure('gone');
  return {
    status: 200,
    type: 'application/x-ndjson',
    parts: piecesOf(deps, session),
    headers: { 'Cache-Control': 'no-store' },
  };
});

/**
 * Streams the evidence lines of a session in parts.
 * @throws Failure `gone` after a redaction, `rate_limited` for too many concurrent exports of the
 *   account
 */
export async function* piecesOf(
  deps: PiecesDeps,
  session: TrustCheckRow,
): AsyncGenerator<Uint8Array> {
  const { link_session_id: id } = session;
  const end = deps.files.exports.take(session.account_id);
  try {
    for await (const line of linesOf(deps, session)) {
      for (let from = 0; from < line.length; from += pieceBytesMax) {
        if (await isRedacted(deps.db, id)) throw new Failure('gone');
        yield line.subarray(from, from + pieceBytesMax);
      }
    }
  } finally {
    end();
  }
}

async function* linesOf(
  { db, sealer }: PiecesDeps,
  { account_id, link_session_id }: TrustCheckRow,
): AsyncGenerator<Uint8Array> {
  const evidenced = await listEvidenced(db, link_session_id);
  // A redacted session has no submissions left, and an empty export would look complete.
  if (await isRedacted(db, link_session_id)) throw new Failure('gone');
  for (const submissionId of evidenced) {
    for await (const file of filesOf({ db, sealer }, { accountId: account_id, submissionId })) {
      // Redacted during the export.
      if (!file) throw new Failure('gone');
      if (isUnderstood(file)) yield Buffer.from(`${JSON.stringify(file)}\n`);
    }
  }
}

/**
 * Admits the subject with a session valid in that account, unless reasons are withheld from them.
 * Also admits an ADMIN of the requesting account, who always needs a recent device proof.
 * @throws Failure `not_found`, `role_required`, `step_up_required`
 */
async function checkReader(
  deps: EvidenceDeps,
  { caller, call }: Pick<Input<typeof trustCheckContracts.evidence>, 'caller' | 'call'>,
  session: TrustCheckRow,
): Promise<void> {
  const isSubject = await isOf(deps, session, personIn(caller, session.account_id));
  // Evidence can be judged again by anyone, which would reveal the reason.
  if (isSubject && !isReasonWithheld(session)) return;
  const isEverywhere = caller.roles.includes('POLYADMIN');
  if (!isEverywhere && caller.accountId !== session.account_id) throw new Failure('not_found');
  if (!hasRole(caller.roles, 'ADMIN')) throw new Failure('role_required');
  assertRecentDeviceProof(caller, call.now);
}

/** Whether `trustcheck evidence verify` reads the file, including records without a verdict. */
function isUnderstood(file: unknown): boolean {
  return evidenceKinds.has(Object(file).kind);
}
