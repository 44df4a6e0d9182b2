import { createHash } from 'node:crypto';
import { thumbprintOf, type PublicJwk } from '../pki/x509/thumbprint.ts';
import { bytesOfBase64url } from './canonical-base64url.ts';
import { isSignedBy, takeApart, type ParsedJws } from './jws.ts';
import { TokenRefused } from './token-refused.ts';

/** A longer proof is refused before it is parsed. */
export const dpopProofBytesMax = 4 * 1024;

/**
 * Every rule for a proof, in the order of RFC 9449 §4.3, with the text of its refusal. `nonce` and
 * the time of `iat` are not among them. The caller of `readDpopProof` checks the nonce, which
 * proves that a proof is fresh even if the browser's clock is wrong.
 */
export const dpopRules = {
  form: 'The header is not one compact JWS of at most 4 KiB',
  claims: 'jti, htm, htu or iat is missing or is not of its type',
  typ: 'typ is not dpop+jwt',
  alg: 'alg is not ES256',
  jwk: 'jwk is not the public key of a P-256 pair, without private members',
  signature: 'The key in jwk did not sign the proof',
  htm: 'htm is not the method of this request',
  htu: 'htu is not the address of this request',
  ath: 'ath is not the hash of the token that is sent',
  cnf: 'The token is bound to another key',
  body_sha256: 'body_sha256 is not the hash of the body that arrived',
  jti: 'The proof was used before',
} as const;

export type DpopRule = keyof typeof dpopRules;

/** A proof that broke a rule. */
export class DpopRefused extends TokenRefused<DpopRule> {
  constructor(rule: DpopRule) {
    super(rule, dpopRules[rule]);
  }
}

/** @throws DpopRefused unless the rule holds */
export function assertDpopRule(rule: DpopRule, holds: boolean): asserts holds {
  if (!holds) throw new DpopRefused(rule);
}

/** The request that a proof must be made for. */
export interface ProvenRequest {
  readonly method: string;
  /** Path of the request line, without query. */
  readonly path: string;
  /** The origins of the service. */
  readonly origins: readonly string[];
  /** The token in the `Authorization` header; null if absent. */
  readonly token: string | null;
  /** The thumbprint that the token is bound to; null at begin, where the new token is bound. */
  readonly jkt: string | null;
}

/** A proof that is valid for its request; nonce, body and single use are not checked yet. */
export interface DpopProof {
  /** RFC 7638 thumbprint of the key that signed it. */
  readonly jkt: string;
  readonly jti: string;
  readonly nonce: string | null;
  /** base64url of the SHA-256 of the body; null if the proof has none. */
  readonly bodySha256: string | null;
}

/**
 * Verifies a DPoP proof (RFC 9449 §4.3); stateless.
 * @throws DpopRefused
 */
export async function readDpopProof(header: string, request: ProvenRequest): Promise<DpopProof> {
  const proof = parse(header);
  const claims = readClaims(proof);
  checkType(proof);
  checkAlgorithm(proof);
  const key = readKey(proof);
  await checkSignature(proof, key);
  checkMethod(claims, request);
  checkAddress(claims, request);
  checkTokenHash(proof, request);
  const jkt = thumbprintOf(key);
  checkBinding(jkt, request);
  const { nonce, body_sha256: body } = proof.claims;
  return {
    jkt,
    jti: claims.jti,
    nonce: typeof nonce === 'string' ? nonce : null,
    bodySha256: typeof body === 'string' ? body : null,
  };
}

/** Allowed header members. Others change the processing (RFC 7515 §4.1.11) or name other keys. */
const knownHeaders = new Set(['typ', 'alg', 'jwk', 'kid']);

/** Two headers with the same name arrive as one text with a comma, which is not a JWS. */
function parse(header: string): ParsedJws {
  const proof = takeApart(header, dpopProofBytesMax);
  assertDpopRule(
    'form',
    proof !== null && Object.keys(proof.header).every((h) => knownHeaders.has(h)),
  );
  return proof;
}

interface Claims {
  readonly jti: string;
  readonly htm: string;
  readonly htu: string;
}

const jtiForm = /^[\x21-\x7e]{1,128}$/;

function readClaims({ claims: { jti, htm, htu, iat } }: ParsedJws): Claims {
  assertDpopRule('claims', typeof jti === 'string' && jtiForm.test(jti));
  assertDpopRule('claims', typeof htm === 'string' && typeof htu === 'string');
  assertDpopRule('claims', typeof iat === 'number' && Number.isFinite(iat));
  return { jti, htm, htu };
}

const checkType = ({ header }: ParsedJws): void =>
  assertDpopRule('typ', header['typ'] === 'dpop+jwt');

const checkAlgorithm = ({ header }: ParsedJws): void =>
  assertDpopRule('alg', header['alg'] === 'ES256');

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const coordinateBytes = 32;

function readKey({ header: { jwk } }: ParsedJws): PublicJwk {
  assertDpopRule('jwk', typeof jwk === 'object' && jwk !== null);
  const { kty, crv, x, y } = jwk as Readonly<Record<string, unknown>>;
  assertDpopRule('jwk', !privateMembers.some((name) => Object.hasOwn(jwk, name)));
  assertDpopRule('jwk', kty === 'EC' && crv === 'P-256' && isCoordinate(x) && isCoordinate(y));
  return { kty, crv, x, y };
}

const isCoordinate = (value: unknown): value is string =>
  typeof value === 'string' && bytesOfBase64url(value)?.length === coordinateBytes;

async function checkSignature(proof: ParsedJws, key: PublicJwk): Promise<void> {
  // `jose` freezes the object. Node rejects coordinates that are not on the curve.
  assertDpopRule('signature', await isSignedBy(proof, { ...key }).catch(() => false));
}

const checkMethod = ({ htm }: Claims, { method }: ProvenRequest): void =>
  assertDpopRule('htm', htm === method);

/** The comparison ignores query and fragment (RFC 9449 §4.3). */
function checkAddress({ htu }: Claims, { path, origins }: ProvenRequest): void {
  const url = URL.canParse(htu) ? new URL(htu) : null;
  assertDpopRule('htu', url !== null && origins.includes(url.origin) && url.pathname === path);
}

function checkTokenHash({ claims }: ParsedJws, { token }: ProvenRequest): void {
  if (token !== null) assertDpopRule('ath', claims['ath'] === sha256Of(token));
}

const checkBinding = (jkt: string, request: ProvenRequest): void =>
  assertDpopRule('cnf', request.jkt === null || request.jkt === jkt);

/**
 * Checks that the claim `body_sha256` covers the body. The claim is our own: RFC 9449 does not
 * cover bodies.
 * @throws DpopRefused
 */
export function checkBody({ bodySha256 }: Pick<DpopProof, 'bodySha256'>, body: Uint8Array): void {
  if (body.length === 0 && bodySha256 === null) return;
  assertDpopRule('body_sha256', bodySha256 === sha256Of(body));
}

const sha256Of = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('base64url');
