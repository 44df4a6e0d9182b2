import type { X509Certificate } from 'node:crypto';
import type { SignedCertificate } from '../activities/keys/certificates/record-user-certificate.ts';
import { isCertifiedBy } from '../domain/pki/x509/is-certified-by.ts';
import { openCertificate } from '../domain/pki/x509/open-certificate.ts';
import { publicJwkOf, thumbprintOf, type PublicJwk } from '../domain/pki/x509/thumbprint.ts';
import { Failure } from '../workflows/failures.ts';
import { flowKindKey } from '../workflows/search-attributes.ts';
import type { SigningRequest } from '../workflows/signing/messages.ts';
import type { signing } from '../workflows/signing/workflow.ts';
import { taskQueues } from '../workflows/task-queues.ts';
import type { Deps } from './deps.ts';

/** The dependencies of a signing request. */
export type SigningDeps = Pick<Deps, 'ids' | 'temporal'>;

type CertifyDeps = SigningDeps & Pick<Deps, 'keys'>;

const retryAfterSeconds = 2;

/**
 * Certifies the key of a person's device in a worker.
 * @throws Failure `key_refused`, `dependency_unavailable`
 */
export async function certifyUser(
  deps: CertifyDeps,
  polyUserId: string,
  publicJwk: PublicJwk,
): Promise<SignedCertificate> {
  const der = await derOf(deps, {
    kind: 'user_certificate',
    poly_user_id: polyUserId,
    public_jwk: publicJwk,
  });
  const certificate = openCertificate(der);
  const isAsked =
    certificate.subject === `CN=${polyUserId}` &&
    thumbprintOf(publicJwkOf(certificate.publicKey)) === thumbprintOf(publicJwk);
  if (!isAsked) throw new Error('a worker certified another key or another person');
  return { certificate, issuer: issuerOf(deps.keys, certificate) };
}

/**
 * Returns the people CA that signed. A worker may load a new CA some milliseconds before this
 * process does.
 * @throws Failure `dependency_unavailable` for a CA that this process has not loaded
 */
function issuerOf(
  { peopleCa, retired, nextCas }: Deps['keys'],
  certificate: X509Certificate,
): SignedCertificate['issuer'] {
  const known = [peopleCa, ...nextCas, ...retired];
  const issuer = known.find((ca) => isCertifiedBy(certificate, ca.certificate));
  if (issuer) return issuer;
  const detail = 'This process has not loaded the new people CA yet';
  throw new Failure('dependency_unavailable', { detail, retryAfterSeconds });
}

/**
 * Certifies the key of an OCSP responder for a week, in a worker.
 * @param spki SubjectPublicKeyInfo, DER
 * @returns DER
 * @throws Failure `not_found` if the CA has no key left, `dependency_unavailable`
 */
export async function certifyResponder(
  deps: SigningDeps,
  issuerKid: string,
  spki: Buffer,
): Promise<Buffer> {
  const key = spki.toString('base64');
  return derOf(deps, { kind: 'ocsp_responder', issuer_kid: issuerKid, spki: key });
}

/**
 * Answers a time-stamp query in a worker.
 * @returns TimeStampResp, DER
 * @throws Failure `dependency_unavailable`
 */
export async function stampQuery(deps: SigningDeps, query: Uint8Array): Promise<Buffer> {
  const base64 = Buffer.from(query).toString('base64');
  return derOf(deps, { kind: 'time_stamp', query: base64 });
}

/**
 * Updates the revocation list of a CA in the database, in a worker.
 * @throws Failure `not_found` if the CA has no key left, `dependency_unavailable`
 */
export async function renewList(deps: SigningDeps, issuerKid: string): Promise<void> {
  await ask(deps, { kind: 'revocation_list', issuer_kid: issuerKid });
}

async function derOf(deps: SigningDeps, request: SigningRequest): Promise<Buffer> {
  const { der } = await ask(deps, request);
  if (der === null) throw new Error(`a worker signed nothing: ${request.kind}`);
  return Buffer.from(der, 'base64');
}

/**
 * Runs a signing workflow. A repeated request gets another signature, because each has its own
 * workflow. One workflow at a time renews the list of a CA, and all callers get its result.
 */
function ask({ temporal, ids }: SigningDeps, request: SigningRequest) {
  const isList = request.kind === 'revocation_list';
  const name = isList ? `revocation-list/${request.issuer_kid}` : ids.uuid();
  return temporal.run<typeof signing>('signing', {
    workflowId: `signing/${name}`,
    workflowIdConflictPolicy: isList ? 'USE_EXISTING' : 'FAIL',
    taskQueue: taskQueues.core,
    staticSummary: `Signature: ${request.kind}`,
    typedSearchAttributes: [{ key: flowKindKey, value: 'signing' }],
    args: [request],
  });
}
