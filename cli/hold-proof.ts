import type { AffidavitVerdict } from '../activities/affidavit/verdict.ts';
import {
  judgeProof,
  openCheckpoint,
  type LogTrust,
} from '../activities/transparency/judge-proof.ts';
import { parseNoteKey, type NoteKey } from '../activities/transparency/note.ts';
import { proofBytesMax } from '../activities/transparency/proof-file.ts';
import { printable } from './printable.ts';
import { readNamed } from './read-named.ts';

export interface ProofOptions {
  /** A `.tlog-proof` to be held against it. */
  readonly proof?: string;
  /** The log that is believed, as `keys log` prints it. */
  readonly logKey?: string;
  /** Witnesses that have to have signed. */
  readonly witnessKey?: readonly string[];
  /** A checkpoint of the log that is known from elsewhere. */
  readonly logCheckpoint?: string;
}

const name = 'log';

/** The option that says how a proof is judged, where there is none to judge; null where all is well. */
export function withoutProof(options: ProofOptions): string | null {
  if (options.proof !== undefined) return null;
  if (options.logKey !== undefined) return '--log-key';
  if (options.witnessKey !== undefined) return '--witness-key';
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
  const trust = await readTrust(options, own);
  const file = await readNamed(options.proof);
  const { affidavit_id, sealed_at, sha256 } = verdict.facts;
  if (affidavit_id === undefined || sealed_at === undefined) {
    const detail = 'no attachment or time stamp that could be trusted';
    return { ...verdict, checks: [...verdict.checks, { name, result: 'skipped', detail }] };
  }
  const affidavit = { affidavit_id, sha256, sealed_at: new Date(sealed_at) };
  const text = file.length > proofBytesMax ? '' : file.toString('utf8');
  const fault = judgeProof(text, affidavit, trust);
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
  const log = logKey === undefined ? own : keyOf('--log-key', logKey);
  if (!log) throw new Error('no log is believed here: name its key by --log-key');
  const witnesses = witnessKey.map((text) => keyOf('--witness-key', text));
  if (logCheckpoint === undefined) return { log, witnesses, known: null };
  const known = openCheckpoint((await readNamed(logCheckpoint)).toString('utf8'), log);
  if (!known) throw new Error(`${printable(logCheckpoint)}: no checkpoint of the log`);
  return { log, witnesses, known };
}

function keyOf(option: string, text: string): NoteKey {
  const key = parseNoteKey(text);
  if (!key) throw new Error(`${option} ${printable(text)}: not the key of a note`);
  return key;
}
