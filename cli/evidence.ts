import { pipeline } from 'node:stream/promises';
import { readEvidenceFile } from '../activities/evidence/file.ts';
import type { Verdict } from '../activities/evidence/verdict.ts';
import { verifyEvidence } from '../activities/evidence/verify.ts';
import { CallFailed, type Problem } from './phone/client.ts';
import { reasonOf } from './platform/reason.ts';
import { readNamed } from './read-named.ts';
import { readState } from './state.ts';

const stallMsMax = 15_000;

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
  if (!URL.canParse(base)) {
    process.stderr.write(`--url ${base}: not an address\n`);
    return 2;
  }
  const stalled = new AbortController();
  let isBegun = false;
  const timer = setTimeout(() => stalled.abort(), stallMsMax);
  try {
    const address = new URL(`/v2/trust-checks/${encodeURIComponent(id)}/evidence`, base);
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(address, { headers, signal: stalled.signal });
    if (!response.ok || !response.body) {
      const problem = (await response.json().catch(() => ({}))) as Problem;
      process.stderr.write(`refused: ${new CallFailed(response.status, problem).message}\n`);
      return 1;
    }
    isBegun = true;
    await pipeline(
      response.body,
      async function* (parts: AsyncIterable<Uint8Array>) {
        for await (const part of parts) {
          timer.refresh();
          yield part;
        }
      },
      process.stdout,
      { end: false },
    );
    return 0;
  } catch (error) {
    // Who reads us has enough.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0;
    const broken = 'broken off: what was printed is not all of it';
    process.stderr.write(
      `${isBegun ? broken : `nobody answers at ${base}; see: npm run status`}\n`,
    );
    return 1;
  } finally {
    clearTimeout(timer);
  }
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
