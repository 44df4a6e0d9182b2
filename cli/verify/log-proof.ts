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
  /** A `.tlog-proof` to be held against it. */
  readonly proof?: string;
  /** The log that is believed, as `keys log` prints it. */
  readonly logKey?: string;
  /** Witnesses that have to have signed. */
  readonly witnessKey?: readonly string[];
  /** A checkpoint of the log that is known from elsewhere. */
  readonly logCheckpoint?: string;
  /** Where the tiles of the log are: its address, or a folder. */
  readonly logTiles?: string;
}

const name = 'log';

/** The option about a proof where there is none to judge; null where all is well. */
export function withoutProof(options: ProofOptions): string | null {
  if (options.proof !== undefined) return null;
  if (options.logKey !== undefined) return '--log-key';
  if (options.witnessKey !== undefined) return '--witness-key';
  if (options.logTiles !== undefined) return '--log-tiles';
  return options.logCheckpoint === undefined ? null : '--log-checkpoint';
}

/**
 * Holds a proof of the public log against an affidavit, offline.
 * @param own the key of the local platform's log, where none is named
 * @throws one line where something that was named cannot be used, or no log is believed
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

/** The same of bytes that were read. Tiles tell of a known checkpoint of any size. */
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
  // The log knows the file as it was first stored: archives that came later begin with that one.
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

/** It was asked for, and nothing tells whether it is of this file. */
function withoutEntry(verdict: AffidavitVerdict): AffidavitVerdict {
  const skipped = withSkipped(verdict, timeless);
  if (verdict.result !== 'valid') return skipped;
  return { ...skipped, result: 'indeterminate', reason_code: 'log_entry_missing' };
}

/** An entry names a time before any that stamps the file. */
const isTooLate = ({ facts }: AffidavitVerdict, { at, isOfEntry }: SealTime): boolean =>
  isOfEntry && facts.sealed_at !== undefined && at > new Date(facts.sealed_at);

const withSkipped = (verdict: AffidavitVerdict, detail: string): AffidavitVerdict => ({
  ...verdict,
  checks: [...verdict.checks, { name, result: 'skipped', detail }],
});

/** By which time the log is asked for an entry. */
interface SealTime {
  readonly at: Date;
  /** Whether the entry alone says it. */
  readonly isOfEntry: boolean;
  readonly isUnknown: boolean;
}

/**
 * When the seal was made as the entry has it: by its own time stamp. Of a seal that has none, the
 * entry in the proof says it; what it says is in the log or is not.
 */
function sealTimeOf({ facts, checks }: AffidavitVerdict, proof: string): SealTime | null {
  const { sealed_at: at } = facts;
  const isUnstamped = checks.some((one) => one.name === 'timestamp' && one.result === 'skipped');
  if (!isUnstamped) return at ? { at: new Date(at), isOfEntry: false, isUnknown: false } : null;
  const named = timeInEntry(parseProof(proof)?.extra?.toString('utf8') ?? '');
  return { at: named ?? new Date(at ?? 0), isOfEntry: named !== null, isUnknown: named === null };
}

/** When it was sealed by the word of the platform, which has stood in the log since. */
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

/** The log that is named, or the own one. Throws one line where there is neither. */
export function believedLog(logKey: string | undefined, own: NoteKey | null): NoteKey {
  const log = logKey === undefined ? own : keyOf('--log-key', logKey);
  if (!log) throw new Error('no trusted log: give its key with --log-key');
  return log;
}

/** A checkpoint in a file. Throws one line where it is none of the log. */
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
