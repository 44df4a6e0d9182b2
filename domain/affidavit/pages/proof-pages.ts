import { writeMinor, writeParagraph } from '../../pdf/layout/blocks.ts';
import { codeText, digestText, instantText, providerText } from '../../pdf/layout/labels.ts';
import type { Sheet } from '../../pdf/layout/sheet.ts';
import { rowsOf, writeFacts, writeTable, type Fact } from '../../pdf/layout/table.ts';
import { proofName } from '../../proofs/proof-words.ts';
import type { AffidavitContent } from '../content.ts';
import { resultName, resultOf, stepResult, type StepResult } from '../words/proof-results.ts';
import { stepName } from '../words/step-words.ts';

type Proof = AffidavitContent['proofs'][0];

const proofColumns = [
  { head: 'Proof', width: 84 },
  { head: 'Method', width: 112 },
  { head: 'Result', width: 90 },
  { head: 'Attempts', width: 48 },
  { head: 'Verdict of the service', width: 149 },
];

/** Writes a table of all proofs, and the details of each. */
export function writeProofs(sheet: Sheet, { proofs, decision }: AffidavitContent): void {
  const summary = proofs.map((proof) => [
    proofName(proof.type),
    proof.method === null ? 'review' : codeText(proof.method),
    resultName(proof),
    String(proof.attempts),
    verdictText(proof),
  ]);
  writeTable(sheet, proofColumns, summary);
  for (const proof of proofs) {
    writeMinor(sheet, `${proofName(proof.type)}: ${resultName(proof)}`);
    for (const text of proof.explanation) writeParagraph(sheet, text);
    writeFacts(sheet, [
      ['Verdict of the service', verdictText(proof)],
      ['Decision of the reviewer', reviewText(proof, decision)],
      ['Reason code', proof.reason_code],
      ['Provider', proof.provider === null ? null : providerText(proof.provider)],
      ['Captured by', proof.capture === null ? null : captureWords[proof.capture]],
      ['Evidence SHA-256', digestText(proof.evidence_sha256), true],
      ['Evidence form', proof.evidence_form],
      ...checkRows(proof),
      ...rowsOf(proof.facts),
    ]);
  }
}

const captureWords = {
  app: 'an app on an attested device',
  browser: 'a browser, which proves nothing about its camera',
} as const;

const verdictWords = { passed: 'passed', rejected: 'failed', unsure: 'not decided' } as const;

/** Returns the judgment of the last attempt with its time; a reviewer decides later. */
function verdictText({ judgement, judged_at: at }: Proof): string {
  if (judgement === null) return 'none';
  return at === null ? verdictWords[judgement] : `${verdictWords[judgement]}, ${instantText(at)}`;
}

function reviewText(proof: Proof, { decided_at: at }: AffidavitContent['decision']): string | null {
  const result = resultOf(proof);
  if (result !== 'accepted' && result !== 'rejected') return null;
  return `${result === 'accepted' ? 'accepted' : 'not accepted'}, ${instantText(at)}`;
}

const stepLabels: Readonly<Record<StepResult, string>> = {
  ok: 'Steps passed',
  failed: 'Steps failed',
  undecided: 'Steps not decided',
  none: 'Steps without a result',
};

/** Returns the steps of a proof grouped by result, in order. */
function checkRows(proof: Proof): Fact[] {
  const steps = proof.checks.map(({ name }) => ({ name, result: stepResult(proof, name) }));
  const results = [...new Set(steps.map(({ result }) => result))];
  return results.map((result) => {
    const names = steps.filter((step) => step.result === result).map(({ name }) => name);
    return [stepLabels[result], `${names.map(stepName).join(', ')} (${names.length})`];
  });
}
