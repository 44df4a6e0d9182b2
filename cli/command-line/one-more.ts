/** Gathers an option that may be given more than once. */
export const oneMore = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  value,
];
