import { Console } from 'node:console';
import { createHash, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { marksOf } from '../activities/affidavit/marks.ts';
import { verifyAffidavit } from '../activities/affidavit/verify.ts';
import type { AffidavitVerdict } from '../activities/affidavit/verdict.ts';
import { reasonOf } from './platform/reason.ts';
import { holdEvidence } from './hold-evidence.ts';
import { holdProof, withoutProof, type ProofOptions } from './hold-proof.ts';
import { localLogKey } from './log-key.ts';
import { printable, printableJson } from './printable.ts';
import { readNamed } from './read-named.ts';

const exitCodes = { valid: 0, invalid: 2, indeterminate: 3 } as const;

export interface VerifyOptions extends ProofOptions {
  readonly root?: readonly string[];
  /** Of outside time-stamping authorities. */
  readonly tsaRoot?: readonly string[];
  readonly at?: string;
  readonly json?: boolean;
  /** An export of evidence to be held against it. */
  readonly evidence?: string;
}

/** There is no verdict: something that was named cannot be used. */
const unusable = 1;

/** Verifies a PDF: 0 valid, 2 invalid, 3 indeterminate; 1 and one line when nothing was judged. */
export async function verify(
  path: string,
  options: VerifyOptions,
  dataDir: string,
): Promise<number> {
  const at = options.at === undefined ? new Date() : new Date(options.at);
  if (Number.isNaN(at.getTime())) {
    process.stderr.write(`--at ${printable(options.at ?? '')}: not an instant\n`);
    return unusable;
  }
  const lonely = withoutProof(options);
  if (lonely) {
    process.stderr.write(`${lonely} says how a proof is judged: name one by --proof\n`);
    return unusable;
  }
  let file: Buffer;
  let roots: X509Certificate[];
  let tsaRoots: X509Certificate[];
  try {
    file = await readNamed(path);
    roots = await readRoots(options.root, dataDir);
    tsaRoots = await readAll(options.tsaRoot ?? []);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    return unusable;
  }
  if (roots.length === 0) {
    process.stderr.write('no trust anchor here: name one by --root\n');
  }
  // The parser of PDF tells the console what it meets; what is said here is the verdict alone.
  globalThis.console = new Console(new Writable({ write: (_part, _encoding, done) => done() }));
  const alone = await verifyAffidavit(file, roots, at, tsaRoots);
  let verdict = alone;
  try {
    if (options.evidence !== undefined) verdict = await holdEvidence(alone, options.evidence);
  } catch (error) {
    process.stderr.write(`${printable(options.evidence ?? '')}: ${reasonOf(error)}\n`);
    return unusable;
  }
  try {
    const { proof } = options;
    if (proof !== undefined) {
      const own = options.logKey === undefined ? await localLogKey(dataDir) : null;
      verdict = await holdProof(verdict, { ...options, proof }, own);
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

/** The roots that were named, or the local platform's own; none when it has none. */
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
  for (const path of paths) roots.push(...certificatesIn(path, await readNamed(path)));
  return roots;
}

function certificatesIn(path: string, file: Buffer): X509Certificate[] {
  const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
  const blocks = file.toString('latin1').match(block);
  if (!blocks) throw new Error(`${printable(path)}: no certificate in PEM`);
  try {
    return blocks.map((pem) => new X509Certificate(pem));
  } catch (cause) {
    throw new Error(`${printable(path)}: not a certificate in PEM`, { cause });
  }
}

function report(
  { result, reason_code, checks, facts }: AffidavitVerdict,
  roots: readonly X509Certificate[],
  { root, proof, logKey }: VerifyOptions,
): string {
  const signs = { ok: '✓', failed: '✗', skipped: '–' } as const;
  const lines = checks.map(
    ({ name, result: each, detail }) =>
      `  ${signs[each]} ${name}${detail ? ` (${printable(detail)})` : ''}`,
  );
  const about = [facts.affidavit_id, facts.outcome, facts.sealed_at]
    .flatMap((fact) => (fact ? [printable(fact)] : []))
    .join(' · ');
  const { livemode = true, development = false } = facts;
  const marks = marksOf({ livemode, development });
  const anchors = roots.map(({ subject, raw }) => {
    const sha256 = createHash('sha256').update(raw).digest('hex');
    const whose = root ? '' : ' (the platform’s here: no --root was given)';
    return `trust anchor: ${printable(subject.split('\n').join(', '))}, SHA-256 ${sha256}${whose}`;
  });
  if (proof !== undefined && logKey === undefined) {
    anchors.push('log: the platform’s here (no --log-key was given)');
  }
  const end = reason_code ? `${result}: ${reason_code}` : result;
  const names = marks.map(({ name }) => name).join(', ');
  // Of a file that is no affidavit nothing is known.
  const head = marks.map(({ name, words }) => `${name}: ${words}`);
  const tail = result === 'valid' && names !== '' ? `${end} (${names})` : end;
  return `${[...head, ...(about === '' ? [] : [about]), ...lines, ...anchors, tail].join('\n')}\n`;
}
