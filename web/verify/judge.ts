import './prepare.ts';
import { verifyAffidavit } from '../../activities/affidavit/verify.ts';
import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';
import { parseNoteKey } from '../../domain/transparency/note.ts';
import { certificatesIn } from '../../cli/verify/certificates-in.ts';
import { comparePieces } from '../../cli/verify/compare-evidence.ts';
import { verifyLogProofBytes } from '../../cli/verify/log-proof.ts';
import { listsIn } from '../../cli/verify/lists-in.ts';
import { anchorText, reportOf, type VerdictReport } from '../../cli/verify/report.ts';
import { Buffer, lacking } from './node/buffer.ts';
import { withoutPages } from './fonts-missing.ts';
import { revisionsOf, type Revision } from './revisions.ts';

/** The input of a verification. Texts are as the person typed them. */
export interface Question {
  readonly pdf: Blob;
  readonly root: string;
  /**
   * Roots of external time-stamp authorities, in PEM or DER. Trusted only for the time stamp of a
   * seal.
   */
  readonly tsaRoots: readonly Blob[];
  /** ISO 8601; empty for the current time. */
  readonly at: string;
  /** Current revocation lists, each in DER or several in PEM. */
  readonly lists: readonly Blob[];
  readonly proof: Blob | null;
  readonly logKey: string;
  readonly evidence: Blob | null;
}

export interface Answer {
  readonly verdict: AffidavitVerdict;
  readonly report: VerdictReport;
  readonly anchors: readonly string[];
  readonly revisions: readonly Revision[];
}

/** Explains in one line why there is no verdict: an input cannot be used. */
export interface Refusal {
  readonly refused: string;
}

/** One byte above the maximum size of a file is enough for the verifier to reject it. */
const pdfBytesRead = 20 * 1024 * 1024 + 1;
const proofBytesRead = 1024 * 1024;
const rootBytesRead = 1024 * 1024;
const listBytesRead = 4 * 1024 * 1024;
const evidenceBytesMax = 64 * 1024 * 1024;

/** Verifies a file as `trustcheck verify` does, with the same code. */
export async function judge(question: Question): Promise<Answer | Refusal> {
  try {
    return await judged(question);
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

async function judged({ pdf, root, tsaRoots, at, lists, ...besides }: Question): Promise<Answer> {
  const instant = at === '' ? new Date() : new Date(at);
  if (Number.isNaN(instant.getTime())) throw new Error('The time of verification is not a time');
  const roots = root.trim() === '' ? [] : certificatesIn(readable(new TextEncoder().encode(root)));
  const bytes = await bytesOf(pdf, pdfBytesRead);
  const missedBefore = lacking().length;
  const alone = await verifyAffidavit(bytes, roots, instant, {
    lists: await listsOf(lists),
    tsaRoots: await rootsOf(tsaRoots),
  });
  let verdict = withoutPages(alone, lacking().slice(missedBefore));
  const excused = verdict === alone ? missedBefore : lacking().length;
  verdict = await withEvidence(verdict, besides.evidence);
  verdict = await withProof(verdict, besides.proof, besides.logKey.trim());
  const missed = lacking().slice(excused);
  // A feature that this page lacks is not a fault of the file.
  if (missed.length > 0 && verdict.result !== 'valid') {
    throw new Error(`This page cannot verify the file, because it lacks ${missed.join(', ')}`);
  }
  const isForm = verdict.checks.some(({ name, result }) => name === 'form' && result === 'ok');
  return {
    verdict,
    report: reportOf(verdict),
    anchors: roots.map(anchorText),
    revisions: isForm ? revisionsOf(bytes.toString('latin1')) : [],
  };
}

async function listsOf(files: readonly Blob[]): Promise<Uint8Array[]> {
  const lists: Uint8Array[] = [];
  for (const file of files) lists.push(...listsIn(await bytesOf(file, listBytesRead)));
  return lists;
}

async function rootsOf(files: readonly Blob[]): Promise<ReturnType<typeof certificatesIn>> {
  const read = await Promise.all(files.map((file) => bytesOf(file, rootBytesRead)));
  return read.flatMap((file) => certificatesIn(file));
}

async function withEvidence(verdict: AffidavitVerdict, evidence: Blob | null) {
  if (!evidence) return verdict;
  if (evidence.size > evidenceBytesMax) {
    throw new Error('The evidence is too large for this page. Use trustcheck verify');
  }
  return comparePieces(verdict, piecesOf(evidence));
}

async function withProof(verdict: AffidavitVerdict, proof: Blob | null, logKey: string) {
  if (!proof) return verdict;
  // The sealed content names its log. It is used if the person typed no log key.
  const log = parseNoteKey(logKey === '' ? (verdict.facts.log_key ?? '') : logKey);
  if (!log) throw new Error('The log key is malformed');
  const trust = { log, witnesses: [], known: null, tiles: null };
  return verifyLogProofBytes(verdict, await bytesOf(proof, proofBytesRead), trust);
}

const bytesOf = async (blob: Blob, most: number): Promise<globalThis.Buffer> =>
  readable(new Uint8Array(await blob.slice(0, most).arrayBuffer()));

const readable = (bytes: Uint8Array): globalThis.Buffer =>
  Buffer.from(bytes) as unknown as globalThis.Buffer;

async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array> {
  const pieceBytes = 1024 * 1024;
  for (let at = 0; at < blob.size; at += pieceBytes) {
    yield bytesOf(blob.slice(at, at + pieceBytes), pieceBytes);
  }
}
