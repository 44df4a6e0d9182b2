import type { Response } from 'express';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { AttestedDevice } from './caller.ts';

/** What the header must speak of: this very request. */
export interface AttestedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array;
}

/** Placeholder removed when devices land. */
export async function verifyAttest(
  _deps: Pick<Deps, 'db'>,
  _header: string,
  _request: AttestedRequest,
  _response: Response,
  _now: Date,
): Promise<AttestedDevice> {
  throw new Failure('attestation_refused');
}
