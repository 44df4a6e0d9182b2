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

/** Secrets that bind a provider's answer to one consent flow. */
export interface ConsentChallenge {
  /** PKCE verifier (RFC 7636). The provider gets its digest first. */
  readonly verifier: string;
  /** OpenID Connect Core §3.1.2.1: returned in the ID token. */
  readonly nonce: string;
}

/** The parameters that the browser returned with. */
export interface ConsentAnswer extends ConsentChallenge {
  readonly code: string;
  /** Issuer parameter of the answer (RFC 9207); null if absent. */
  readonly iss: string | null;
}

export interface ConsentClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** Name of the provider in its errors. */
  readonly name: string;
}

/** The person who consented, and the token to act for them. */
export interface Consented {
  readonly claims: IDToken;
  /** Null if the provider returned none. */
  readonly refreshToken: string | null;
}

export type ConsentDenial = 'grant_refused' | 'issuer_mismatch';

/**
 * Consent by OAuth 2.0 with OpenID Connect, for any provider.
 * @throws Failure `dependency_unavailable` from every method, if the provider is unavailable or its
 *   response is invalid
 */
export interface Consent {
  /** Returns the authorization URL for the browser. `more` has parameters of this provider only. */
  authorizeUrl(
    callProvider: ConsentChallenge & { readonly state: string; readonly scope: string },
    more: Readonly<Record<string, string>>,
  ): Promise<string>;
  /** Exchanges an authorization code, which works once. */
  exchange(answer: ConsentAnswer): Promise<Consented | { readonly denial: ConsentDenial }>;
  /** Runs any other request as our client at the provider. */
  ask<T>(work: (config: Configuration) => Promise<T>): Promise<T>;
}

export function createConsent(issuers: Issuers, client: ConsentClient): Consent {
  const { issuer, clientId, clientSecret, redirectUri, name } = client;
  const configure = async (): Promise<Configuration> => {
    const metadata = await issuers.metadataOf(issuer);
    const methods = metadata.token_endpoint_auth_methods_supported;
    const config = clientAt(issuers, metadata, clientId, authenticationOf(methods, clientSecret));
    // The ID token identifies the person, so its signature is verified with the provider's keys,
    // too.
    enableNonRepudiationChecks(config);
    return config;
  };
  const ask = <T>(work: (config: Configuration) => Promise<T>): Promise<T> =>
    withProviderName(name, async () => work(await configure()));
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

/**
 * RFC 6749 §4.1.3, OpenID Connect Core §3.1.3.7; first the issuer of the answer (RFC 9207 §2.4).
 */
async function exchange(
  config: Configuration,
  redirectUri: string,
  { code, iss, verifier, nonce }: ConsentAnswer,
): Promise<Consented | { readonly denial: ConsentDenial }> {
  if (!isAnsweredBy(config.serverMetadata(), iss)) return { denial: 'issuer_mismatch' };
  const url = new URL(redirectUri);
  url.search = new URLSearchParams({ code, ...(iss === null ? {} : { iss }) }).toString();
  const checks = { pkceCodeVerifier: verifier, expectedNonce: nonce };
  const tokens = await unlessRefused(authorizationCodeGrant(config, url, checks));
  const claims = tokens?.claims();
  if (!tokens || !claims || claims.sub.length > subjectLengthMax)
    return { denial: 'grant_refused' };
  return { claims, refreshToken: refreshTokenOf(tokens.refresh_token) };
}

function isAnsweredBy(metadata: ServerMetadata, iss: string | null): boolean {
  if (iss === null) return metadata.authorization_response_iss_parameter_supported !== true;
  return iss === metadata.issuer;
}

/** Returns a refresh token within our size limit, or null if there is none. */
export function refreshTokenOf(token: string | undefined): string | null {
  if (token === undefined || token === '') return null;
  if (token.length > refreshTokenLengthMax) throw providerError('its refresh token has no end');
  return token;
}

/** RFC 6749 §5.2: returns null for a grant that is invalid or has ended. */
export async function unlessEnded<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return null;
    throw error;
  }
}

/**
 * Error codes of responses to an authorization code. The code is used up, so a retry cannot help.
 */
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

/** Names the provider in errors, and removes tokens and bodies from them. */
async function withProviderName<T>(name: string, work: () => Promise<T>): Promise<T> {
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

/** A consent challenge as it is stored. */
export const storedChallenge = z.object({ verifier: z.string(), nonce: z.string() });

/** Returns the `state` and the challenge of a new flow, each with 256 random bits. */
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
