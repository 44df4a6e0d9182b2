/** Joins the messages of an error and of all its causes in one line. */
export function withCauses(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause === undefined) return error.message;
  return `${error.message.trim()}: ${withCauses(error.cause)}`;
}
