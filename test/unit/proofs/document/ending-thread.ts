import type { takeDocument } from '../../../../activities/proofs/document/read.ts';

/** A thread that exits on an image that begins with x. */
export function performed(task: { given: Parameters<typeof takeDocument> } | null): {
  readonly value: null;
} {
  if (task?.given[0].front[0] === 0x78) process.exit(7);
  return { value: null };
}
