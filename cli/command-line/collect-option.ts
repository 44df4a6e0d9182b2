/** Collects the values of an option that may be repeated. */
export const collectOption = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  value,
];
