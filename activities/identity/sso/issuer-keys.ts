import { createPublicKey, type AsymmetricKeyDetails } from 'node:crypto';
import { createRemoteJWKSet, customFetch, errors, type CryptoKey } from 'jose';
import { z } from 'zod';
import { Failure } from '../../../workflows/failures.ts';
import {
  createRefreshedCache,
  putNewest,
  type Fetched,
  type RefreshedCache,
} from './refreshed-cache.ts';
import { failureOf, providerError, withProviderErrors } from './provider-errors.ts';

/** The keys that issuers publish. `jose` selects, imports and caches them. */
export interface IssuerKeys {
  /**
   * Returns the issuer's keys for a token. Empty once a key set that is as new as the call has
   * none. An unknown id causes a new fetch, at most once in ten seconds.
   * @throws Failure `dependency_unavailable` if the keys are unavailable, or an id is unknown until
   *   the next fetch
   */
  keysOf(issuer: string, header: SignedHeader): Promise<readonly CryptoKey[]>;
  /** Returns the endorsements that all cached keys with this id share (bot platforms). */
  endorsementsOf(issuer: string, kid: string): readonly string[];
}

type SignedHeader = { readonly alg: string; readonly kid: string };

interface IssuerKeysOptions {
  readonly clock: () => Date;
  readonly issuersMax: number;
  /** Fetches the JSON of the issuer's key set, within the limits for responses of issuers. */
  readonly fetchSet: (issuer: string) => Promise<unknown>;
}

/** Longest time that a revoked key may still be trusted. */
const keysCacheMs = 600_000;
/** Shortest time between two fetches because of unknown key ids. */
const refetchEveryMs = 10_000;
const rsaBitsMin = 2048;
const rsaBitsMax = 4096;
const rsaExponentMax = 2n ** 32n;
const keysOfIdMax = 3;

/** Cached keys of one issuer. */
interface Cached {
  readonly set: ReturnType<typeof createRemoteJWKSet>;
  /** Source of `set`, with the time of its request. */
  newest: Fetched<KeySet> | null;
  /** Time of the last fetch because of an unknown id, in milliseconds. */
  refetchedAt: number;
}

/** Creates the key sets of a process. The least recently used set is dropped first. */
export function createIssuerKeys({ clock, issuersMax, fetchSet }: IssuerKeysOptions): IssuerKeys {
  const fetched = createRefreshedCache(issuersMax, clock, async (issuer) =>
    readSet(await fetchSet(issuer)),
  );
  const cachedSets = new Map<string, Cached>();
  return {
    async keysOf(issuer, header) {
      const cached = cachedSets.get(issuer) ?? emptySet(issuer, fetched);
      putNewest(cachedSets, issuer, cached, issuersMax);
      return keysNow(cached, header, clock().getTime());
    },
    endorsementsOf(issuer, kid) {
      const known = cachedSets.get(issuer)?.newest?.value.keys ?? [];
      const [first, ...more] = known.filter((key) => key.kid === kid);
      const isShared = (channel: string) =>
        more.every(({ endorsements }) => endorsements.includes(channel));
      return first ? first.endorsements.filter(isShared) : [];
    },
  };
}

/** The issuer only identifies the set: each fetch uses the key URL in its current metadata. */
function emptySet(issuer: string, fetched: RefreshedCache<KeySet>): Cached {
  const url = URL.parse(issuer);
  if (!url) throw providerError('its name is no address');
  const set = createRemoteJWKSet(url, {
    cacheMaxAge: keysCacheMs,
    // `keysNow` decides when an unknown id fetches: `jose` would refuse one during its cooldown.
    cooldownDuration: Infinity,
    [customFetch]: async () => {
      cached.newest = await fetched.get(issuer, 0);
      return Response.json(cached.newest.value);
    },
  });
  const cached: Cached = { set, newest: null, refetchedAt: 0 };
  return cached;
}

/**
 * Looks up a key id, and fetches the keys again for an unknown one. A forged id must not block a
 * token whose key was published since. So while no new fetch is allowed, an unknown id gets 503,
 * which a caller retries, and is never refused.
 */
async function keysNow(
  cached: Cached,
  header: SignedHeader,
  now: number,
): Promise<readonly CryptoKey[]> {
  const { set } = cached;
  const keys = await keysIn(cached, header);
  const isAsNew = () => cached.newest !== null && cached.newest.at >= now;
  if (keys.length > 0 || isAsNew()) return keys;
  // The id has keys for other algorithms, so a newer set would not help.
  if (cached.newest?.value.keys.some(({ kid }) => kid === header.kid)) return [];
  const waitMs = cached.refetchedAt + refetchEveryMs - now;
  if (waitMs <= 0) cached.refetchedAt = now;
  // A running fetch can bring the key, even if no other one may start.
  if (waitMs <= 0 || set.reloading) await withProviderErrors(set.reload());
  const found = await keysIn(cached, header);
  if (found.length > 0 || isAsNew()) return found;
  const cause = new Error('sign-in provider: unknown key id; the keys were just fetched');
  const retryAfterSeconds = Math.ceil(Math.max(1_000, waitMs) / 1_000);
  throw new Failure('dependency_unavailable', { cause, retryAfterSeconds });
}

async function keysIn({ set }: Cached, header: SignedHeader): Promise<CryptoKey[]> {
  try {
    return [await set(header)];
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return [];
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw failureOf(error);
    const keys: CryptoKey[] = [];
    for await (const key of error) keys.push(key);
    return keys;
  }
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
  endorsements: z.array(z.string().max(64)).max(100).default([]),
});

interface IssuerKey extends Pick<z.output<typeof publicKey>, 'kid' | 'endorsements'> {
  readonly [member: string]: unknown;
}

interface KeySet {
  readonly keys: readonly IssuerKey[];
}

/** RFC 7517 §5: members of the set that are not understood are ignored. */
function readSet(json: unknown): KeySet {
  const set = keySet.safeParse(json);
  if (!set.success) throw providerError('its keys are no key set');
  const keys = set.data.keys.flatMap((jwk) => readKey(jwk) ?? []);
  // RFC 7517 §4.5: keys with one id are alternatives; only a few of them are tried.
  const bySameId = Map.groupBy(keys, ({ kid }) => kid).values();
  return { keys: [...bySameId].flatMap((same) => same.slice(0, keysOfIdMax)) };
}

/**
 * Returns a public key that can verify: RSA of 2048 to 4096 bits with a short exponent, or P-256
 * (RFC 8725 §3.5). `jose` has no upper bounds, and longer keys take too long to verify with.
 */
function readKey(jwk: Readonly<Record<string, unknown>>): IssuerKey | null {
  const read = publicKey.safeParse(jwk);
  if (!read.success) return null;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const details = key.asymmetricKeyDetails ?? {};
    const isGood =
      read.data.kty === 'RSA' ? isGoodRsa(details) : details.namedCurve === 'prime256v1';
    const { kid, alg, endorsements } = read.data;
    const named = { kid, endorsements, ...(alg === undefined ? {} : { alg }) };
    return isGood ? { ...key.export({ format: 'jwk' }), ...named } : null;
  } catch {
    return null;
  }
}

function isGoodRsa({ modulusLength = 0, publicExponent = 0n }: AsymmetricKeyDetails): boolean {
  const isSized = modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax;
  return isSized && publicExponent <= rsaExponentMax;
}
