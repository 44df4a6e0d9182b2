import { parseLogCheckpoint } from './checkpoint.ts';
import { entryOf, type LoggedAffidavit } from './entry.ts';
import { isConsistent, leafHash, rootByInclusion, type TreeHead } from './merkle.ts';
import { parseNote, signedBy, type NoteKey } from './note.ts';
import { parseProof } from './proof-file.ts';
import { goesOn, type ReadTile } from './tile-tree.ts';

export interface LogTrust {
  /** The log that is believed. */
  readonly log: NoteKey;
  /** Witnesses, each of which has to have signed. */
  readonly witnesses: readonly NoteKey[];
  /** A checkpoint of that log that is known from elsewhere: it must not be behind it. */
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
 * Judges, offline, that an affidavit is in the log that is believed: whether the checkpoint is that
 * log's, signed, witnessed, not older than the one that is known and no other of its size, and
 * whether the entry that follows from the file is in it. Null when all of it holds.
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
  // What a proof says of the entry besides has to be that entry: others read it there.
  if (proof.extra && proof.extra.toString('utf8') !== entry) return 'log_inclusion';
  const root = rootByInclusion(leafHash(entry), { ...proof, size: head.size }, [...proof.path]);
  return root?.equals(head.root) ? null : 'log_inclusion';
}

/**
 * As `judgeProof`, with the tiles of the later of both trees: whether one goes on from the other is
 * told for a known checkpoint of any size. A proof under an older one is good where the known tree
 * goes on from it.
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

/** What a checkpoint of the log says, once its signature is seen to be good; null otherwise. */
export function openCheckpoint(text: string, log: NoteKey): TreeHead | null {
  const note = parseNote(text);
  const head = note && parseLogCheckpoint(note.text);
  return head && signedBy(note, log) === 'ok' && head.origin === log.name ? head : null;
}
