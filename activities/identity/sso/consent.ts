import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  enableNonRepudiationChecks,
  ResponseBodyError,
  type Configuration,
  type IDToken,
  type ServerMetadata,
} from 'openid-client';
import { z } from 'zod';
import type { Sealer } from '../../../db/sealing/sealed.ts';
import { Failure } from '../../../workflows/failures.ts';
import { authenticationOf, clientAt } from './client.ts';
import { ssoProviderName } from './guarded-fetch.ts';
import type { Issuers } from './issuers.ts';
import { failureOf, providerError } from './provider-errors.ts';

const refreshTokenLengthMax = 4_096;
const subjectLengthMax = 255;

/** What tells one way to a provider and back from every other. */
export interface ConsentChallenge {
  /** PKCE (RFC 7636), of which the provider is shown a digest first. */
  readonly verifier: string;
  /** OpenID Connect Core §3.1.2.1: comes back within the ID token. */
  readonly nonce: string;
}

/** What a browser has come back with. */
export interface ConsentAnswer extends ConsentChallenge {
  readonly code: string;
  /** Who says that they answer (RFC 9207); null where nobody does. */
  readonly iss: string | null;
}

export interface ConsentClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** Under which its faults are told. */
  readonly name: string;
}

/** Who has consented, and by what they can be acted for from now on. */
export interface Consented {
  readonly claims: IDToken;
  /** Null where the provider gives none. */
  readonly refreshToken: string | null;
}

export type ConsentDenial = 'grant_refused' | 'issuer_mismatch';

/**
 * Consent by OAuth 2.0 with OpenID Connect: nothing here is of one provider. Each call throws
 * `dependency_unavailable` where the provider is away, or answers what it must not.
 */
export interface Consent {
  /** Where a browser is led; with parameters that only this provider knows. */
  authorizeUrl(
    callProvider: ConsentChallenge & { readonly state: string; readonly scope: string },
    more: Readonly<Record<string, string>>,
  ): Promise<string>;
  /** Exchanges a code, which is good once. */
  exchange(answer: ConsentAnswer): Promise<Consented | { readonly denial: ConsentDenial }>;
  /** Asks it anything else as the client we are there. */
  ask<T>(work: (config: Configuration) => Promise<T>): Promise<T>;
}

export function createConsent(issuers: Issuers, client: ConsentClient): Consent {
  const { issuer, clientId, clientSecret, redirectUri, name } = client;
  const configure = async (): Promise<Configuration> => {
    const metadata = await issuers.metadataOf(issuer);
    const methods = metadata.token_endpoint_auth_methods_supported;
    const config = clientAt(issuers, metadata, clientId, authenticationOf(methods, clientSecret));
    // Whose consent it is stands on the ID token: its signature is held against the keys as well.
    enableNonRepudiationChecks(config);
    return config;
  };
  const ask = <T>(work: (config: Configuration) => Promise<T>): Promise<T> =>
    asked(name, async () => work(await configure()));
  return {
    authorizeUrl: ({ state, nonce, verifier, scope }, more) =>
      ask(async (config) => {
        const parameters = {
          redirect_uri: redirectUri,
          scope,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...more,
        };
        return buildAuthorizationUrl(config, parameters).href;
      }),
    exchange: (answer) => ask((config) => exchange(config, redirectUri, answer)),
    ask,
  };
}

/** RFC 6749 §4.1.3, OpenID Connect Core §3.1.3.7; before it who answers (RFC 9207 §2.4). */
async function exchange(
  config: Configuration,
  redirectUri: string,
  { code, iss, verifier, nonce }: ConsentAnswer,
): Promise<Consented | { readonly denial: ConsentDenial }> {
  if (!isAnsweredBy(config.serverMetadata(), iss)) return { denial: 'issuer_mismatch' };
  const url = new URL(redirectUri);
  url.search = new URLSearchParams({ code, ...(iss === null ? {} : { iss }) }).toString();
  const checks = { pkceCodeVerifier: verifier, expectedNonce: nonce };
  const told = await unlessRefused(authorizationCodeGrant(config, url, checks));
  const claims = told?.claims();
  if (!told || !claims || claims.sub.length > subjectLengthMax) return { denial: 'grant_refused' };
  return { claims, refreshToken: refreshTokenOf(told.refresh_token) };
}

function isAnsweredBy(metadata: ServerMetadata, iss: string | null): boolean {
  if (iss === null) return metadata.authorization_response_iss_parameter_supported !== true;
  return iss === metadata.issuer;
}

/** A refresh token as it may be kept; null where there is none. */
export function refreshTokenOf(token: string | undefined): string | null {
  if (token === undefined || token === '') return null;
  if (token.length > refreshTokenLengthMax) throw providerError('its refresh token has no end');
  return token;
}

/** RFC 6749 §5.2: null for a grant that is not good, or not any more. */
export async function unlessEnded<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return null;
    throw error;
  }
}

/** Codes of errors in the answer to an authorization code. The code is used up: no retry helps. */
const spent: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

async function unlessRefused<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await unlessEnded(asking);
  } catch (error) {
    if (error instanceof ClientError && spent.has(error.code ?? '')) return null;
    throw error;
  }
}

/** What is thrown says which provider it was, and nothing of tokens and bodies. */
async function asked<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, cause, retryAfterSeconds } = failureOf(error);
    const why = cause instanceof Error ? cause.message : ssoProviderName;
    throw new Failure(code, {
      cause: new Error(why.replace(ssoProviderName, name)),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }
}

/** What a way to a provider is told from every other by, as it lies in the store. */
export const storedChallenge = z.object({ verifier: z.string(), nonce: z.string() });

/** The `state` and the challenge of a way that begins, of 256 bits each. */
export function newChallenge(ids: { bytes(length: number): Buffer }) {
  const secret = (): string => ids.bytes(32).toString('base64url');
  return { state: secret(), verifier: secret(), nonce: secret() };
}

export function sealChallenge(
  sealer: Sealer,
  [owner, context]: readonly [string, string],
  { verifier, nonce }: ConsentChallenge,
): Promise<Buffer> {
  return sealer.seal(owner, context, JSON.stringify({ verifier, nonce }));
}

export async function openChallenge(
  sealer: Sealer,
  [owner, context]: readonly [string, string],
  sealed: Buffer,
): Promise<ConsentChallenge> {
  const opened = await sealer.open(owner, context, sealed);
  return storedChallenge.parse(JSON.parse(opened.toString()));
}
