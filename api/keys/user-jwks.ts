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
 * Returns the keys of a person from their stored certificates. With include=all, and by Accept, it
 * returns a JWT of type `jwk-set+jwt` (OpenID Federation 1.0, Federation Historical Keys). The
 * platform's token key signs it, because a CA key signs only certificates and CRLs (RFC 5280
 * §4.2.1.3).
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
  // Signatures differ each time, so the tag is over the signed content.
  const etag = `W/${strongTag(`${signedType}\n${json}`)}`;
  return revalidate({ type: signedType, content, headers }, ifNoneMatch, etag);
});

/** The signed form is only for callers who name it and do not prefer JSON. */
function prefersSigned(accept: string | undefined): boolean {
  return preferredType(accept, [jsonType, 'application/json', signedType]) === signedType;
}
