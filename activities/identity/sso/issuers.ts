import { createPublicKey, type AsymmetricKeyDetails, type KeyObject } from 'node:crypto';
import {
  allowInsecureRequests,
  customFetch,
  discovery,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client';
import { z } from 'zod';
import { Failure } from '../../../workflows/failures.ts';
import { createAskBound, type AskBound } from './ask-bound.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createKept, type Kept } from './kept.ts';
import { withProviderErrors, providerError } from './provider-errors.ts';

/** A key an issuer signs with, as it publishes it. */
export interface IssuerKey {
  readonly kid: string;
  readonly alg: string | undefined;
  readonly key: KeyObject;
  /** The channels of a bot platform whose messages the key may sign for. */
  readonly endorsements: readonly string[];
}

/** What issuers publish of themselves, each asked once in a while however many tokens come. */
export interface Issuers {
  readonly fetch: CustomFetch;
  readonly allowPrivate: boolean;
  readonly asking: AskBound;
  /** The metadata of this very issuer. Throws `dependency_unavailable`. */
  metadataOf(issuer: string): Promise<ServerMetadata>;
  /**
   * The signature algorithms that the issuer's metadata advertise. RS256 where an issuer has its
   * keys at a configured address and no metadata. Throws `dependency_unavailable`.
   */
  algorithmsOf(issuer: string): Promise<readonly string[]>;
  /**
   * The issuer's keys of an id; none once a key set that is as new as the call has none of that id.
   * An unknown id fetches the keys again, at most once in ten seconds. Throws
   * `dependency_unavailable` where the keys cannot be had, or where an id is unknown until then.
   */
  keysOf(issuer: string, kid: string): Promise<readonly IssuerKey[]>;
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

const metadataKeptMs = 3600_000;
/** As long as a key that was taken back may still be believed. */
const keysKeptMs = 600_000;
/** How often unknown key ids may have the keys fetched again. */
const refetchEveryMs = 10_000;
const issuersMaxUsual = 200;
const rsaBitsMin = 2048;
const rsaBitsMax = 4096;
const rsaExponentMax = 2n ** 32n;
const keysOfIdMax = 3;

/** Makes what one process knows of issuers: bounded, the one that was asked longest ago goes. */
export function createIssuers(options: IssuersOptions): Issuers {
  const { allowPrivate, clock, issuersMax = issuersMaxUsual, placed = {} } = options;
  const fetch = createGuardedFetch(allowPrivate);
  const metadata = createKept(issuersMax, clock, (issuer) => discover(issuer, fetch, allowPrivate));
  const metadataOf = async (issuer: string) => (await metadata.get(issuer, metadataKeptMs)).value;
  const keys = createKept(issuersMax, clock, async (issuer) =>
    fetchKeys(placed[issuer]?.keysUrl ?? (await metadataOf(issuer)).jwks_uri, fetch),
  );
  const algorithms = createKept(issuersMax, clock, (issuer) =>
    fetchAlgorithms(issuer, placed[issuer]?.metadataUrl, fetch),
  );
  return {
    fetch,
    allowPrivate,
    asking: createAskBound({ clock }),
    metadataOf,
    algorithmsOf: async (issuer) => {
      const place = placed[issuer];
      if (!place) return (await metadataOf(issuer)).id_token_signing_alg_values_supported ?? [];
      if (place.metadataUrl === null) return ['RS256'];
      return (await algorithms.get(issuer, metadataKeptMs)).value;
    },
    keysOf: createKeysOf(keys, clock, issuersMax),
  };
}

/**
 * Looks a key id up, and fetches the keys again for an unknown one. A made-up id must not shut out
 * a token whose key was published since: while no newer key set may be fetched, the answer to an
 * unknown id is 503, which a caller repeats, and never a refusal.
 */
function createKeysOf(
  keys: Kept<readonly IssuerKey[]>,
  clock: () => Date,
  issuersMax: number,
): Issuers['keysOf'] {
  const refetchedAt = new Map<string, number>();
  return async (issuer, kid) => {
    const now = clock().getTime();
    const ofId = (set: readonly IssuerKey[]) => set.filter((key) => key.kid === kid);
    const known = await keys.get(issuer, keysKeptMs);
    const found = ofId(known.value);
    if (found.length > 0 || known.at >= now) return found;
    const waitMs = (refetchedAt.get(issuer) ?? 0) + refetchEveryMs - now;
    if (waitMs <= 0) {
      refetchedAt.delete(issuer);
      refetchedAt.set(issuer, now);
      const [oldest] = refetchedAt.keys();
      if (refetchedAt.size > issuersMax && oldest !== undefined) refetchedAt.delete(oldest);
    }
    // Where no fetch is allowed yet, a running one may have the key.
    const newest = await (waitMs <= 0 ? keys.get(issuer, 0) : (keys.fetching(issuer) ?? known));
    const foundNow = ofId(newest.value);
    if (foundNow.length > 0 || newest.at >= now) return foundNow;
    const cause = new Error('sign-in provider: a key id is unknown, and the keys are just fetched');
    const retryAfterSeconds = Math.ceil(Math.max(1_000, waitMs) / 1_000);
    throw new Failure('dependency_unavailable', { cause, retryAfterSeconds });
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

const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(100) });
const publicKey = z.object({
  kty: z.enum(['RSA', 'EC']),
  kid: z.string().min(1).max(256),
  use: z.literal('sig').optional(),
  key_ops: z
    .array(z.string())
    .refine((ops) => ops.includes('verify'))
    .optional(),
  alg: z.string().optional(),
  endorsements: z.array(z.string().max(64)).max(100).optional(),
});

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

/** RFC 7517 §5: what is in the set and not understood is passed over. */
async function fetchKeys(address: string | undefined, fetch: CustomFetch): Promise<IssuerKey[]> {
  const set = keySet.safeParse(await fetchJson(address, 'keys', fetch));
  if (!set.success) throw providerError('its keys are no key set');
  const keys = set.data.keys.flatMap((jwk) => readKey(jwk) ?? []);
  // RFC 7517 §4.5: keys of one id are alternatives; a token is tried by a few of them.
  const bySameId = Map.groupBy(keys, ({ kid }) => kid).values();
  return [...bySameId].flatMap((same) => same.slice(0, keysOfIdMax));
}

/**
 * A public key one can verify by: RSA of 2048 to 4096 bits with a short exponent, or P-256
 * (RFC 8725 §3.5). What is longer is strong as well, and takes whoever verifies by it too long.
 */
function readKey(jwk: Readonly<Record<string, unknown>>): IssuerKey | null {
  const read = publicKey.safeParse(jwk);
  if (!read.success) return null;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const details = key.asymmetricKeyDetails ?? {};
    const isGood =
      read.data.kty === 'RSA' ? isGoodRsa(details) : details.namedCurve === 'prime256v1';
    const { kid, alg, endorsements = [] } = read.data;
    return isGood ? { kid, alg, endorsements, key } : null;
  } catch {
    return null;
  }
}

function isGoodRsa({ modulusLength = 0, publicExponent = 0n }: AsymmetricKeyDetails): boolean {
  const isSized = modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax;
  return isSized && publicExponent <= rsaExponentMax;
}
