import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyAffidavit, type AffidavitVerdict } from '../activities/affidavit/verify.ts';

const exitCodes = { valid: 0, invalid: 2, indeterminate: 3 } as const;

export interface VerifyOptions {
  readonly root?: readonly string[];
  readonly at?: string;
  readonly json?: boolean;
}

/** Verifies a PDF: 0 valid, 2 invalid or unreadable, 3 indeterminate. */
export async function verify(
  path: string,
  options: VerifyOptions,
  dataDir: string,
): Promise<number> {
  const file = await readFile(path).catch(() => null);
  if (!file) {
    process.stderr.write(`${path}: cannot be read\n`);
    return exitCodes.invalid;
  }
  const at = options.at === undefined ? new Date() : new Date(options.at);
  if (Number.isNaN(at.getTime())) {
    process.stderr.write(`--at ${options.at}: not an instant\n`);
    return exitCodes.invalid;
  }
  const verdict = await verifyAffidavit(file, await readRoots(options.root, dataDir), at);
  process.stdout.write(options.json ? `${JSON.stringify(verdict, null, 2)}\n` : report(verdict));
  return exitCodes[verdict.result];
}

async function readRoots(
  paths: readonly string[] | undefined,
  dataDir: string,
): Promise<X509Certificate[]> {
  const own = join(dataDir, 'keys', 'root.cer.pem');
  const roots: X509Certificate[] = [];
  for (const path of paths ?? [own]) {
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text === null && paths) throw new Error(`${path}: cannot be read`);
    const blocks = text?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    roots.push(...blocks.map((block) => new X509Certificate(block)));
  }
  return roots;
}

function report({ result, reason_code, checks, facts }: AffidavitVerdict): string {
  const marks = { ok: '✓', failed: '✗', skipped: '–' } as const;
  const lines = checks.map(
    ({ name, result: each, detail }) => `  ${marks[each]} ${name}${detail ? ` (${detail})` : ''}`,
  );
  const about = [facts.affidavit_id, facts.outcome, facts.sealed_at].filter(Boolean).join(' · ');
  const end = reason_code ? `${result}: ${reason_code}` : result;
  return `${about}\n${lines.join('\n')}\n${end}\n`;
}
