import { X509Certificate } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { listStates, type CertificateStateRow } from '../../db/queries/certificates.ts';
import { MalformedDer } from '../passport/der.ts';
import { issueKey } from './issue-key.ts';
import type { IssuingSigner } from './key-signer.ts';
import type { PlatformKeys } from './load-keys.ts';
import { readOcspRequest, type AskedCertificate } from './ocsp-request.ts';
import {
  issuerHashes,
  refuseOcsp,
  signOcsp,
  singlesOf,
  type CertificateState,
} from './ocsp-response.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** How long an answer may be relied upon; a responder's certificate outlives what it signed. */
const answerLifeMs = dayMs;
const renewalMs = 2 * dayMs;
/** Answers within it are alike but for their signature, so that an entity tag can hold. */
const windowMs = 5 * minuteMs;
/** Clocks differ by minutes, and validators refuse what is from the future. */
const backdatedMs = 5 * minuteMs;

/** CA that signs online, with the ways a CertID can name it. */
interface Authority {
  readonly certificate: X509Certificate;
  readonly kid: string;
  readonly signer: IssuingSigner;
  readonly names: ReadonlySet<string>;
}

interface Responder {
  readonly signer: IssuingSigner;
  readonly notAfter: Date;
}

export interface OcspReply {
  /** OCSPResponse, DER. */
  readonly der: Buffer;
  /** What it says but for its time and signature, and since when; null where it says nothing. */
  readonly said: { readonly singles: Buffer; readonly thisUpdate: Date } | null;
}

export interface OcspResponder {
  /**
   * Answers an OCSP request (RFC 6960), whatever its bytes are: `malformedRequest` for what is
   * none, `unauthorized` for certificates of a CA that does not sign here, or of several.
   * @param hasNonce whether a nonce is given back: not in what many are to read
   */
  answer(request: Uint8Array, now: Date, hasNonce: boolean): Promise<OcspReply>;
}

export interface OcspDeps {
  readonly db: Db;
  readonly keys: Pick<PlatformKeys, 'peopleCa' | 'servicesCa' | 'retired' | 'nextCas'>;
}

/**
 * The OCSP responder of one process. Each CA delegates to a key that lives in this process alone,
 * for a week: CA keys are for certificates and lists (RFC 5280 §4.2.1.3), and a responder key has
 * no file that could be lost.
 */
export function createOcspResponder(deps: OcspDeps): OcspResponder {
  const authorities = authoritiesOf(deps.keys);
  const responders = new Map<string, Promise<Responder>>();
  const make = (authority: Authority, now: Date): Promise<Responder> => {
    const { kid } = authority;
    const made = makeResponder(deps, authority, now);
    responders.set(kid, made);
    made.catch(() => responders.get(kid) === made && responders.delete(kid));
    return made;
  };
  const responderOf = async (authority: Authority, now: Date): Promise<IssuingSigner> => {
    const known = responders.get(authority.kid) ?? make(authority, now);
    const { signer, notAfter } = await known;
    const isLasting = notAfter.getTime() - now.getTime() >= renewalMs;
    if (isLasting || notAfter >= endOf(authority)) return signer;
    const other = responders.get(authority.kid);
    return (await (other && other !== known ? other : make(authority, now))).signer;
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
      const responder = await responderOf(authority, now);
      const nonce = hasNonce ? request.nonce : null;
      const der = await signOcsp({ responder, nonce, producedAt: now, singles });
      return { der, said: { singles, thisUpdate } };
    },
  };
}

function readOrNull(bytes: Uint8Array): ReturnType<typeof readOcspRequest> | null {
  try {
    return readOcspRequest(bytes);
  } catch (error) {
    if (error instanceof MalformedDer) return null;
    throw error;
  }
}

/** Those whose keys are here: a root's is not to be, even when it is. */
function authoritiesOf({ peopleCa, servicesCa, retired, nextCas }: OcspDeps['keys']): Authority[] {
  const found = [peopleCa, servicesCa].map((ca) => ({ ...ca, signer: ca as IssuingSigner }));
  const online = [...retired, ...nextCas].flatMap((ca) =>
    ca.signer && ca.certificate.issuer !== ca.certificate.subject
      ? [{ ...ca, signer: ca.signer }]
      : [],
  );
  return [...found, ...online].map(({ certificate, kid, signer }) => {
    const names = (['sha1', 'sha256'] as const).map((hash) => {
      const { nameHash, keyHash } = issuerHashes(certificate, hash);
      return nameOf(hashOids[hash], nameHash, keyHash);
    });
    return { certificate, kid, signer, names: new Set(names) };
  });
}

const hashOids = { sha1: '1.3.14.3.2.26', sha256: '2.16.840.1.101.3.4.2.1' } as const;

const nameOf = (...[hash, name, key]: [string, Uint8Array, Uint8Array]): string =>
  [hash, Buffer.from(name).toString('hex'), Buffer.from(key).toString('hex')].join();

/** The CA that issued all that is asked for: one signature can tell of one CA only (§4.2.2.2). */
function oneOf(
  authorities: readonly Authority[],
  asked: readonly AskedCertificate[],
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
  asked: readonly AskedCertificate[],
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

/** A key of this process alone, certified by the CA; its serial is stored before it is signed. */
async function makeResponder(
  { db }: OcspDeps,
  { signer }: Authority,
  now: Date,
): Promise<Responder> {
  const { signer: own, der } = await issueKey({
    role: 'ocsp',
    commonName: 'trustcheck OCSP responder',
    issuer: signer,
    now,
    baseUrl: '',
    on: db,
  });
  return { signer: own, notAfter: new X509Certificate(der).validToDate };
}
