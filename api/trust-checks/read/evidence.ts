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
/** Of all that is kept and leaves it, only how many leave at once. */
type PiecesDeps = Pick<Deps, 'db' | 'sealer'> & { readonly files: Pick<Files, 'exports'> };

/** A piece of a line; whether the session was redacted is asked again before each. */
const pieceBytesMax = 128 * 1024;

/**
 * What the proofs of a session were judged on, one evidence file a line, oldest first. One
 * submission is held at a time: a session may have many, of tens of megabytes each. A redaction
 * breaks it off: no piece is handed out after it, and a line that was not begun never is.
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
 * The lines of a session that was found, in pieces. Throws `gone` once it is redacted, and
 * `rate_limited` where too many of its account are read.
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
  // Redacted before this, it has none: no line would look like the whole.
  if (await isRedacted(db, link_session_id)) throw new Failure('gone');
  for (const submissionId of evidenced) {
    for await (const file of filesOf({ db, sealer }, { accountId: account_id, submissionId })) {
      // Redacted since we began.
      if (!file) throw new Failure('gone');
      if (isUnderstood(file)) yield Buffer.from(`${JSON.stringify(file)}\n`);
    }
  }
}

/**
 * The subject, by a session that counts in that account and where reasons are told, or an admin of
 * the account that asked, who has to prove a device even where the subject need not.
 */
async function checkReader(
  deps: EvidenceDeps,
  { caller, call }: Pick<Input<typeof trustCheckContracts.evidence>, 'caller' | 'call'>,
  session: TrustCheckRow,
): Promise<void> {
  const isSubject = await isOf(deps, session, personIn(caller, session.account_id));
  // Anyone judges the evidence again: it tells the reason.
  if (isSubject && !isReasonWithheld(session)) return;
  const isEverywhere = caller.roles.includes('POLYADMIN');
  if (!isEverywhere && caller.accountId !== session.account_id) throw new Failure('not_found');
  if (!hasRole(caller.roles, 'ADMIN')) throw new Failure('role_required');
  assertRecentDeviceProof(caller, call.now);
}

/** What `trustcheck evidence verify` reads, records with nothing to judge again included. */
function isUnderstood(file: unknown): boolean {
  return evidenceKinds.has(Object(file).kind);
}
