/** A thread that begins, and ends at its first task. */
export const performed = (task: unknown): { readonly value: null } => {
  if (task !== null) process.exit(7);
  return { value: null };
};
