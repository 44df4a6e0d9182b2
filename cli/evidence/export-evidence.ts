import { pipeline } from 'node:stream/promises';
import { CallFailed, type Problem } from '../../simulator/session/client.ts';
import { printable } from '../command-line/printable.ts';
import { readState } from '../data-directory/state.ts';

const stallMsMax = 15_000;

/**
 * Prints the evidence of a session's proofs. Exit codes: 0 printed, 1 refused, 2 invalid arguments.
 */
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
    process.stderr.write(`--url ${printable(base)}: not an address\n`);
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
      const { message } = new CallFailed(response.status, problem);
      process.stderr.write(`refused: ${printable(message)}\n`);
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
    // The reader closed the pipe.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0;
    const broken = 'broken off: what was printed is not all of it';
    process.stderr.write(
      `${isBegun ? broken : `no answer from ${printable(base)}; see: npm run status`}\n`,
    );
    return 1;
  } finally {
    clearTimeout(timer);
  }
}
