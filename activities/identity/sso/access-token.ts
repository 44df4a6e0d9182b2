import { constants, verify, type KeyObject } from 'node:crypto';
import type { AccessTokenType } from '../../../domain/names.ts';
import { takeApart, type ParsedJws } from '../../../domain/tokens/jws.ts';
import { hold } from './access-token-refused.ts';
import type { IssuerKey, Issuers } from './issuers.ts';

/** Providers put groups in: far more than a token of ours may have. */
export const accessTokenBytesMax = 16 * 1024;

const kidLengthMax = 256;

/** RFC 7518 §3.1: what may sign, by which kind of key, and how it is verified. */
const algorithms = {
  RS256: { type: 'rsa', options: (key: KeyObject) => key },
  PS256: {
    type: 'rsa',
    options: (key: KeyObject) => ({
      key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    }),
  },
  ES256: {
    type: 'ec',
    options: (key: KeyObject) => ({ key, dsaEncoding: 'ieee-p1363' as const }),
  },
} as const;
type Algorithm = keyof typeof algorithms;

/** Members that bring keys along, change the processing, or say that the content is no claims. */
const forbidden = ['jwk', 'jku', 'x5u', 'crit', 'b64', 'zip', 'enc', 'epk', 'cty'];

/** RFC 9068 §2.1, RFC 7515 §4.1.9: case does not matter, and `application/` may be left out. */
const typesOf: Record<AccessTokenType, readonly string[]> = {
  'at+jwt': ['at+jwt', 'application/at+jwt'],
  JWT: ['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt'],
};

interface SignedToken {
  readonly claims: ParsedJws['claims'];
  /** The key that signed it. */
  readonly key: IssuerKey;
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
  hold('form', jws !== null);
  const { alg, kid, typ } = jws.header;
  hold('alg', isAlgorithm(alg));
  hold(
    'header',
    forbidden.every((name) => !Object.hasOwn(jws.header, name)),
  );
  hold('typ', typ === undefined ? type === 'JWT' : isOneOf(typesOf[type], typ));
  hold('kid', typeof kid === 'string' && kid !== '' && kid.length <= kidLengthMax);
  // Whose it says it is costs nothing to ask: no made-up token has keys fetched.
  hold('issuer', jws.claims['iss'] === issuer);
  if (isAlgorithmAdvertised) hold('alg', (await issuers.algorithmsOf(issuer)).includes(alg));
  const keys = (await issuers.keysOf(issuer, kid)).filter((key) => isFor(key, alg));
  hold('kid', keys.length > 0);
  const key = keys.find((each) => isSignedBy(jws, alg, each.key));
  hold('signature', key !== undefined);
  return { claims: jws.claims, key, isTyped: isOneOf(typesOf['at+jwt'], typ) };
}

function isAlgorithm(alg: unknown): alg is Algorithm {
  return typeof alg === 'string' && Object.hasOwn(algorithms, alg);
}

function isOneOf(types: readonly string[], typ: unknown): boolean {
  return typeof typ === 'string' && types.includes(typ.toLowerCase());
}

/** A key is for one kind of algorithm, and for the one it names (RFC 7517 §4.4, RFC 8725 §3.1). */
function isFor({ key, alg: named }: IssuerKey, alg: Algorithm): boolean {
  return key.asymmetricKeyType === algorithms[alg].type && (named === undefined || named === alg);
}

/** RFC 7518 §3.4: of ES256 both numbers in 32 octets each. */
const ecSignatureBytes = 64;

function isSignedBy(jws: ParsedJws, alg: Algorithm, key: KeyObject): boolean {
  if (alg === 'ES256' && jws.signature.length !== ecSignatureBytes) return false;
  return verify('sha256', jws.signingInput, algorithms[alg].options(key), jws.signature);
}
