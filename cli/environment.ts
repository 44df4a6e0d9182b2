/**
 * Returns the environment for child processes and for the few variables of the command line. This
 * module imports nothing, so that a short command starts fast.
 */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
