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

/** What issuers publish of themselves, each asked once in a while however many tokens come. */
export interface Issuers extends IssuerKeys {
  readonly fetch: CustomFetch;
  readonly allowPrivate: boolean;
  readonly asking: RequestLimit;
  /** The metadata of this very issuer. Throws `dependency_unavailable`. */
  metadataOf(issuer: string): Promise<ServerMetadata>;
  /**
   * The signature algorithms that the issuer's metadata advertise. RS256 where an issuer has its
   * keys at a configured address and no metadata. Throws `dependency_unavailable`.
   */
  algorithmsOf(issuer: string): Promise<readonly string[]>;
}

interface IssuersOptions {
  /** Loopback and plain http are for development. */
  readonly allowPrivate: boolean;
  readonly clock: () => Date;
  readonly issuersMax?: number;
  /** Issuers whose keys, and metadata if any, are at addresses of their own. */
  readonly placed?: Readonly<Record<string, PlacedIssuer>>;
}

interface PlacedIssuer {
  readonly keysUrl: string;
  readonly metadataUrl: string | null;
}

const metadataCacheMs = 3600_000;
const issuersMaxUsual = 200;

/** Makes what one process knows of issuers: bounded, the one that was asked longest ago goes. */
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
 * OpenID Connect Discovery 1.0 §4.3: the issuer of the document is the one that was asked for, to
 * the letter; the client compares them as addresses, by which a slash makes no difference.
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
  const { supportsPKCE: _helper, ...told } = found.serverMetadata();
  if (told.issuer !== issuer) throw providerError('its metadata is that of another issuer');
  return told;
}

const advertised = z.object({
  issuer: z.string(),
  id_token_signing_alg_values_supported: z.array(z.string().max(64)).max(100),
});

/** Reads the algorithms from metadata at a configured address, which must be of that issuer. */
async function fetchAlgorithms(
  issuer: string,
  address: string | null | undefined,
  fetch: CustomFetch,
): Promise<readonly string[]> {
  const told = advertised.safeParse(await fetchJson(address ?? undefined, 'metadata', fetch));
  if (!told.success) throw providerError('its metadata name no algorithms');
  if (told.data.issuer !== issuer) throw providerError('its metadata is that of another issuer');
  return told.data.id_token_signing_alg_values_supported;
}

async function fetchJson(
  address: string | undefined,
  what: string,
  fetch: CustomFetch,
): Promise<unknown> {
  if (address === undefined) throw providerError(`its metadata names no ${what}`);
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const asked = { method: 'GET', headers, body: undefined, redirect: 'manual' } as const;
  const answer = await withProviderErrors(fetch(address, asked));
  if (answer.status !== 200) throw providerError(`its ${what}: ${answer.status}`);
  return withProviderErrors(answer.json());
}
