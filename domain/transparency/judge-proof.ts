import { parseLogCheckpoint } from './checkpoint.ts';
import { entryOf, type LoggedAffidavit } from './entry.ts';
import { isConsistent, leafHash, rootByInclusion, type TreeHead } from './merkle.ts';
import { parseNote, signedBy, type NoteKey } from './note.ts';
import { parseProof } from './proof-file.ts';
import { goesOn, type ReadTile } from './tile-tree.ts';

export interface LogTrust {
  /** The trusted log. */
  readonly log: NoteKey;
  /** Witnesses; each of them must have signed. */
  readonly witnesses: readonly NoteKey[];
  /** A checkpoint of that log from elsewhere; the proof's checkpoint must not be older. */
  readonly known: TreeHead | null;
}

/** Why a proof is refused. */
export type LogFault =
  | 'log_proof_malformed'
  | 'log_foreign'
  | 'log_signature'
  | 'log_witness'
  | 'log_downgraded'
  | 'log_forked'
  | 'log_inclusion';

/**
 * Judges offline whether an affidavit is in the trusted log. The checkpoint must be that log's,
 * signed and witnessed. It must not be older than the known one, and must equal it at the same
 * size. It must include the entry that follows from the file. Returns null if all of this holds.
 */
export function judgeProof(
  text: string,
  affidavit: LoggedAffidavit,
  { log, witnesses, known }: LogTrust,
): LogFault | null {
  const proof = parseProof(text);
  const note = proof && parseNote(proof.checkpoint);
  const head = note && parseLogCheckpoint(note.text);
  if (!proof || !note || !head) return 'log_proof_malformed';
  const signed = signedBy(note, log);
  if (head.origin !== log.name || signed === 'absent') return 'log_foreign';
  if (signed === 'bad') return 'log_signature';
  if (witnesses.some((witness) => signedBy(note, witness) !== 'ok')) return 'log_witness';
  if (known && head.size < known.size) return 'log_downgraded';
  if (known && head.size === known.size && !isConsistent(known, head, [])) return 'log_forked';
  const entry = entryOf(affidavit);
  // A copy of the entry in the proof must match, since other readers use it.
  if (proof.extra && proof.extra.toString('utf8') !== entry) return 'log_inclusion';
  const root = rootByInclusion(leafHash(entry), { ...proof, size: head.size }, [...proof.path]);
  return root?.equals(head.root) ? null : 'log_inclusion';
}

/**
 * Like `judgeProof`, but uses the tiles of the later tree to check consistency with a known
 * checkpoint of any size. A proof under an older checkpoint is valid if the known tree extends it.
 * @throws TilesUnusable
 */
export async function judgeGrowth(
  text: string,
  affidavit: LoggedAffidavit,
  trust: LogTrust & { readonly known: TreeHead },
  read: ReadTile,
): Promise<LogFault | null> {
  const alone = judgeProof(text, affidavit, { ...trust, known: null });
  const head = openCheckpoint(parseProof(text)?.checkpoint ?? '', trust.log);
  if (alone || !head) return alone;
  const [before, after] = head.size < trust.known.size ? [head, trust.known] : [trust.known, head];
  return (await goesOn(before, after, read)) ? null : 'log_forked';
}

/** Verifies a checkpoint of the log and returns its tree head; null if its signature is invalid. */
export function openCheckpoint(text: string, log: NoteKey): TreeHead | null {
  const note = parseNote(text);
  const head = note && parseLogCheckpoint(note.text);
  return head && signedBy(note, log) === 'ok' && head.origin === log.name ? head : null;
}
