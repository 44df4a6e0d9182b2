// The subset of node:fs that the verifier uses. It reads the embedded files.
import { Buffer, lack } from './buffer.ts';
import { fileAt } from './embedded.ts';

export function readFileSync(path: string): Buffer;
export function readFileSync(path: string, encoding: string): string;
export function readFileSync(path: string, encoding?: string): Buffer | string {
  const bytes = fileAt(path);
  if (!bytes) throw lack(`file ${path}`);
  return encoding === undefined ? Buffer.from(bytes) : Buffer.from(bytes).toString(encoding);
}
