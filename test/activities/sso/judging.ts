import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { AccessTokenRefused } from '../../../activities/identity/sso/access-token-refused.ts';
import { createIssuers, type Issuers } from '../../../activities/identity/sso/issuers.ts';
import { judgeAccessToken, type JudgedToken } from '../../../activities/identity/sso/judge.ts';
import type { SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import { Failure } from '../../../workflows/failures.ts';
import {
  providerRow,
  ssoClient,
  startKeyedIssuer,
  type KeyedIssuer,
} from '../../support/people/sso.ts';

/** An issuer for the tests of a file, and a judge with an empty cache before each test. */
export interface Judging {
  readonly idp: () => KeyedIssuer;
  readonly issuers: () => Issuers;
  readonly judge: (
    token: string,
    changes?: Partial<SsoProviderRow>,
    clientSecret?: string | null,
  ) => Promise<JudgedToken>;
}

export function judging(): Judging {
  let idp: KeyedIssuer;
  let issuers: Issuers;
  beforeAll(async () => {
    idp = await startKeyedIssuer();
  });
  beforeEach(() => {
    idp.issuer.metadata = {};
    idp.issuer.keys = [idp.key];
    issuers = createIssuers({ allowPrivate: true, clock: () => new Date() });
  });
  afterAll(async () => {
    expect(idp.issuer.faults).toEqual([]);
    await idp.issuer.stop();
  });
  return {
    idp: () => idp,
    issuers: () => issuers,
    judge: (token, changes = {}, clientSecret = ssoClient.clientSecret) => {
      const row = providerRow(idp.issuer.issuer, changes);
      return judgeAccessToken(issuers, { row, clientSecret }, token, new Date());
    },
  };
}

/** Returns the broken rule or the failure code. */
export async function faultOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => 'nothing',
    (reason: unknown) => reason,
  );
  if (error instanceof AccessTokenRefused) return error.rule;
  return error instanceof Failure ? error.code : String(error);
}
