import type { CryptoKey } from 'jose';
import type { AccessTokenType } from '../../../domain/names.ts';
import { isSignedBy, takeApart, type ParsedJws } from '../../../domain/tokens/jws.ts';
import { assertRule } from './access-token-refused.ts';
import type { Issuers } from './issuers.ts';

/** Providers put groups in: far more than a token of ours may have. */
export const accessTokenBytesMax = 16 * 1024;

const kidLengthMax = 256;

const algorithms = ['RS256', 'PS256', 'ES256'] as const;
type Algorithm = (typeof algorithms)[number];

/** Members that bring keys along, change the processing, or say that the content is no claims. */
const forbidden = ['jwk', 'jku', 'x5u', 'crit', 'b64', 'zip', 'enc', 'epk', 'cty'];

/** RFC 9068 §2.1, RFC 7515 §4.1.9: case does not matter, and `application/` may be left out. */
const typesOf: Record<AccessTokenType, readonly string[]> = {
  'at+jwt': ['at+jwt', 'application/at+jwt'],
  JWT: ['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt'],
};

interface SignedToken {
  readonly claims: ParsedJws['claims'];
  /** The id of the key that signed it. */
  readonly kid: string;
  /** Whether its header says that it is an access token. */
  readonly isTyped: boolean;
}

interface TokenKind {
  readonly issuer: string;
  readonly token_type: AccessTokenType;
  /** Whether the issuer's metadata must advertise the algorithm. */
  readonly isAlgorithmAdvertised?: boolean;
}

/**
 * The claims of an access token that its issuer has signed (RFC 9068 §4, RFC 8725 §3): form,
 * algorithm, header, type, key, signature. What they say is not judged yet.
 * @throws AccessTokenRefused; Failure `dependency_unavailable` where the keys cannot be had
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
  // Whose it says it is costs nothing to ask: no made-up token has keys fetched.
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

/** Tries the keys one after the other: several of one id are alternatives (RFC 7517 §4.5). */
async function isSignedByOne(
  jws: ParsedJws,
  alg: Algorithm,
  keys: readonly CryptoKey[],
): Promise<boolean> {
  for (const key of keys) if (await isSignedBy(jws, key, alg)) return true;
  return false;
}
