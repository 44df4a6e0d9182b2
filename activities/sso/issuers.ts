import { createPublicKey, type AsymmetricKeyDetails, type KeyObject } from 'node:crypto';
import {
  allowInsecureRequests,
  customFetch,
  discovery,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client';
import { z } from 'zod';
import { Failure } from '../../workflows/failures.ts';
import { createAskBound, type AskBound } from './ask-bound.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

/** A key an issuer signs with, as it publishes it. */
export interface IssuerKey {
  readonly kid: string;
  readonly alg: string | undefined;
  readonly key: KeyObject;
}

/** What issuers publish of themselves, each asked once in a while however many tokens come. */
export interface Issuers {
  readonly fetch: CustomFetch;
  readonly allowPrivate: boolean;
  readonly asking: AskBound;
  /** The metadata of this very issuer. Throws `dependency_unavailable`. */
  metadataOf(issuer: string): Promise<ServerMetadata>;
  /**
   * The issuer's keys of an id. One that is unknown has the keys asked for again, at most once in
   * the cool-down, whoever makes tokens up. Throws `dependency_unavailable`.
   */
  keysOf(issuer: string, kid: string): Promise<readonly IssuerKey[]>;
}

interface IssuersOptions {
  /** Loopback and plain http are for development. */
  readonly allowPrivate: boolean;
  readonly clock: () => Date;
  readonly issuersMax?: number;
  /** Where the keys of an issuer are, whatever it publishes of itself. */
  readonly keysAt?: Readonly<Record<string, string>>;
}

const metadataKeptMs = 3600_000;
/** As long as a key that was taken back may still be believed. */
const keysKeptMs = 600_000;
const coolDownMs = 30_000;
const issuersMaxUsual = 200;
const rsaBitsMin = 2048;
const rsaBitsMax = 4096;
const rsaExponentMax = 2n ** 32n;
const keysOfIdMax = 3;

/** Makes what one process knows of issuers: bounded, the one that was asked longest ago goes. */
export function createIssuers(options: IssuersOptions): Issuers {
  const { allowPrivate, clock, issuersMax = issuersMaxUsual, keysAt = {} } = options;
  const fetch = createGuardedFetch(allowPrivate);
  const metadata = createKept(issuersMax, clock, (issuer) => discover(issuer, fetch, allowPrivate));
  const keys = createKept(issuersMax, clock, async (issuer) =>
    fetchKeys(keysAt[issuer] ?? (await metadata.get(issuer, metadataKeptMs)).jwks_uri, fetch),
  );
  return {
    fetch,
    allowPrivate,
    asking: createAskBound({ clock }),
    metadataOf: (issuer) => metadata.get(issuer, metadataKeptMs),
    keysOf: async (issuer, kid) => {
      const ofId = (known: readonly IssuerKey[]) => known.filter((key) => key.kid === kid);
      const found = ofId(await keys.get(issuer, keysKeptMs));
      return found.length > 0 ? found : ofId(await keys.get(issuer, coolDownMs));
    },
  };
}

interface Kept<T> {
  /**
   * What is known of it and no older, else what is fetched now: once for all who ask meanwhile. An
   * issuer that has failed is not asked again in the cool-down, or as long as it wants to be left
   * alone.
   */
  get(issuer: string, ageMsMax: number): Promise<T>;
}

function createKept<T>(
  lengthMax: number,
  clock: () => Date,
  fetchOne: (issuer: string) => Promise<T>,
): Kept<T> {
  const kept = new Map<string, { readonly at: number; readonly value: Promise<T> }>();
  const failed = new Map<string, { readonly until: number; readonly failure: Failure }>();
  return {
    get(issuer, ageMsMax) {
      const now = clock().getTime();
      const known = kept.get(issuer);
      if (known && now - known.at < ageMsMax) return known.value;
      const away = failed.get(issuer);
      if (away && now < away.until) return Promise.reject(later(away.failure, away.until - now));
      const entry = { at: now, value: fetchOne(issuer) };
      kept.delete(issuer);
      kept.set(issuer, entry);
      const [oldest] = kept.keys();
      if (kept.size > lengthMax && oldest !== undefined) kept.delete(oldest);
      entry.value.catch((error: unknown) => {
        const failure = failureOf(error);
        const waitMs = Math.max(coolDownMs, (failure.retryAfterSeconds ?? 0) * 1000);
        failed.delete(issuer);
        failed.set(issuer, { until: clock().getTime() + waitMs, failure });
        const [longest] = failed.keys();
        if (failed.size > lengthMax && longest !== undefined) failed.delete(longest);
        // What was known before is still as good as it was.
        if (kept.get(issuer) !== entry) return;
        if (known) kept.set(issuer, known);
        else kept.delete(issuer);
      });
      return entry.value;
    },
  };
}

/** A failure that is remembered, with what is left of its time. */
function later({ code, cause }: Failure, leftMs: number): Failure {
  return new Failure(code, { cause, retryAfterSeconds: Math.ceil(leftMs / 1000) });
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
  const found = await answered(discovery(new URL(issuer), 'unused', {}, undefined, options));
  const { supportsPKCE: _helper, ...told } = found.serverMetadata();
  if (told.issuer !== issuer) throw misled('its metadata is that of another issuer');
  return told;
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
});

/** RFC 7517 §5: what is in the set and not understood is passed over. */
async function fetchKeys(address: string | undefined, fetch: CustomFetch): Promise<IssuerKey[]> {
  if (address === undefined) throw misled('its metadata names no keys');
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const asked = { method: 'GET', headers, body: undefined, redirect: 'manual' } as const;
  const answer = await answered(fetch(address, asked));
  if (answer.status !== 200) throw misled(`its keys: ${answer.status}`);
  const set = keySet.safeParse(await answered(answer.json()));
  if (!set.success) throw misled('its keys are no key set');
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
    return isGood ? { kid: read.data.kid, alg: read.data.alg, key } : null;
  } catch {
    return null;
  }
}

function isGoodRsa({ modulusLength = 0, publicExponent = 0n }: AsymmetricKeyDetails): boolean {
  const isSized = modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax;
  return isSized && publicExponent <= rsaExponentMax;
}

/** An issuer that answers what it must not cannot be asked: that says nothing of a token. */
export function misled(why: string): Failure {
  const cause = new Error(`sign-in provider: ${why}`);
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds: 5 });
}

/** What was asked for, or the failure that says it was not answered. */
export async function answered<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    throw failureOf(error);
  }
}

/** What the client throws can quote tokens and bodies: of its faults the code alone is kept. */
export function failureOf(error: unknown): Failure {
  return failureIn(error) ?? misled(codeOf(error));
}

/** The failure that the client has wrapped as a cause, if one of ours is in there. */
function failureIn(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  return error instanceof Error && error.cause !== undefined ? failureIn(error.cause) : null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'not understood';
}
