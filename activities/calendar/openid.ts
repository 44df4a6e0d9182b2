import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  enableNonRepudiationChecks,
  refreshTokenGrant,
  ResponseBodyError,
  tokenRevocation,
  type Configuration,
  type ServerMetadata,
} from 'openid-client';
import type { CalendarIntent } from '../../db/names.ts';
import { Failure } from '../../workflows/failures.ts';
import { readAddress } from '../email/address.ts';
import { authenticationOf, clientAt } from '../sso/client.ts';
import { ssoProviderName } from '../sso/guarded-fetch.ts';
import { failureOf, misled, type Issuers } from '../sso/issuers.ts';
import type { CalendarAnswer, CalendarGrant, CalendarProvider } from './port.ts';

/** The name under which the provider's faults are told. */
const calendarProviderName = 'calendar provider';
const refreshTokenLengthMax = 4_096;
const subjectLengthMax = 255;

export interface OpenIdCalendarOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: Readonly<Record<CalendarIntent, string>>;
  readonly redirectUri: string;
}

/** Consent by OAuth 2.0 with OpenID Connect: nothing here is of one provider. */
export function createOpenIdCalendar(
  issuers: Issuers,
  options: OpenIdCalendarOptions,
): CalendarProvider {
  const { issuer, clientId, clientSecret, scopes, redirectUri } = options;
  const configure = async (): Promise<Configuration> => {
    const metadata = await issuers.metadataOf(issuer);
    const methods = metadata.token_endpoint_auth_methods_supported;
    const config = clientAt(issuers, metadata, clientId, authenticationOf(methods, clientSecret));
    // Whose mailbox it is stands on the ID token: its signature is held against the keys as well.
    enableNonRepudiationChecks(config);
    return config;
  };
  return {
    issuer,
    authorizeUrl: ({ state, nonce, verifier, intent }) =>
      asked(async () => {
        const config = await configure();
        const parameters = {
          redirect_uri: redirectUri,
          scope: scopes[intent],
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          // Without these some providers give a refresh token the first time alone.
          access_type: 'offline',
          prompt: 'consent',
          include_granted_scopes: 'false',
        };
        return buildAuthorizationUrl(config, parameters).href;
      }),
    exchange: (answer) => asked(async () => exchange(await configure(), redirectUri, answer)),
    refresh: (refreshToken) =>
      asked(async () => {
        const config = await configure();
        const told = await unlessEnded(refreshTokenGrant(config, refreshToken));
        return told && (tokenOf(told.refresh_token) ?? refreshToken);
      }),
    revoke: (refreshToken) =>
      asked(async () => {
        const config = await configure();
        // Where a provider has no revocation, forgetting the token is all that can be done.
        if (!config.serverMetadata().revocation_endpoint) return;
        const hint = { token_type_hint: 'refresh_token' };
        await tokenRevocation(config, refreshToken, hint);
      }),
  };
}

/** RFC 6749 §4.1.3, OpenID Connect Core §3.1.3.7; before it who answers (RFC 9207 §2.4). */
async function exchange(
  config: Configuration,
  redirectUri: string,
  { code, iss, verifier, nonce }: CalendarAnswer,
): Promise<
  CalendarGrant | { readonly denial: 'address_unverified' | 'grant_refused' | 'issuer_mismatch' }
> {
  if (!isAnsweredBy(config.serverMetadata(), iss)) return { denial: 'issuer_mismatch' };
  const url = new URL(redirectUri);
  url.search = new URLSearchParams({ code, ...(iss === null ? {} : { iss }) }).toString();
  const checks = { pkceCodeVerifier: verifier, expectedNonce: nonce };
  const told = await unlessRefused(authorizationCodeGrant(config, url, checks));
  const claims = told?.claims();
  if (!told || !claims || claims.sub.length > subjectLengthMax) return { denial: 'grant_refused' };
  const { email, email_verified: isVerified } = claims;
  const address = typeof email === 'string' ? readAddress(email) : null;
  if (!address || isVerified !== true) return { denial: 'address_unverified' };
  const refreshToken = tokenOf(told.refresh_token);
  return { subject: claims.sub, address: address.deliverable, refreshToken };
}

function isAnsweredBy(metadata: ServerMetadata, iss: string | null): boolean {
  if (iss === null) return metadata.authorization_response_iss_parameter_supported !== true;
  return iss === metadata.issuer;
}

function tokenOf(token: string | undefined): string | null {
  if (token === undefined || token === '') return null;
  if (token.length > refreshTokenLengthMax) throw misled('its refresh token has no end');
  return token;
}

/** RFC 6749 §5.2: null for a grant that is not good, or not any more. */
async function unlessEnded<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return null;
    throw error;
  }
}

/** Faults of what was answered to a code: it is spent, and asking again mends nothing. */
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
async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, cause, retryAfterSeconds } = failureOf(error);
    const why = cause instanceof Error ? cause.message : ssoProviderName;
    throw new Failure(code, {
      cause: new Error(why.replace(ssoProviderName, calendarProviderName)),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }
}
