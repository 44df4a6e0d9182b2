import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import type { Db } from '../../../db/client.ts';
import {
  insertCertificate,
  keepSigned,
  listStates,
  type CertificateStateRow,
} from '../../../db/queries/certificates.ts';
import { MalformedDer } from '../../../domain/pki/read-der.ts';
import {
  readOcspRequest,
  type RequestedCertificate,
} from '../../../domain/pki/revocation/ocsp-request.ts';
import {
  issuerHashes,
  refuseOcsp,
  signOcsp,
  singlesOf,
  type CertificateState,
} from '../../../domain/pki/revocation/ocsp-response.ts';
import { isCertifiedBy } from '../../../domain/pki/x509/is-certified-by.ts';
import { keySigner, type IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { publicJwkOf } from '../../../domain/pki/x509/thumbprint.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { PlatformKeys } from '../directory/load-keys.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Validity of a response. A responder's certificate outlives its responses. */
const answerLifeMs = dayMs;
const renewalMs = 2 * dayMs;
/** Responses in one window differ only in their signature, so that an entity tag stays valid. */
const windowMs = 5 * minuteMs;
/** Clocks differ by minutes, and validators reject responses from the future. */
const backdatedMs = 5 * minuteMs;

/** A CA below the root, with the hashes by which a CertID can name it. */
interface Authority {
  readonly certificate: X509Certificate;
  readonly kid: string;
  readonly names: ReadonlySet<string>;
}

interface Responder {
  readonly signer: IssuingSigner;
  readonly notAfter: Date;
}

export interface OcspReply {
  /** OCSPResponse, DER. */
  readonly der: Buffer;
  /** The content without its time and signature, and its start; null for an error response. */
  readonly said: { readonly singles: Buffer; readonly thisUpdate: Date } | null;
}

export interface OcspResponder {
  /**
   * Answers an OCSP request (RFC 6960), also a malformed one. The response is `malformedRequest` if
   * the bytes are not a request. It is `unauthorized` for certificates of the root, of a CA without
   * a key, or of several CAs.
   * @param hasNonce whether to return the nonce; false for a response that caches share
   */
  answer(request: Uint8Array, now: Date, hasNonce: boolean): Promise<OcspReply>;
}

export interface OcspDeps {
  readonly db: Db;
  readonly keys: Pick<PlatformKeys, 'peopleCa' | 'servicesCa' | 'retired' | 'nextCas'>;
  /**
   * Certifies a key as a responder's key of a CA.
   * @param spki SubjectPublicKeyInfo, DER
   * @returns the certificate, DER
   * @throws Failure `not_found` when the CA has no key
   */
  readonly certify: (issuerKid: string, spki: Buffer) => Promise<Buffer>;
}

/**
 * Creates the OCSP responder of one process. Each CA delegates to a key that exists only in this
 * process, for a week. CA keys sign only certificates and CRLs (RFC 5280 §4.2.1.3), and a responder
 * key has no file that could leak.
 */
export function createOcspResponder(deps: OcspDeps): OcspResponder {
  const authorities = authoritiesOf(deps.keys);
  const responders = new Map<string, Promise<Responder>>();
  const make = (authority: Authority): Promise<Responder> => {
    const { kid } = authority;
    const made = makeResponder(deps, authority);
    responders.set(kid, made);
    made.catch(() => responders.get(kid) === made && responders.delete(kid));
    return made;
  };
  const responderOf = async (authority: Authority, now: Date): Promise<IssuingSigner> => {
    const known = responders.get(authority.kid) ?? make(authority);
    const { signer, notAfter } = await known;
    const isLasting = notAfter.getTime() - now.getTime() >= renewalMs;
    if (isLasting || notAfter >= endOf(authority)) return signer;
    const other = responders.get(authority.kid);
    return (await (other && other !== known ? other : make(authority))).signer;
  };
  return {
    answer: async (bytes, now, hasNonce) => {
      const request = readOrNull(bytes);
      if (!request) return { der: refuseOcsp('malformedRequest'), said: null };
      const authority = oneOf(authorities, request.asked, now);
      if (!authority) return { der: refuseOcsp('unauthorized'), said: null };
      const states = await statesOf(deps.db, authority, request.asked);
      const thisUpdate = new Date(Math.floor(now.getTime() / windowMs) * windowMs - backdatedMs);
      const lastMs = endOf(authority).getTime();
      const nextUpdate = new Date(Math.min(thisUpdate.getTime() + answerLifeMs, lastMs));
      const singles = singlesOf(states, authority.certificate, { thisUpdate, nextUpdate });
      const responder = await orNull(responderOf(authority, now));
      if (!responder) return { der: refuseOcsp('unauthorized'), said: null };
      const nonce = hasNonce ? request.nonce : null;
      const der = await signOcsp({ responder, nonce, producedAt: now, singles });
      return { der, said: { singles, thisUpdate } };
    },
  };
}

/** Returns null when the CA has no key. */
async function orNull(responder: Promise<IssuingSigner>): Promise<IssuingSigner | null> {
  try {
    return await responder;
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null;
    throw error;
  }
}

function readOrNull(bytes: Uint8Array): ReturnType<typeof readOcspRequest> | null {
  try {
    return readOcspRequest(bytes);
  } catch (error) {
    if (error instanceof MalformedDer) return null;
    throw error;
  }
}

/** Excludes retired roots: a root's key is offline. */
function authoritiesOf({ peopleCa, servicesCa, retired, nextCas }: OcspDeps['keys']): Authority[] {
  const known = [peopleCa, servicesCa, ...retired, ...nextCas];
  const issuing = known.filter(({ certificate }) => certificate.issuer !== certificate.subject);
  return issuing.map(({ certificate, kid }) => {
    const names = (['sha1', 'sha256'] as const).map((hash) => {
      const { nameHash, keyHash } = issuerHashes(certificate, hash);
      return nameOf(hashOids[hash], nameHash, keyHash);
    });
    return { certificate, kid, names: new Set(names) };
  });
}

const hashOids = { sha1: '1.3.14.3.2.26', sha256: '2.16.840.1.101.3.4.2.1' } as const;

const nameOf = (...[hash, name, key]: [string, Uint8Array, Uint8Array]): string =>
  [hash, Buffer.from(name).toString('hex'), Buffer.from(key).toString('hex')].join();

/**
 * Returns the CA that issued all requested certificates: a response is signed for one CA only (RFC
 * 6960 §4.2.2.2).
 */
function oneOf(
  authorities: readonly Authority[],
  asked: readonly RequestedCertificate[],
  now: Date,
): Authority | null {
  const names = asked.map((one) => nameOf(one.hashOid, one.issuerNameHash, one.issuerKeyHash));
  const found = authorities.find((authority) => names.every((name) => authority.names.has(name)));
  return found && endOf(found) > now ? found : null;
}

const endOf = ({ certificate }: Authority): Date => certificate.validToDate;

async function statesOf(
  db: Db,
  { kid }: Authority,
  asked: readonly RequestedCertificate[],
): Promise<CertificateState[]> {
  const serials = [...new Set(asked.map(({ serial }) => serial))];
  const rows = new Map((await listStates(db, kid, serials)).map((row) => [row.serial, row]));
  return asked.map(({ whole, serial }) => {
    const row = rows.get(serial);
    return { certId: whole, issued: row ? issuedOf(row) : null };
  });
}

function issuedOf(row: CertificateStateRow): NonNullable<CertificateState['issued']> {
  const { kind, not_before: notBefore, revoked_at, revocation_reason, invalidity_date } = row;
  if (!revoked_at || !revocation_reason) return { notBefore, revocation: null };
  return { notBefore, revocation: { kind, revoked_at, revocation_reason, invalidity_date } };
}

/** Creates a key that exists only in this process, and stores its certificate before it signs. */
async function makeResponder(
  { db, certify }: OcspDeps,
  { kid: issuerKid, certificate: ca }: Authority,
): Promise<Responder> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const der = await certify(issuerKid, spki);
  const certificate = new X509Certificate(der);
  if (!certificate.checkPrivateKey(privateKey) || !isCertifiedBy(certificate, ca)) {
    throw new Error('the certificate of the OCSP responder is of another key or another CA');
  }
  const signer = keySigner(privateKey, [der]);
  const serial = certificate.serialNumber.toLowerCase();
  await insertCertificate(db, {
    serial,
    kind: 'services',
    issuer_kid: issuerKid,
    kid: signer.kid,
    poly_user_id: null,
    device_id: null,
    public_jwk: publicJwkOf(publicKey),
    not_before: certificate.validFromDate,
    not_after: certificate.validToDate,
  });
  await keepSigned(db, serial, der);
  return { signer, notAfter: certificate.validToDate };
}
