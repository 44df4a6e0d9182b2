/** What reads bytes of strangers: it gives something, or throws one of its typed errors. */
export interface Parser {
  readonly name: string;
  readonly seeds: readonly Uint8Array[];
  /** What it gives may be to come. */
  readonly read: (bytes: Uint8Array) => unknown;
  /** Names of the errors it may throw. */
  readonly throws: readonly string[];
  /** What it may take, where that is more than a parser may. */
  readonly bounds?: { readonly msMax: number; readonly memoryMbMax: number };
}
