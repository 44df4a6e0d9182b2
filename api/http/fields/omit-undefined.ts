/** Returns a copy without the members that are undefined. */
export function omitUndefined<T extends object>(
  body: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return JSON.parse(JSON.stringify(body));
}
