import type { Request } from 'express';
import { apiVersion } from '../../../workflows/events.ts';
import { Failure } from '../../../workflows/failures.ts';

export type ApiVersion = typeof apiVersion;

/** Header with the API version: the expected one in a request, the actual one in a response. */
export const versionHeader = 'Trustcheck-Version';
/** Every version that a caller may expect. */
const known: readonly string[] = [apiVersion];

/** @throws Failure `unknown_version` with the known versions */
export function checkVersion(request: Request): void {
  const asked = request.get(versionHeader);
  if (asked === undefined || known.includes(asked)) return;
  throw new Failure('unknown_version', { extra: { known_versions: known } });
}
