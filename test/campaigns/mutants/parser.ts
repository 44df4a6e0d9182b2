/** A parser of untrusted bytes: it returns a value or throws one of its typed errors. */
export interface Parser {
  readonly name: string;
  readonly seeds: readonly Uint8Array[];
  /** May return a promise. */
  readonly read: (bytes: Uint8Array) => unknown;
  /** Names of the errors it may throw. */
  readonly throws: readonly string[];
  /** Its limits, when larger than those of a usual parser. */
  readonly bounds?: { readonly msMax: number; readonly memoryMbMax: number };
}
