import { listJudged, type JudgedSubmissionRow } from '../../db/queries/proofs.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { judgements, listMax, type AffidavitContent } from '../../domain/affidavit/content.ts';
import { shownFactsOf } from '../../domain/affidavit/facts.ts';
import { explainProof, statedFacts } from '../../domain/affidavit/words/proof-results.ts';
import { evidenceForm } from '../../domain/proofs/file-members.ts';
import { captureOfProof, captureSignalsIn } from '../../domain/trust-checks/capture.ts';
import { reviewRequested } from '../../workflows/proofs.ts';
import { lastSubmission } from '../proofs/count-submissions.ts';
import { openClaims } from '../proofs/evidence/evidence-repository.ts';
import type { AffidavitDeps } from './activities.ts';

type GatherDeps = Pick<AffidavitDeps, 'db' | 'sealer'>;

/** Method of each proof, in the vocabularies of RFC 8176 and OpenID Identity Assurance. */
const methodOf = {
  device: 'hwk',
  phone: 'sms',
  nfc_passport: 'vcrypt',
  document: 'vri',
  biometric: 'bvr',
} as const;

/** Returns the proofs of a check as its affidavit states them, and all facts of their verdicts. */
export async function gatherProofs(
  deps: GatherDeps,
  session: TrustCheckRow,
): Promise<{ proofs: AffidavitContent['proofs']; facts: readonly unknown[] }> {
  const judged = await listJudged(deps.db, session.link_session_id);
  const gathered = session.proofs.slice(0, listMax.proofs).map(async (proof) => {
    const last = lastSubmission(session.log, judged, proof.type);
    const { type, status, attempt, provider, evidence_hash } = proof;
    const facts = await openFacts(deps, session, last);
    const signals = captureSignalsIn(last?.verdict);
    const reason_code = proof.reason_code ?? doubtOf(last);
    const result = {
      type,
      status,
      reason_code,
      judgement: judgements.find((name) => name === last?.outcome) ?? null,
      provider,
      // A reviewer who reopened the check has set the attempts to 0.
      capture: captureOfProof(session, { attempt: last ? 1 : attempt, reason_code }),
      ...(signals.length === 0 ? {} : { capture_signals: [...signals] }),
      checks: checksOf(last),
      // The facts of a device are in a section of their own.
      facts: type === 'device' ? {} : shownFactsOf(type, facts),
    };
    const stated = { ...result, facts: statedFacts(result) };
    const shown = {
      ...stated,
      method: reason_code === reviewRequested ? null : methodOf[type],
      explanation: explainProof(stated),
      attempts: attempt,
      judged_at: last?.judged_at?.toISOString() ?? null,
      evidence_sha256: evidence_hash,
      evidence_form: evidence_hash === null ? null : evidenceForm,
    };
    return { shown, facts };
  });
  const found = await Promise.all(gathered);
  return { proofs: found.map(({ shown }) => shown), facts: found.map(({ facts }) => facts) };
}

/** Returns why the service could not decide. The workflow removes it when a reviewer accepts. */
function doubtOf(row: JudgedSubmissionRow | undefined): string | null {
  const judgement: unknown = row?.outcome === 'unsure' ? row.verdict?.['judgement'] : null;
  const code: unknown = Object(judgement).reason_code;
  return typeof code === 'string' ? code : null;
}

function checksOf(row: JudgedSubmissionRow | undefined): AffidavitContent['proofs'][0]['checks'] {
  const checks: unknown = row?.verdict?.['checks'];
  if (!Array.isArray(checks)) return [];
  return checks
    .slice(0, listMax.checks)
    .map(({ name, result }) => ({ name: String(name), result: String(result) }));
}

async function openFacts(
  deps: GatherDeps,
  session: TrustCheckRow,
  row: JudgedSubmissionRow | undefined,
): Promise<unknown> {
  if (!row || session.redacted_at) return null;
  const of = { accountId: session.account_id, submissionId: row.submission_id };
  return (await openClaims(deps, of))?.facts ?? null;
}
