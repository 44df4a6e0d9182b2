import type { Operation } from '../operations.ts';

/** An operation as a command, by `BASE_URL`, `TOKEN`, `ATTEST` and `DPOP` of the shell. */
export function commandOf(operation: Operation): string {
  const { method, path, credentials, attest, parameters, body, example } = operation;
  const parts = ['curl', '-X', method.toUpperCase(), `"$BASE_URL${path}"`];
  const isSigned = credentials.includes('webhook');
  if (credentials.length > 0 && !isSigned) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (attest) parts.push('-H "attest: $ATTEST"');
  if (parameters.some(({ name }) => name === 'dpop')) parts.push('-H "DPoP: $DPOP"');
  if (body) {
    const text = JSON.stringify(example ?? {}).replaceAll("'", String.raw`'\''`);
    parts.push("-H 'Content-Type: application/json'", `-d '${text}'`);
  }
  return parts.join(' ');
}
