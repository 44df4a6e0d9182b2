/** Gathers an option that may be given more than once. */
export const collectOption = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  value,
];
