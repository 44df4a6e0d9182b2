/** What of a body was given: members that were left out are absent, not undefined. */
export function omitUndefined<T extends object>(
  body: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return JSON.parse(JSON.stringify(body));
}
