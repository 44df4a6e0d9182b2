import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  type ClientAuth,
  type ServerMetadata,
} from 'openid-client';
import type { Issuers } from './issuers.ts';
import { providerError } from './provider-errors.ts';

/**
 * How we show who we are by a secret (RFC 8414 §2): `client_secret_basic` unless the issuer takes
 * the other alone.
 * @param methods those the issuer names for the endpoint, if it names any
 * @throws Failure `dependency_unavailable` where it takes neither
 */
export function authenticationOf(
  methods: readonly string[] | undefined,
  secret: string,
): ClientAuth {
  const taken = methods ?? ['client_secret_basic'];
  if (taken.includes('client_secret_basic')) return ClientSecretBasic(secret);
  if (taken.includes('client_secret_post')) return ClientSecretPost(secret);
  throw providerError('no way to ask it with a secret');
}

/** Us as a client of an issuer, who asks it as all issuers are asked. */
export function clientAt(
  { fetch, allowPrivate }: Issuers,
  metadata: ServerMetadata,
  clientId: string,
  auth: ClientAuth,
): Configuration {
  const config = new Configuration(metadata, clientId, {}, auth);
  config[customFetch] = fetch;
  if (allowPrivate) allowInsecureRequests(config);
  return config;
}
