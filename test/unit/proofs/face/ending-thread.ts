import type { takeFaces } from '../../../../activities/proofs/face/read.ts';

interface Asked {
  readonly given: readonly [Parameters<typeof takeFaces>[0]];
}

/** A thread that returns the number of its frames, and exits on an image that begins with x. */
export function performed(task: Asked | null): { readonly value: unknown } {
  if (!task) return { value: null };
  const [{ portrait, frames }] = task.given;
  const images = [portrait, ...frames.map(({ image }) => image)];
  if (images.some(([first]) => first === 0x78)) process.exit(7);
  return { value: { read: frames.length } };
}
