import type { CryptoKey } from 'jose';
import type { AccessTokenType } from '../../../domain/names.ts';
import { isSignedBy, takeApart, type ParsedJws } from '../../../domain/tokens/jws.ts';
import { assertRule } from './access-token-refused.ts';
import type { Issuers } from './issuers.ts';

/** Larger than our own tokens may be, since providers put groups in theirs. */
export const accessTokenBytesMax = 16 * 1024;

const kidLengthMax = 256;

const algorithms = ['RS256', 'PS256', 'ES256'] as const;
type Algorithm = (typeof algorithms)[number];

/**
 * Header members that bring keys, change the processing, or mean that the content is not claims.
 */
const forbidden = ['jwk', 'jku', 'x5u', 'crit', 'b64', 'zip', 'enc', 'epk', 'cty'];

/** RFC 9068 §2.1, RFC 7515 §4.1.9: case does not matter, and `application/` can be omitted. */
const typesOf: Record<AccessTokenType, readonly string[]> = {
  'at+jwt': ['at+jwt', 'application/at+jwt'],
  JWT: ['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt'],
};

interface SignedToken {
  readonly claims: ParsedJws['claims'];
  /** Id of the key that signed it. */
  readonly kid: string;
  /** Whether its header types it as an access token. */
  readonly isTyped: boolean;
}

interface TokenKind {
  readonly issuer: string;
  readonly token_type: AccessTokenType;
  /** Whether the issuer's metadata must advertise the algorithm. */
  readonly isAlgorithmAdvertised?: boolean;
}

/**
 * Verifies the form, algorithm, header, type, key and signature of an access token (RFC 9068 §4,
 * RFC 8725 §3). Returns its claims, which are not checked yet.
 * @throws AccessTokenRefused
 * @throws Failure `dependency_unavailable` if the keys are unavailable
 */
export async function verifySignedToken(
  issuers: Issuers,
  { issuer, token_type: type, isAlgorithmAdvertised = false }: TokenKind,
  token: string,
): Promise<SignedToken> {
  const jws = takeApart(token, accessTokenBytesMax);
  assertRule('form', jws !== null);
  const { alg, kid, typ } = jws.header;
  assertRule('alg', isAlgorithm(alg));
  assertRule(
    'header',
    forbidden.every((name) => !Object.hasOwn(jws.header, name)),
  );
  assertRule('typ', typ === undefined ? type === 'JWT' : isOneOf(typesOf[type], typ));
  assertRule('kid', typeof kid === 'string' && kid !== '' && kid.length <= kidLengthMax);
  // Checked before the signature, since it is cheap: a forged token must not cause a fetch of keys.
  assertRule('issuer', jws.claims['iss'] === issuer);
  if (isAlgorithmAdvertised) assertRule('alg', (await issuers.algorithmsOf(issuer)).includes(alg));
  const keys = await issuers.keysOf(issuer, { alg, kid });
  assertRule('kid', keys.length > 0);
  assertRule('signature', await isSignedByOne(jws, alg, keys));
  return { claims: jws.claims, kid, isTyped: isOneOf(typesOf['at+jwt'], typ) };
}

function isAlgorithm(alg: unknown): alg is Algorithm {
  return algorithms.some((one) => one === alg);
}

function isOneOf(types: readonly string[], typ: unknown): boolean {
  return typeof typ === 'string' && types.includes(typ.toLowerCase());
}

/** Tries the keys one after the other: several with one id are alternatives (RFC 7517 §4.5). */
async function isSignedByOne(
  jws: ParsedJws,
  alg: Algorithm,
  keys: readonly CryptoKey[],
): Promise<boolean> {
  for (const key of keys) if (await isSignedBy(jws, key, alg)) return true;
  return false;
}
