import { createHash, type X509Certificate } from 'node:crypto';
import { kidOf, type PlatformKeys } from '../../activities/certificates/load-keys.ts';
import { Failure } from '../../workflows/failures.ts';
import { family, handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { keyContracts } from './contract.ts';

const caching = 'public, max-age=300, stale-while-revalidate=60, stale-if-error=86400';

function certificatesOf(keys: PlatformKeys): X509Certificate[] {
  return [
    keys.root.certificate,
    keys.peopleCa.certificate,
    keys.servicesCa.certificate,
    keys.tokens.certificate,
  ];
}

/** A certificate's key as a JWK (RFC 7517) with its certificate and its dates. */
function jwkOf(certificate: X509Certificate) {
  const seconds = (text: string): number => Math.floor(Date.parse(text) / 1000);
  const jwk = certificate.publicKey.export({ format: 'jwk' });
  return {
    ...jwk,
    kid: kidOf(certificate),
    use: 'sig',
    alg: jwk.crv === 'P-384' ? 'ES384' : 'ES256',
    x5c: [certificate.raw.toString('base64')],
    'x5t#S256': createHash('sha256').update(certificate.raw).digest('base64url'),
    nbf: seconds(certificate.validFrom),
    exp: seconds(certificate.validTo),
  };
}

const platformJwks = handler(keyContracts.platformJwks)(
  async (_input, deps: Pick<Deps, 'keys'>) => ({
    status: 200,
    body: { keys: certificatesOf(deps.keys).map(jwkOf) },
    headers: { 'Content-Type': 'application/jwk-set+json', 'Cache-Control': caching },
  }),
);

const trustBundle = handler(keyContracts.trustBundle)(async (_input, deps: Pick<Deps, 'keys'>) => ({
  status: 200,
  type: 'application/x-pem-file',
  content: deps.keys.trustBundlePem,
  headers: { 'Cache-Control': caching },
}));

const certificate = handler(keyContracts.certificate)(async (input, deps: Pick<Deps, 'keys'>) => {
  const kid = input.path.file.slice(0, -'.cer'.length);
  const found = certificatesOf(deps.keys).find((candidate) => kidOf(candidate) === kid);
  if (!found) throw new Failure('not_found');
  return {
    status: 200,
    type: 'application/pkix-cert',
    content: found.raw,
    headers: { 'Cache-Control': caching },
  };
});

export const keys = family('keys', keyContracts, { platformJwks, trustBundle, certificate });
