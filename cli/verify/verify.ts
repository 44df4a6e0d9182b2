import { Console } from 'node:console';
import type { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { verifyAffidavit } from '../../activities/affidavit/verify.ts';
import { verifyReasons } from '../../domain/affidavit/reasons.ts';
import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';
import { parseNoteKey, type NoteKey } from '../../domain/transparency/note.ts';
import { printable, printableJson } from '../command-line/printable.ts';
import { reasonOf } from '../command-line/reason.ts';
import { certificatesIn } from './certificates-in.ts';
import { verifyLogProofFile, withoutProof, type ProofOptions } from './log-proof.ts';
import { listsIn } from './lists-in.ts';
import { readNamed } from './read-named.ts';
import { anchorText, reportOf } from './report.ts';

const exitCodes = { valid: 0, invalid: 2, indeterminate: 3 } as const;

export interface VerifyOptions extends ProofOptions {
  readonly root?: readonly string[];
  /** Current CRLs, PEM or DER. */
  readonly crl?: readonly string[];
  /** Roots of external time-stamping authorities. */
  readonly tsaRoot?: readonly string[];
  readonly at?: string;
  readonly json?: boolean;
  /** An export of evidence to compare with the affidavit. */
  readonly evidence?: string;
}

/** No verdict, because a named file is unusable. */
const unusable = 1;

/**
 * Verifies a PDF. Exit codes: 0 valid, 2 invalid, 3 indeterminate, 1 with one line if nothing was
 * judged.
 */
export async function verify(
  path: string,
  options: VerifyOptions,
  dataDir: string,
): Promise<number> {
  const at = options.at === undefined ? new Date() : new Date(options.at);
  if (Number.isNaN(at.getTime())) {
    process.stderr.write(`--at ${printable(options.at ?? '')}: not a time (ISO 8601)\n`);
    return unusable;
  }
  const lonely = withoutProof(options);
  if (lonely) {
    process.stderr.write(`${lonely} needs a log proof: give one with --proof\n`);
    return unusable;
  }
  let file: Buffer;
  let roots: X509Certificate[];
  let lists: Uint8Array[];
  let tsaRoots: X509Certificate[];
  try {
    file = await readNamed(path);
    roots = await readRoots(options.root, dataDir);
    lists = await readLists(options.crl ?? []);
    tsaRoots = await readAll(options.tsaRoot ?? []);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    return unusable;
  }
  if (roots.length === 0) {
    process.stderr.write('no trust anchor: give a root certificate with --root\n');
  }
  // The PDF parser writes warnings to the console; the output must be only the verdict.
  globalThis.console = new Console(new Writable({ write: (_part, _encoding, done) => done() }));
  const alone = await verifyAffidavit(file, roots, at, { lists, tsaRoots });
  let verdict = alone;
  try {
    if (options.evidence !== undefined) {
      const { compareEvidence: holdEvidence } = await import('./compare-evidence.ts');
      verdict = await holdEvidence(alone, options.evidence);
    }
  } catch (error) {
    process.stderr.write(`${printable(options.evidence ?? '')}: ${reasonOf(error)}\n`);
    return unusable;
  }
  try {
    const { proof } = options;
    if (proof !== undefined) {
      // The sealed content names its log, so the root and the proof are enough.
      const sealedKey = parseNoteKey(verdict.facts.log_key ?? '');
      verdict = await verifyLogProofFile(
        verdict,
        { ...options, proof },
        sealedKey ?? (options.logKey === undefined ? await readLocalLogKey(dataDir) : null),
      );
    }
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    return unusable;
  }
  process.stdout.write(
    options.json ? `${printableJson(verdict)}\n` : report(verdict, roots, options),
  );
  return exitCodes[verdict.result];
}

/** Returns the key of the local platform's log. Its 340 modules load only without another key. */
async function readLocalLogKey(dataDir: string): Promise<NoteKey | null> {
  const { localLogKey } = await import('../keys/log-key.ts');
  return localLogKey(dataDir);
}

/** Returns the named roots, or those of the local platform; empty if it has none. */
async function readRoots(
  paths: readonly string[] | undefined,
  dataDir: string,
): Promise<X509Certificate[]> {
  const own = join(dataDir, 'keys', 'root.cer.pem');
  if (!paths && !existsSync(own)) return [];
  return readAll(paths ?? [own]);
}

async function readAll(paths: readonly string[]): Promise<X509Certificate[]> {
  const roots: X509Certificate[] = [];
  for (const path of paths) roots.push(...certificatesOf(path, await readNamed(path)));
  return roots;
}

/** Reads CRLs: each file has one in DER or several in PEM. */
async function readLists(paths: readonly string[]): Promise<Uint8Array[]> {
  const lists: Uint8Array[] = [];
  for (const path of paths) {
    const file = await readNamed(path);
    try {
      lists.push(...listsIn(file));
    } catch (cause) {
      throw new Error(`${printable(path)}: ${reasonOf(cause)}`, { cause });
    }
  }
  return lists;
}

function certificatesOf(path: string, file: Buffer): X509Certificate[] {
  try {
    return certificatesIn(file);
  } catch (cause) {
    throw new Error(`${printable(path)}: ${reasonOf(cause)}`, { cause });
  }
}

function report(
  verdict: AffidavitVerdict,
  roots: readonly X509Certificate[],
  { root, proof, logKey }: VerifyOptions,
): string {
  const { marks, about, captured, checks, end } = reportOf(verdict);
  const whose = root ? '' : ' (of the local platform, because --root was not given)';
  const anchors = roots.map((each) => `${anchorText(each)}${whose}`);
  if (proof !== undefined && logKey === undefined) {
    const named = verdict.facts.log_key === undefined ? 'of the local platform' : 'in the file';
    anchors.push(`log: key ${named}, because --log-key was not given`);
  }
  const lines = checks.map((line) => `  ${line}`);
  const code = verdict.reason_code;
  const meaning = code === null ? [] : [`${code}: ${verifyReasons[code]}`];
  const head = [...marks, about, captured].filter((line) => line !== '');
  return `${[...head, ...lines, ...anchors, ...meaning, end].join('\n')}\n`;
}
