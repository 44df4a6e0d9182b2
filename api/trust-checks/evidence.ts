import { evidenceKinds } from '../../activities/evidence/file.ts';
import { hasRole } from '../../db/names.ts';
import { listJudged } from '../../db/queries/proofs.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { accountOwner } from '../../db/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Caller } from '../auth/caller.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { trustCheckContracts } from './contract.ts';

/** What the proofs of a session were judged on, one evidence file a line, oldest first. */
export const evidence = handler(trustCheckContracts.evidence)(async (
  input,
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const session = await findTrustCheck(deps.db, input.path.id);
  if (!session) throw new Failure('not_found');
  checkReader(input.caller, session);
  if (session.redacted_at) throw new Failure('gone');
  const lines: string[] = [];
  for (const row of await listJudged(deps.db, session.link_session_id)) {
    if (!row.evidence_sealed) continue;
    const opened = await deps.sealer.open(
      accountOwner(session.account_id),
      `proof_submissions|evidence|${row.submission_id}`,
      row.evidence_sealed,
    );
    const { files }: { files: unknown[] } = JSON.parse(opened.toString());
    lines.push(...files.filter(canBeJudged).map((file) => JSON.stringify(file)));
  }
  return {
    status: 200,
    type: 'application/x-ndjson',
    content: lines.map((line) => `${line}\n`).join(''),
    headers: { 'Cache-Control': 'no-store' },
  };
});

/** The subject, wherever they sign in, or an admin of the account that asked. */
function checkReader(
  caller: Extract<Caller, { kind: 'session' | 'api-key' }>,
  session: TrustCheckRow,
): void {
  const isSubject = caller.kind === 'session' && caller.polyUserId === session.poly_user_id;
  if (isSubject || caller.roles.includes('POLYADMIN')) return;
  if (caller.accountId !== session.account_id) throw new Failure('not_found');
  if (!hasRole(caller.roles, 'ADMIN')) throw new Failure('role_required');
}

/** A typed code leaves a record, but nothing that could be judged again. */
function canBeJudged(file: unknown): boolean {
  return evidenceKinds.has(Object(file).kind);
}
