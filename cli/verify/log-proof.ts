import type { VerifyReason } from '../../domain/affidavit/reasons.ts';
import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';
import { timeInEntry } from '../../domain/transparency/entry.ts';
import {
  judgeGrowth,
  judgeProof,
  openCheckpoint,
  type LogTrust,
} from '../../domain/transparency/judge-proof.ts';
import type { TreeHead } from '../../domain/transparency/merkle.ts';
import { parseNoteKey, type NoteKey } from '../../domain/transparency/note.ts';
import { parseProof, proofBytesMax } from '../../domain/transparency/proof-file.ts';
import type { ReadTile } from '../../domain/transparency/tile-tree.ts';
import { printable } from '../command-line/printable.ts';
import { readNamed } from './read-named.ts';
import { tilesAt } from './read-tiles.ts';

export interface ProofOptions {
  /** A `.tlog-proof` to verify with the affidavit. */
  readonly proof?: string;
  /** Key of the trusted log, as `keys log` prints it. */
  readonly logKey?: string;
  /** Keys of witnesses that must have signed. */
  readonly witnessKey?: readonly string[];
  /** A known checkpoint of the log. */
  readonly logCheckpoint?: string;
  /** Tiles of the log: its URL, or a folder. */
  readonly logTiles?: string;
}

const name = 'log';

/** Returns the option that needs a proof if none is given; null if all is well. */
export function withoutProof(options: ProofOptions): string | null {
  if (options.proof !== undefined) return null;
  if (options.logKey !== undefined) return '--log-key';
  if (options.witnessKey !== undefined) return '--witness-key';
  if (options.logTiles !== undefined) return '--log-tiles';
  return options.logCheckpoint === undefined ? null : '--log-checkpoint';
}

/**
 * Verifies a proof of the public log for an affidavit, offline.
 * @param own the key of the local platform's log, used if none is named
 * @throws a one-line error if a named file is unusable, or no log is trusted
 */
export async function verifyLogProofFile(
  verdict: AffidavitVerdict,
  options: ProofOptions & { readonly proof: string },
  own: NoteKey | null,
): Promise<AffidavitVerdict> {
  if (options.logTiles !== undefined && options.logCheckpoint === undefined) {
    throw new Error('--log-tiles needs a checkpoint: give one with --log-checkpoint');
  }
  const trust = await readTrust(options, own);
  const tiles = options.logTiles === undefined ? null : tilesAt(options.logTiles);
  return verifyLogProofBytes(verdict, await readNamed(options.proof), { ...trust, tiles });
}

/** Same as `verifyLogProofFile` for bytes. With tiles, the known checkpoint can have any size. */
export async function verifyLogProofBytes(
  verdict: AffidavitVerdict,
  file: Buffer,
  trust: LogTrust & { readonly tiles: ReadTile | null },
): Promise<AffidavitVerdict> {
  const { affidavit_id, sha256, earlier_sha256 = [] } = verdict.facts;
  const text = file.length > proofBytesMax ? '' : file.toString('utf8');
  const sealedAt = sealTimeOf(verdict, text);
  if (affidavit_id === undefined || !sealedAt) return withSkipped(verdict, untrusted);
  const affidavit = { affidavit_id, sealed_at: sealedAt.at };
  // The log has the hash of the first stored file. Later archives of it begin with that file.
  const isLogged = (hash: string): boolean =>
    judgeProof(text, { ...affidavit, sha256: hash }, { ...trust, known: null }) === null;
  const logged = { ...affidavit, sha256: earlier_sha256.find(isLogged) ?? sha256 };
  const { known, tiles } = trust;
  const fault =
    known && tiles
      ? await judgeGrowth(text, logged, { ...trust, known }, tiles)
      : judgeProof(text, logged, trust);
  if (fault === 'log_inclusion' && sealedAt.isUnknown) return withoutEntry(verdict);
  if (fault) return withFault(verdict, fault);
  return isTooLate(verdict, sealedAt)
    ? withFault(verdict, 'log_inclusion')
    : withLogged(verdict, sealedAt);
}

const withFault = (verdict: AffidavitVerdict, fault: VerifyReason): AffidavitVerdict => ({
  ...verdict,
  result: 'invalid',
  reason_code: verdict.result === 'invalid' ? verdict.reason_code : fault,
  checks: [...verdict.checks, { name, result: 'failed', detail: fault }],
});

const untrusted = 'the file has no trusted attachment or time stamp';
const timeless = 'the seal has no time stamp, and the log proof has no entry with a time';

/** The proof was requested, but nothing connects it with this file. */
function withoutEntry(verdict: AffidavitVerdict): AffidavitVerdict {
  const skipped = withSkipped(verdict, timeless);
  if (verdict.result !== 'valid') return skipped;
  return { ...skipped, result: 'indeterminate', reason_code: 'log_entry_missing' };
}

/** An entry must name a time before every time stamp on the file. */
const isTooLate = ({ facts }: AffidavitVerdict, { at, isOfEntry }: SealTime): boolean =>
  isOfEntry && facts.sealed_at !== undefined && at > new Date(facts.sealed_at);

const withSkipped = (verdict: AffidavitVerdict, detail: string): AffidavitVerdict => ({
  ...verdict,
  checks: [...verdict.checks, { name, result: 'skipped', detail }],
});

/** Sealing time for which the log must have an entry. */
interface SealTime {
  readonly at: Date;
  /** True if only the entry states it. */
  readonly isOfEntry: boolean;
  readonly isUnknown: boolean;
}

/**
 * Returns the sealing time to look up in the log: that of the seal's own time stamp. Without a time
 * stamp it is the time in the proof's entry, which is either in the log or not.
 */
function sealTimeOf({ facts, checks }: AffidavitVerdict, proof: string): SealTime | null {
  const { sealed_at: at } = facts;
  const isUnstamped = checks.some((one) => one.name === 'timestamp' && one.result === 'skipped');
  if (!isUnstamped) return at ? { at: new Date(at), isOfEntry: false, isUnknown: false } : null;
  const named = timeInEntry(parseProof(proof)?.extra?.toString('utf8') ?? '');
  return { at: named ?? new Date(at ?? 0), isOfEntry: named !== null, isUnknown: named === null };
}

/** Adds the sealing time that the platform stated in the log entry. */
function withLogged(verdict: AffidavitVerdict, { at, isOfEntry }: SealTime): AffidavitVerdict {
  const facts = isOfEntry ? { ...verdict.facts, logged_at: at.toISOString() } : verdict.facts;
  return { ...verdict, facts, checks: [...verdict.checks, { name, result: 'ok' }] };
}

async function readTrust(
  { logKey, witnessKey = [], logCheckpoint }: ProofOptions,
  own: NoteKey | null,
): Promise<LogTrust> {
  const log = believedLog(logKey, own);
  const witnesses = witnessKey.map((text) => keyOf('--witness-key', text));
  if (logCheckpoint === undefined) return { log, witnesses, known: null };
  return { log, witnesses, known: await readCheckpoint(logCheckpoint, log) };
}

/**
 * Returns the named log, or the local one.
 * @throws a one-line error if there is neither
 */
export function believedLog(logKey: string | undefined, own: NoteKey | null): NoteKey {
  const log = logKey === undefined ? own : keyOf('--log-key', logKey);
  if (!log) throw new Error('no trusted log: give its key with --log-key');
  return log;
}

/**
 * Reads a checkpoint from a file.
 * @throws a one-line error if it is not a checkpoint of the log
 */
export async function readCheckpoint(path: string, log: NoteKey): Promise<TreeHead> {
  const head = openCheckpoint((await readNamed(path)).toString('utf8'), log);
  if (!head) throw new Error(`${printable(path)}: not a checkpoint of the log`);
  return head;
}

function keyOf(option: string, text: string): NoteKey {
  const key = parseNoteKey(text);
  if (!key) throw new Error(`${option} ${printable(text)}: malformed key (name+id+key)`);
  return key;
}
