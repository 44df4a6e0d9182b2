/**
 * The environment a child process inherits, and the few variables the command line reads. It loads
 * nothing, so that a short command is short.
 */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
