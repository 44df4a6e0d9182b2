import { readEvidenceFile } from '../activities/evidence/file.ts';
import type { Verdict } from '../activities/evidence/verdict.ts';
import { verifyEvidence } from '../activities/evidence/verify.ts';
import { reasonOf } from './platform/reason.ts';
import { readNamed } from './read-named.ts';
import { readState } from './state.ts';

/** Judges an evidence file: 0 passed, 1 failed or inconclusive, 2 not understood. */
export async function verifyEvidenceFile(path: string, asJson: boolean): Promise<number> {
  try {
    const content = path === '-' ? await readStdin() : await readNamed(path);
    const verdict = verifyEvidence(readEvidenceFile(content));
    process.stdout.write(asJson ? `${JSON.stringify(verdict, null, 2)}\n` : report(verdict));
    return verdict.verdict === 'passed' ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    return 2;
  }
}

/** Prints what a session's proofs were judged on: 0 printed, 1 refused, 2 nothing to ask. */
export async function exportEvidence(
  id: string,
  options: { readonly token?: string; readonly url?: string },
  dataDir: string,
): Promise<number> {
  const here = await readState(dataDir, 'status');
  const base = options.url ?? here?.base_url;
  const token = options.token ?? here?.api_key;
  if (!base || !token) {
    process.stderr.write('no platform is known here: give --url and --token\n');
    return 2;
  }
  const response = await fetch(
    new URL(`/v2/trust-checks/${encodeURIComponent(id)}/evidence`, base),
    {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(15_000),
    },
  ).catch(() => null);
  if (!response?.ok) {
    process.stderr.write(`refused: ${response?.status ?? 'no answer'}\n`);
    return 1;
  }
  process.stdout.write(await response.text());
  return 0;
}

async function readStdin(): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function report({ kind, verdict, reason_code, checks }: Verdict): string {
  const marks = { ok: '✓', failed: '✗', skipped: '–' } as const;
  const lines = checks.map(
    ({ name, result, detail }) => `  ${marks[result]} ${name}${detail ? ` (${detail})` : ''}`,
  );
  return `${kind}\n${lines.join('\n')}\n${verdict}${reason_code ? `: ${reason_code}` : ''}\n`;
}
