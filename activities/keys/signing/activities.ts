import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Db } from '../../../db/client.ts';
import type { Ids } from '../../../db/ids.ts';
import { issueCertificate } from '../../../domain/pki/x509/issue-certificate.ts';
import type { IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { SigningAnswer, SigningRequest } from '../../../workflows/signing/messages.ts';
import { issueCrl } from '../certificates/issue-crl.ts';
import { signUserCertificate } from '../certificates/sign-user-certificate.ts';
import { certificateRequestOf } from '../changes/issue-key.ts';
import type { PlatformKeys } from '../directory/load-keys.ts';
import { answerQuery } from '../timestamps/answer.ts';

export interface SigningDeps {
  readonly db: Db;
  readonly keys: Pick<PlatformKeys, 'peopleCa' | 'servicesCa' | 'retired' | 'nextCas' | 'tsa'>;
  readonly ids: Ids;
  readonly clock: () => Date;
  readonly baseUrl: string;
}

export interface SigningActivities {
  /**
   * Signs what the request names, by the profile of its kind. Bytes of the request are never signed
   * as they are.
   * @throws Failure `key_refused`; `not_found` for a CA that is unknown or has no key
   */
  sign(request: SigningRequest): Promise<SigningAnswer>;
}

export function createSigningActivities(deps: SigningDeps): SigningActivities {
  return {
    async sign(request) {
      const der = await derOf(deps, request);
      return { der: der && der.toString('base64') };
    },
  };
}

async function derOf(deps: SigningDeps, request: SigningRequest): Promise<Buffer | null> {
  const { db, keys, ids, clock, baseUrl } = deps;
  const random = (size: number): Buffer => ids.bytes(size);
  switch (request.kind) {
    case 'user_certificate': {
      const { poly_user_id: polyUserId, public_jwk: publicKey } = request;
      const asked = { polyUserId, publicKey, now: clock(), random };
      return signUserCertificate({ peopleCa: keys.peopleCa, baseUrl }, asked);
    }
    case 'time_stamp': {
      const query = Buffer.from(request.query, 'base64');
      return answerQuery({ db, tsa: keys.tsa, clock, randomBytes: random }, query);
    }
    case 'revocation_list':
      await issueCrl({ db, issuer: issuerOf(keys, request.issuer_kid) }, clock());
      return null;
    case 'ocsp_responder':
      return certifyResponder(deps, issuerOf(keys, request.issuer_kid), request.spki);
  }
}

/** Returns the signer of a CA. The root is excluded, because its key is offline. */
function issuerOf(
  { peopleCa, servicesCa, retired, nextCas }: SigningDeps['keys'],
  kid: string,
): IssuingSigner {
  const current: readonly IssuingSigner[] = [peopleCa, servicesCa];
  const others = [...retired, ...nextCas].flatMap(({ signer }) => (signer ? [signer] : []));
  const found = [...current, ...others].find((signer) => signer.kid === kid);
  if (!found) throw new Failure('not_found');
  return found;
}

function certifyResponder(
  { clock }: SigningDeps,
  issuer: IssuingSigner,
  spki: string,
): Promise<Buffer> {
  const commonName = 'trustcheck OCSP responder';
  const request = { role: 'ocsp', commonName, now: clock(), baseUrl: '' } as const;
  return issueCertificate(certificateRequestOf(request, responderKeyOf(spki), issuer));
}

function responderKeyOf(spki: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
  } catch (cause) {
    throw new Failure('key_refused', { cause });
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Failure('key_refused');
  return key;
}
