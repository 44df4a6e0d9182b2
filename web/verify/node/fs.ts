// What the verifier uses of node:fs: the files that were put into the page.
import { Buffer, lack } from './buffer.ts';
import { fileAt } from './embedded.ts';

export function readFileSync(path: string): Buffer;
export function readFileSync(path: string, encoding: string): string;
export function readFileSync(path: string, encoding?: string): Buffer | string {
  const bytes = fileAt(path);
  if (!bytes) throw lack(`file ${path}`);
  return encoding === undefined ? Buffer.from(bytes) : Buffer.from(bytes).toString(encoding);
}
