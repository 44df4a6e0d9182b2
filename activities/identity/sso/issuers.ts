import {
  allowInsecureRequests,
  customFetch,
  discovery,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client';
import { z } from 'zod';
import { createRequestLimit, type RequestLimit } from './request-limit.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts';
import { createRefreshedCache } from './refreshed-cache.ts';
import { withProviderErrors, providerError } from './provider-errors.ts';

/** Published metadata and keys of issuers, cached so that tokens do not cause repeated requests. */
export interface Issuers extends IssuerKeys {
  readonly fetch: CustomFetch;
  readonly allowPrivate: boolean;
  readonly asking: RequestLimit;
  /** Returns the metadata of this exact issuer. @throws Failure `dependency_unavailable` */
  metadataOf(issuer: string): Promise<ServerMetadata>;
  /**
   * Returns the signature algorithms in the issuer's metadata. RS256 for an issuer with a
   * configured key URL and no metadata.
   * @throws Failure `dependency_unavailable`
   */
  algorithmsOf(issuer: string): Promise<readonly string[]>;
}

interface IssuersOptions {
  /** Whether loopback and plain http are allowed; only in development. */
  readonly allowPrivate: boolean;
  readonly clock: () => Date;
  readonly issuersMax?: number;
  /** Issuers with configured URLs of their keys and, optionally, metadata. */
  readonly placed?: Readonly<Record<string, PlacedIssuer>>;
}

interface PlacedIssuer {
  readonly keysUrl: string;
  readonly metadataUrl: string | null;
}

const metadataCacheMs = 3600_000;
const issuersMaxUsual = 200;

/** Creates the issuers of a process. The least recently requested one is dropped first. */
export function createIssuers(options: IssuersOptions): Issuers {
  const { allowPrivate, clock, issuersMax = issuersMaxUsual, placed = {} } = options;
  const fetch = createGuardedFetch(allowPrivate);
  const metadata = createRefreshedCache(issuersMax, clock, (issuer) =>
    discover(issuer, fetch, allowPrivate),
  );
  const metadataOf = async (issuer: string) => (await metadata.get(issuer, metadataCacheMs)).value;
  const algorithms = createRefreshedCache(issuersMax, clock, (issuer) =>
    fetchAlgorithms(issuer, placed[issuer]?.metadataUrl, fetch),
  );
  const keys = createIssuerKeys({
    clock,
    issuersMax,
    fetchSet: async (issuer) => {
      const address = placed[issuer]?.keysUrl ?? (await metadataOf(issuer)).jwks_uri;
      return fetchJson(address, 'keys', fetch);
    },
  });
  return {
    ...keys,
    fetch,
    allowPrivate,
    asking: createRequestLimit({ clock }),
    metadataOf,
    algorithmsOf: async (issuer) => {
      const place = placed[issuer];
      if (!place) return (await metadataOf(issuer)).id_token_signing_alg_values_supported ?? [];
      if (place.metadataUrl === null) return ['RS256'];
      return (await algorithms.get(issuer, metadataCacheMs)).value;
    },
  };
}

/**
 * Fetches metadata, and compares the issuer exactly (OpenID Connect Discovery 1.0 §4.3). The client
 * compares them as URLs, where a slash makes no difference.
 */
async function discover(
  issuer: string,
  fetch: CustomFetch,
  allowPrivate: boolean,
): Promise<ServerMetadata> {
  const options = {
    [customFetch]: fetch,
    ...(allowPrivate ? { execute: [allowInsecureRequests] } : {}),
  };
  const found = await withProviderErrors(
    discovery(new URL(issuer), 'unused', {}, undefined, options),
  );
  const { supportsPKCE: _helper, ...metadata } = found.serverMetadata();
  if (metadata.issuer !== issuer) throw providerError('its metadata is that of another issuer');
  return metadata;
}

const advertised = z.object({
  issuer: z.string(),
  id_token_signing_alg_values_supported: z.array(z.string().max(64)).max(100),
});

/** Reads the algorithms from metadata at a configured URL, which must name that issuer. */
async function fetchAlgorithms(
  issuer: string,
  address: string | null | undefined,
  fetch: CustomFetch,
): Promise<readonly string[]> {
  const parsed = advertised.safeParse(await fetchJson(address ?? undefined, 'metadata', fetch));
  if (!parsed.success) throw providerError('its metadata name no algorithms');
  if (parsed.data.issuer !== issuer) throw providerError('its metadata is that of another issuer');
  return parsed.data.id_token_signing_alg_values_supported;
}

async function fetchJson(
  address: string | undefined,
  what: string,
  fetch: CustomFetch,
): Promise<unknown> {
  if (address === undefined) throw providerError(`its metadata names no ${what}`);
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const options = { method: 'GET', headers, body: undefined, redirect: 'manual' } as const;
  const response = await withProviderErrors(fetch(address, options));
  if (response.status !== 200) throw providerError(`its ${what}: ${response.status}`);
  return withProviderErrors(response.json());
}
