import type { AffidavitVerdict } from '../activities/affidavit/verdict.ts';
import {
  judgeGrowth,
  judgeProof,
  openCheckpoint,
  type LogTrust,
} from '../activities/transparency/judge-proof.ts';
import type { TreeHead } from '../activities/transparency/merkle.ts';
import { parseNoteKey, type NoteKey } from '../activities/transparency/note.ts';
import { proofBytesMax } from '../activities/transparency/proof-file.ts';
import type { ReadTile } from '../activities/transparency/tile-tree.ts';
import { printable } from './printable.ts';
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
export async function holdProof(
  verdict: AffidavitVerdict,
  options: ProofOptions & { readonly proof: string },
  own: NoteKey | null,
): Promise<AffidavitVerdict> {
  if (options.logTiles !== undefined && options.logCheckpoint === undefined) {
    const why = 'holds a proof against a checkpoint: name one by --log-checkpoint';
    throw new Error(`--log-tiles ${why}`);
  }
  const trust = await readTrust(options, own);
  const tiles = options.logTiles === undefined ? null : tilesAt(options.logTiles);
  return holdLogProof(verdict, await readNamed(options.proof), { ...trust, tiles });
}

/** The same of bytes that were read. Tiles tell of a known checkpoint of any size. */
export async function holdLogProof(
  verdict: AffidavitVerdict,
  file: Buffer,
  trust: LogTrust & { readonly tiles: ReadTile | null },
): Promise<AffidavitVerdict> {
  const { affidavit_id, sealed_at, sha256, earlier_sha256 = [] } = verdict.facts;
  if (affidavit_id === undefined || sealed_at === undefined) {
    const detail = 'no attachment or time stamp that could be trusted';
    return { ...verdict, checks: [...verdict.checks, { name, result: 'skipped', detail }] };
  }
  const affidavit = { affidavit_id, sealed_at: new Date(sealed_at) };
  const text = file.length > proofBytesMax ? '' : file.toString('utf8');
  // The log knows the file as it was first stored: archives that came later begin with that one.
  const isLogged = (hash: string): boolean =>
    judgeProof(text, { ...affidavit, sha256: hash }, { ...trust, known: null }) === null;
  const logged = { ...affidavit, sha256: earlier_sha256.find(isLogged) ?? sha256 };
  const { known, tiles } = trust;
  const fault =
    known && tiles
      ? await judgeGrowth(text, logged, { ...trust, known }, tiles)
      : judgeProof(text, logged, trust);
  if (!fault) return { ...verdict, checks: [...verdict.checks, { name, result: 'ok' }] };
  return {
    ...verdict,
    result: 'invalid',
    reason_code: verdict.result === 'invalid' ? verdict.reason_code : fault,
    checks: [...verdict.checks, { name, result: 'failed', detail: fault }],
  };
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
  if (!log) throw new Error('no log is believed here: name its key by --log-key');
  return log;
}

/** A checkpoint in a file. Throws one line where it is none of the log. */
export async function readCheckpoint(path: string, log: NoteKey): Promise<TreeHead> {
  const head = openCheckpoint((await readNamed(path)).toString('utf8'), log);
  if (!head) throw new Error(`${printable(path)}: no checkpoint of the log`);
  return head;
}

function keyOf(option: string, text: string): NoteKey {
  const key = parseNoteKey(text);
  if (!key) throw new Error(`${option} ${printable(text)}: not the key of a note`);
  return key;
}
