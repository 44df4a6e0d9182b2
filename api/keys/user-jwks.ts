import { peopleIssuerOf } from '../../activities/keys/certificates/people-issuer.ts';
import { hasUser, listUserCertificates } from '../../db/queries/certificates.ts';
import { signJws } from '../../domain/tokens/jws.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { polyUserIdForm } from '../http/fields/ids.ts';
import { preferredType } from '../http/problem/accept.ts';
import { jsonType, keyContracts, signedType } from './contract.ts';
import { presentUserKeys } from './present.ts';
import { revalidate, strongTag } from './revalidate.ts';

/**
 * The keys of a user, assembled from the certificates stored. With include=all and by Accept it is
 * a JWT of type `jwk-set+jwt` (OpenID Federation 1.0, Federation Historical Keys) under the
 * platform's token key: a CA's own key signs certificates and CRLs only (RFC 5280 §4.2.1.3).
 */
export const userJwks = handler(keyContracts.userJwks)(async (
  input,
  deps: Pick<Deps, 'db' | 'keys' | 'settings'>,
) => {
  const { poly_user_id: polyUserId } = input.path;
  const { now } = input.call;
  if (!polyUserIdForm.test(polyUserId)) throw new Failure('not_found');
  const rows = await listUserCertificates(deps.db, polyUserId);
  if (rows.length === 0 && !(await hasUser(deps.db, polyUserId))) {
    throw new Failure('not_found');
  }
  const isWhole = input.query.include === 'all';
  const { retired, tokens } = deps.keys;
  const keys = presentUserKeys(rows, {
    now,
    isWhole,
    issuerOf: (kid) => peopleIssuerOf(deps.keys, kid) ?? undefined,
    markOf: (kid) => retired.find((ca) => ca.kid === kid)?.revoked ?? null,
  });
  const headers = { Vary: 'Accept' };
  const ifNoneMatch = input.headers['if-none-match'];
  const json = JSON.stringify({ keys });
  if (!isWhole || !prefersSigned(input.call.header('accept'))) {
    return revalidate({ type: jsonType, content: json, headers }, ifNoneMatch);
  }
  const { baseUrl } = deps.settings;
  const claims = {
    iss: baseUrl,
    sub: `${baseUrl}/users/${polyUserId}`,
    iat: Math.floor(now.getTime() / 1000),
    keys,
  };
  const content = await signJws(tokens, 'jwk-set+jwt', claims);
  // Each signature is another; what it is over is the same.
  const etag = `W/${strongTag(`${signedType}\n${json}`)}`;
  return revalidate({ type: signedType, content, headers }, ifNoneMatch, etag);
});

/** The signed form is for those who name it, and do not like JSON better. */
function prefersSigned(accept: string | undefined): boolean {
  return preferredType(accept, [jsonType, 'application/json', signedType]) === signedType;
}
