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
 * Returns how we authenticate with a secret (RFC 8414 §2): `client_secret_basic`, unless the issuer
 * supports only `client_secret_post`.
 * @param methods supported methods in the issuer's metadata, if any
 * @throws Failure `dependency_unavailable` if neither is supported
 */
export function authenticationOf(
  methods: readonly string[] | undefined,
  secret: string,
): ClientAuth {
  const supported = methods ?? ['client_secret_basic'];
  if (supported.includes('client_secret_basic')) return ClientSecretBasic(secret);
  if (supported.includes('client_secret_post')) return ClientSecretPost(secret);
  throw providerError('no way to ask it with a secret');
}

/** Returns the configuration of us as a client of an issuer, with the guarded fetch. */
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
