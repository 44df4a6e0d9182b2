import type { Operation } from '../operations.ts';

/** An operation as a command, with `BASE_URL`, `TOKEN` and `ATTEST` of the shell that runs it. */
export function commandOf(operation: Operation): string {
  const { method, path, credentials, attest, body, example } = operation;
  const parts = ['curl', '-X', method.toUpperCase(), `"$BASE_URL${path}"`];
  const isSigned = credentials.includes('webhook');
  if (credentials.length > 0 && !isSigned) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (attest) parts.push('-H "attest: $ATTEST"');
  if (body) {
    const text = JSON.stringify(example ?? {}).replaceAll("'", String.raw`'\''`);
    parts.push("-H 'Content-Type: application/json'", `-d '${text}'`);
  }
  return parts.join(' ');
}
