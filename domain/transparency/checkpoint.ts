import type { LogSigner } from './log-signer.ts';
import type { TreeHead } from './merkle.ts';
import { bytesOf, signatureLine } from './note.ts';

/** The content of a checkpoint (C2SP tlog-checkpoint). */
export interface LogCheckpoint extends TreeHead {
  readonly origin: string;
}

/** Signs the head of the log: a note of three lines with one signature. */
export async function signLogCheckpoint(signer: LogSigner, head: TreeHead): Promise<string> {
  const text = `${signer.key.name}\n${head.size}\n${head.root.toString('base64')}\n`;
  const signature = await signer.sign(Buffer.from(text));
  return `${text}\n${signatureLine(signer.key, signature)}`;
}

/** Parses the text of a note as a checkpoint; null if it is none. Further lines are allowed. */
export function parseLogCheckpoint(text: string): LogCheckpoint | null {
  const [origin = '', count = '', encoded = ''] = text.split('\n');
  const size = countOf(count);
  const root = bytesOf(encoded);
  if (origin === '' || size === null || root?.length !== 32) return null;
  return { origin, size, root };
}

/** Parses a number as a checkpoint writes it; null for any other spelling. */
export function countOf(text: string): number | null {
  const count = Number(text);
  return /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(count) ? count : null;
}
